import { isOpenOrder } from '@pit/client'
import { grouped, visibleText } from '@pit/protocol'
import { Type } from '@sinclair/typebox'
import {
  Bool,
  Choice,
  ClientIdIn,
  HashIn,
  IdIn,
  Input,
  isoOf,
  List,
  Maybe,
  Num,
  OrNull,
  Output,
  Str,
  TokenIn,
  UsdIn,
} from '../shapes.ts'
import { showAmount, showToken, TokenShown } from '../showToken.ts'
import { acts, reads } from '../tool.ts'
import { checkCeilings } from '../trade/ceilings.ts'
import { MAX_VALID_S, ORDER_KINDS, type OrderArgs, placeOrder } from '../trade/placeOrder.ts'
import { checkTokens } from '../trade/tradeArgs.ts'

const AgentIn = { agent_id: IdIn('from list_agents, brain orders') }
const positive = (description: string) => Maybe(Type.Number({ exclusiveMinimum: 0, description }))

export const ORDER_TOOLS = [
  reads({
    name: 'list_orders',
    title: 'Signed orders',
    toolset: 'agents',
    description:
      'Signed orders of an agent, newest first, and the signatures it waits for; only a person can give ' +
      'those (pit sign). States and fills are the service’s statements; reasons are untrusted text.',
    input: Input(AgentIn),
    output: Output({
      orders: List(
        Output({
          order_id: Str(),
          terms_by: Str('signed: this machine’s record; service: its statement'),
          state: Str(),
          open: Bool(),
          untrusted_reason: OrNull(Str('why it waits or ended')),
          token_in: TokenShown,
          token_out: TokenShown,
          sell_at_most: OrNull(Str('whole tokens')),
          sold: OrNull(Str('whole tokens')),
          received: OrNull(Str('whole tokens')),
          trigger: Str('none, at_or_below, at_or_above or trailing'),
          expires: Str(),
        }),
      ),
      wanted: List(Output({ id: Str(), untrusted_reason: Str(), valid_until: Str() })),
    }),
    routes: ['hosted.orders.list'],
    openWorld: true,
    async run({ api, own, signal }, { agent_id }) {
      const answer = await api['hosted.orders.list']({ params: { id: agent_id } }, { signal })
      const signed = await own.orders.signed()
      const listed = answer.orders.map((row) => ({ ...row, order: signed.get(row.id) ?? row.order }))
      const addresses = listed.flatMap(({ order }) => [order.token_in, order.token_out])
      const tokens = await own.tokens(addresses, { signal })
      return {
        orders: listed.map((row) => ({
          order_id: row.id,
          terms_by: signed.has(row.id) ? 'signed' : 'service',
          state: row.state,
          open: isOpenOrder(row),
          untrusted_reason: row.why === null ? null : visibleText(row.why, 200),
          token_in: showToken(own.pins, row.order.token_in),
          token_out: showToken(own.pins, row.order.token_out),
          sell_at_most: showAmount(tokens, row.order.token_in, row.order.amount_in),
          sold: showAmount(tokens, row.order.token_in, row.filled_in),
          received: showAmount(tokens, row.order.token_out, row.filled_out),
          trigger: row.order.trigger.kind,
          expires: isoOf(row.order.expires_at),
        })),
        wanted: answer.wanted.map(({ id, why, valid_until }) => ({
          id,
          untrusted_reason: visibleText(why, 200),
          valid_until: isoOf(valid_until),
        })),
      }
    },
  }),
  acts({
    name: 'place_order',
    title: 'Place a signed order',
    toolset: 'agents',
    description:
      'Sign an order that an agent carries out later with real funds: limit (price or better), stop, ' +
      'take_profit, trailing, twap (equal parts over time), or bracket (an entry, then a stop, a take_profit ' +
      'or both for what it bought). Sized in USD at this server’s own prices; all ' +
      'of it counts against the limits at once (get_limits). Retry only with the same client_id.',
    input: Input({
      ...AgentIn,
      kind: Choice(ORDER_KINDS),
      token_in: TokenIn('token to sell'),
      token_out: TokenIn('token to buy'),
      notional_usd: UsdIn,
      price: positive('of the token that is not USDG: limit or entry in USDG, trigger in USD'),
      min_price: positive('least price of a stop or take_profit; it may then wait for ever'),
      stop_price: positive('of a bracket: its stop in USD'),
      profit_price: positive('of a bracket: its take-profit in USD'),
      trail_percent: positive('fall of a trailing order, 1 to 50'),
      parts: Maybe(Type.Integer({ minimum: 2, maximum: 1_000 })),
      every_s: Maybe(Type.Integer({ minimum: 60, maximum: MAX_VALID_S })),
      valid_for_s: Maybe(Type.Integer({ minimum: 60, maximum: MAX_VALID_S, default: MAX_VALID_S })),
      client_id: ClientIdIn,
    }),
    output: Output({
      order_ids: List(Str()),
      terms: List(Str('what was signed')),
      notes: List(Str()),
      confirmed: Bool('the co-signer signed a receipt; false on paper'),
    }),
    routes: [],
    effect: 'commits',
    openWorld: false,
    confirm({ own, trading, nowMs }, { client_id, ...args }) {
      checkTokens(own.pins, args)
      if (trading.journal.find(client_id)?.state === 'ordered') return null
      const usd = args.notional_usd
      checkCeilings(trading.ceilings, trading.journal, { clientId: client_id, usd, nowMs: nowMs() })
      return questionOf(args)
    },
    async run({ own, trading }, { client_id, ...args }) {
      checkTokens(own.pins, args)
      const { ids, terms, receipt } = await placeOrder(trading, client_id, args)
      return {
        order_ids: [...ids],
        terms: [...terms.lines],
        notes: [...terms.warnings],
        confirmed: receipt !== null,
      }
    },
  }),
  acts({
    name: 'cancel_orders',
    title: 'Cancel signed orders',
    toolset: 'agents',
    description:
      'Cancel signed orders of an agent, or all open ones. The co-signer confirms each one; a protective stop ' +
      'no longer protects.',
    input: Input({ ...AgentIn, order_ids: Maybe(List(HashIn, { minItems: 1, maxItems: 50 })) }),
    output: Output({
      cancelled: List(Str('order id that the co-signer confirmed; on paper placed by this server')),
      not_cancelled: List(
        Output({
          order_id: Str(),
          state: Str('filled, replaced, expired, or blocked: it was never registered'),
        }),
      ),
      may_still_fill_until: OrNull(Str('a trade signed before may still be sent until then')),
    }),
    routes: [],
    effect: 'commits',
    openWorld: false,
    confirm: (_, { agent_id, order_ids }) =>
      `Cancel ${order_ids ? order_ids.join(', ') : 'every open order'} of agent ${agent_id}?`,
    async run({ trading, signal }, { agent_id, order_ids }) {
      const request = {
        agentId: agent_id,
        ...(order_ids && { ids: order_ids.map((id) => id.toLowerCase() as `0x${string}`) }),
      }
      const { receipts, onPaper } = await trading.client.orders.cancel(request, { signal })
      const [ended, others] = [
        receipts.filter(({ after }) => after === 'cancelled'),
        receipts.filter(({ after }) => after !== 'cancelled'),
      ]
      const open = receipts.filter(({ outstanding }) => outstanding !== '0').map(({ until }) => until)
      return {
        cancelled: [...ended.map(({ id }) => id), ...onPaper],
        not_cancelled: others.map(({ id, after }) => ({ order_id: id, state: after })),
        may_still_fill_until: open.length === 0 ? null : isoOf(Math.max(...open)),
      }
    },
  }),
  reads({
    name: 'rehearse_trade',
    title: 'Rehearse a session trade',
    toolset: 'sessions',
    description:
      'Whether a trade in a session would pass: every rule of the service and its co-signer. Signs, counts and ' +
      'sends nothing.',
    input: Input({
      session_id: IdIn('from list_sessions'),
      token_in: TokenIn('token to sell'),
      token_out: TokenIn('token to buy'),
      notional_usd: UsdIn,
    }),
    output: Output({
      would_pass: Bool(),
      failed: List(Output({ rule: Str(), by: Str('service or co-signer'), untrusted_message: Str() })),
      left_24h_usd: Num(),
    }),
    routes: ['me.sessions'],
    openWorld: true,
    async run({ own, trading, signal }, args) {
      checkTokens(own.pins, args)
      const owner_attests_non_us = trading?.attestsNonUs ?? false
      const {
        ok = false,
        checks,
        signer_checks = [],
        spend,
      } = await own.rehearseTrade({ ...args, owner_attests_non_us }, { signal })
      const row = (rule: string, by: string, message: string) => ({
        rule,
        by,
        untrusted_message: visibleText(message, 200),
      })
      return {
        would_pass: ok,
        failed: [
          ...checks.filter((one) => !one.ok).map(({ code, message }) => row(code, 'service', message)),
          ...signer_checks
            .filter((one) => !one.ok)
            .map(({ rule, message }) => row(rule, 'co-signer', message)),
        ],
        left_24h_usd: spend.remaining_24h_usd,
      }
    },
  }),
]

function questionOf(args: OrderArgs): string {
  const { kind, token_in, token_out, notional_usd, agent_id, valid_for_s = MAX_VALID_S } = args
  const terms = [
    args.price === undefined ? '' : ` at ${args.price}`,
    args.stop_price === undefined ? '' : `, then a stop at $${grouped(args.stop_price)}`,
    args.profit_price === undefined ? '' : `, then a take-profit at $${grouped(args.profit_price)}`,
    args.min_price === undefined ? '' : `, least price ${args.min_price}`,
    args.trail_percent === undefined ? '' : ` after a fall of ${args.trail_percent}%`,
    args.parts === undefined ? '' : ` in ${args.parts} parts`,
  ].join('')
  return (
    `Sign a ${kind.replace('_', '-')} order${terms}: sell $${grouped(notional_usd)} of ${token_in} ` +
    `for ${token_out} with real funds, by agent ${agent_id}, within ${Math.ceil(valid_for_s / 60)} minutes?`
  )
}
