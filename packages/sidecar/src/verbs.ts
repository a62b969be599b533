import { randomBytes } from 'node:crypto'
import type { Hex } from '@pit/chain'
import type { PitClient, SignedTrade } from '@pit/client'
import { type BodyInput, checkWith, PLACES, type QueryInput, ROUTES, type RouteId } from '@pit/protocol'
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { withClientId, withoutWallet, withWallet } from './bodies.ts'
import { FastIn, fastRequest } from './fastInput.ts'
import { SidecarFault } from './fault.ts'
import {
  Address,
  AgentId,
  ClientId,
  Exits,
  Hash,
  Input,
  InputOf,
  List,
  Maybe,
  OrderChange,
  OrderIn,
  Text,
  Whole,
  Yes,
} from './inputs.ts'
import { toCamel } from './names.ts'
import type { Plans } from './plans.ts'

export interface VerbDeps {
  client: PitClient
  plans: Plans
  /** Domain in sign-in messages and league statements. */
  domain: string
  signal: AbortSignal
}

/** Called with the signed transactions before any of them is sent. */
type OnSigned = (signed: SignedTrade) => void

export interface Verb {
  summary: string
  /** Fields of the request body, as JSON schema. */
  input: TSchema
  /** Signs or changes something: refused by a read-only sidecar. */
  acts: boolean
  /** Runs at most once per client_id. */
  isTrade: boolean
  needsKey: boolean
  /** Of a list of orders, which is placed at most once per client_id. */
  request?(deps: VerbDeps, input: never): Promise<OrdersRequest>
  run(deps: VerbDeps, input: never, onSigned: OnSigned): Promise<unknown>
}

type Run<I> = (deps: VerbDeps, input: I, onSigned: OnSigned) => Promise<unknown>
interface Spec<S extends TSchema> {
  summary: string
  input: S
  run: Run<Static<S>>
}

const reads = <S extends TSchema>(spec: Spec<S>, needsKey = true): Verb =>
  ({ ...spec, acts: false, isTrade: false, needsKey }) as Verb
const acts = <S extends TSchema>(spec: Spec<S>): Verb =>
  ({ ...spec, acts: true, isTrade: false, needsKey: true }) as Verb
/** Signs a list of orders; with a client_id the request is stored, so a repeat is the same list. */
const places = <S extends TSchema>(
  spec: Omit<Spec<S>, 'run'> & { request(deps: VerbDeps, input: Static<S>): Promise<OrdersRequest> },
): Verb => ({
  ...acts({
    ...spec,
    run: async (deps, input) =>
      deps.client.orders.place(await spec.request(deps, input), { signal: deps.signal }),
  }),
  request: spec.request as NonNullable<Verb['request']>,
})
/** Its input names a client_id beside the fields of `body`. */
const trades = <B>(spec: { summary: string; body: TSchema; run: Run<B> }): Verb => ({
  summary: spec.summary,
  input: withClientId(spec.body),
  acts: true,
  isTrade: true,
  needsKey: true,
  run: spec.run as Verb['run'],
})

const NOTHING = Input({})
export type OrdersRequest = Parameters<PitClient['orders']['place']>[0]
type BracketRequest = Parameters<PitClient['orders']['placeBracket']>[0]
const randomNonce = (): Hex => `0x${randomBytes(32).toString('hex')}`
const PLANNED = Type.Unsafe<BodyInput<'live.quote'>>(withoutWallet(ROUTES['live.prepare'].body))
type TradeInput = Parameters<PitClient['trade']>[0]

export const VERBS: Readonly<Record<string, Verb>> = {
  config: reads(
    {
      summary: 'The account, and the chain and service that the sidecar is pinned to.',
      input: NOTHING,
      run: async ({ client }) => {
        const { addresses: _, ...pins } = client.pins
        return { address: client.address, pins }
      },
    },
    false,
  ),
  read: reads({
    summary: 'Any GET route of the API by its id, such as `tokens.get`. Unverified.',
    input: Input({
      route: Text('route id'),
      params: Maybe(Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]))),
      query: Maybe(Type.Record(Type.String(), Type.Unknown())),
    }),
    run: ({ client, signal }, { route, params, query }) => {
      if (!Object.hasOwn(PLACES, route) || PLACES[route as RouteId].method !== 'GET')
        throw new SidecarFault('BAD_REQUEST', `${route} is not a GET route of the API.`, 'route')
      const call = client.api[route as 'live.quote'] as (ask: object, options: object) => Promise<unknown>
      return call({ params, query: query as QueryInput<'tokens.search'> }, { signal })
    },
  }),
  quote: reads({
    summary: 'Compare all routes for a trade. Unverified: a plan is what is checked.',
    input: ROUTES['live.quote'].body,
    run: ({ client, signal }, body) => client.quote(body as never, { signal }),
  }),
  plan: reads({
    summary: 'Plan a trade and verify it on your own node. Signs nothing; `send` takes its plan_id.',
    input: PLANNED,
    run: async ({ client, plans, signal }, body) => {
      const verified = await client.plan(body as TradeInput, { signal })
      const { plan, checks } = verified
      return { plan_id: plans.add(verified), plan, checks }
    },
  }),
  send: trades<{ plan_id: string }>({
    summary: 'Sign and send a verified plan, and wait until it is mined.',
    body: Input({ plan_id: Text('from plan') }),
    run: async ({ client, plans, signal }, { plan_id }, onSigned) =>
      tradeResult(await client.send(plans.take(plan_id), { signal, onStage: signedStage(onSigned) })),
  }),
  trade: trades<TradeInput>({
    summary: 'Plan, verify, sign and send a trade, and wait until it is mined.',
    body: PLANNED,
    run: async ({ client, signal }, body, onSigned) =>
      tradeResult(await client.trade(body, { signal, onStage: signedStage(onSigned) })),
  }),
  fast_trade: trades<Static<typeof FastIn>>({
    summary: 'Trade a pinned pair in one call; falls back to a planned trade unless fallback is false.',
    body: FastIn,
    run: async ({ client, signal }, { fallback = true, ...terms }, onSigned) => {
      const options = { signal, fallback, onStage: signedStage(onSigned) }
      const traded = await client.fastTrade(fastRequest(terms), options)
      return traded.by === 'fast' ? traded : { by: 'prepare', why: traded.why, ...tradeResult(traded.result) }
    },
  }),
  session_trade: trades<Parameters<PitClient['sessionTrade']>[0]>({
    summary: 'Trade in a session as its executor; `wallet` is whose funds trade.',
    body: Type.Unsafe(withWallet(ROUTES['live.session.trade'].body)),
    run: ({ client, signal }, body, onSigned) => client.sessionTrade(body, { signal, onSigned }),
  }),
  rehearse_trade: reads({
    summary: 'Check a session trade against every rule. Counts and signs nothing.',
    input: ROUTES['live.session.trade'].body,
    run: ({ client, signal }, body) => client.rehearseTrade(body as never, { signal }),
  }),
  grant_session: acts({
    summary: 'Grant a session within signed limits.',
    input: Input({
      request: Type.Unsafe<Parameters<PitClient['grantSession']>[0]>(
        withoutWallet(ROUTES['live.session.grant'].body),
      ),
      allow_7702: Maybe(Yes('the wallet may take the delegator’s code (EIP-7702)')),
      send_setup: Maybe(Yes('send the token approvals that the session needs')),
    }),
    run: ({ client, signal }, { request, allow_7702 = false, send_setup = false }) =>
      client.grantSession(request, { signal, allow7702: allow_7702, sendSetup: send_setup }),
  }),
  revoke_session: acts({
    summary: 'End a session at the service, at the co-signer and on chain.',
    input: Input({ session_id: Text('id of the session'), on_chain: Maybe(Yes('also on chain (default)')) }),
    run: ({ client, signal }, { session_id, on_chain = true }) =>
      client.revokeSession({ sessionId: session_id, onChain: on_chain }, { signal }),
  }),
  revoke_all: acts({
    summary: 'End every session with controls by one transaction, without the server.',
    input: NOTHING,
    run: ({ client, signal }) => client.revokeAll({ signal }),
  }),
  revoke_approvals: acts({
    summary: 'Revoke the wallet’s approvals for these tokens, USDG by default.',
    input: InputOf<Parameters<PitClient['revokeApprovals']>[0]>()({
      tokens: Maybe(List(Text('core symbol or address'))),
      spender: Maybe(Address),
    }),
    run: ({ client, signal }, request) => client.revokeApprovals(request, { signal }),
  }),
  recorded_sessions: reads(
    {
      summary: 'Sessions signed on this machine, with their state on chain by your own node.',
      input: NOTHING,
      run: ({ client, signal }) => client.recordedSessions({ signal }),
    },
    false,
  ),
  portfolio: reads({
    summary: 'Balances and values of the wallet.',
    input: NOTHING,
    run: ({ client, signal }) => client.portfolio({ signal }),
  }),
  sessions: reads({
    summary: 'Sessions of the wallet as the service lists them.',
    input: NOTHING,
    run: ({ client, signal }) => client.sessions({ signal }),
  }),
  trades: reads({
    summary: 'Trades of the wallet, newest first.',
    input: Input({ limit: Maybe(Whole(1, 1_000)), refused: Maybe(Yes('include refused ones')) }),
    run: async ({ client, signal }, { limit = 100, refused = false }) => {
      const rows: unknown[] = []
      for await (const row of client.trades({ refused, signal })) {
        rows.push(row)
        if (rows.length === limit) break
      }
      return { trades: rows }
    },
  }),
  create_agent: acts({
    summary: 'Create a hosted agent; the request is recorded here.',
    input: ROUTES['hosted.create'].body,
    run: ({ client, signal }, body) => client.hosted.create(body as never, { signal }),
  }),
  grant_live: acts({
    summary: 'Let a live agent trade: verify it against your own bounds, grant, attach, switch on.',
    input: Input({
      agent_id: AgentId,
      bounds: Maybe(Type.Record(Type.String(), Type.Unknown())),
      session_id: Maybe(Text('a session granted to the agent before')),
      allow_7702: Maybe(Yes('the wallet may take the delegator’s code (EIP-7702)')),
      send_setup: Maybe(Yes('send the token approvals that the session needs')),
    }),
    run: (
      { client, signal },
      { agent_id, bounds = {}, session_id, allow_7702 = false, send_setup = false },
    ) =>
      client.hosted.grantLive(agent_id, liveBounds(bounds), {
        signal,
        allow7702: allow_7702,
        sendSetup: send_setup,
        ...(session_id !== undefined && { sessionId: session_id }),
      }),
  }),
  stop_agent: acts({
    summary: 'Stop an agent permanently; with on_chain, also end its sessions on chain.',
    input: Input({ agent_id: AgentId, on_chain: Maybe(Yes('end its sessions on chain too')) }),
    run: ({ client, signal }, { agent_id, on_chain = false }) =>
      client.hosted.stop(agent_id, { signal, onChain: on_chain }),
  }),
  refund_gas: acts({
    summary: 'Return the ETH that an agent’s executor holds to its owner.',
    input: Input({ agent_id: AgentId }),
    run: ({ client, signal }, { agent_id }) => client.hosted.refundGas(agent_id, { signal }),
  }),
  place_orders: places({
    summary: 'Sign and register a list of orders of an agent; all or none. Once per client_id.',
    input: InputOf<OrdersRequest & { clientId: string }>()({
      agent_id: AgentId,
      orders: List(OrderIn, 16),
      replaces: Maybe(List(Hash, 50)),
      nonce: Maybe(Hash),
      client_id: Maybe(ClientId),
    }),
    request: async (_, request) => ({ nonce: randomNonce(), ...toCamel<OrdersRequest>(request) }),
  }),
  place_bracket: places({
    summary: 'An entry with a stop, a take-profit or both, armed as the entry fills. Once per client_id.',
    input: InputOf<BracketRequest & { clientId: string }>()({
      agent_id: AgentId,
      entry: OrderIn,
      exits: Exits,
      replaces: Maybe(List(Hash, 50)),
      nonce: Maybe(Hash),
      client_id: Maybe(ClientId),
    }),
    request: ({ client, signal }, request) =>
      client.orders.bracketRequest(toCamel<BracketRequest>(request), { signal }),
  }),
  replace_order: acts({
    summary: 'Replace an open order by a changed one without a gap.',
    input: InputOf<Parameters<PitClient['orders']['replace']>[0]>()({
      agent_id: AgentId,
      id: Hash,
      change: OrderChange,
    }),
    run: ({ client, signal }, request) => client.orders.replace(toCamel(request), { signal }),
  }),
  cancel_orders: acts({
    summary: 'Cancel orders of an agent, all open ones by default; the co-signer confirms each.',
    input: InputOf<Parameters<PitClient['orders']['cancel']>[0]>()({
      agent_id: AgentId,
      ids: Maybe(List(Hash, 50)),
    }),
    run: ({ client, signal }, { agent_id, ids }) =>
      client.orders.cancel({ agentId: agent_id, ...(ids && { ids: ids as Hex[] }) }, { signal }),
  }),
  list_orders: reads({
    summary: 'Orders of an agent, and the signatures it waits for.',
    input: Input({ agent_id: AgentId }),
    run: ({ client, signal }, { agent_id }) => client.orders.list(agent_id, { signal }),
  }),
  sign_wanted: acts({
    summary: 'Sign a list that an agent waits for, once every part of it is checked here.',
    input: InputOf<Parameters<PitClient['orders']['signWanted']>[0]>()({
      agent_id: AgentId,
      id: Text('id of the wanted signature'),
    }),
    run: ({ client, signal }, { agent_id, id }) =>
      client.orders.signWanted({ agentId: agent_id, id }, { signal }),
  }),
  enter_league: acts({
    summary: 'Enter the league with the owner’s signature.',
    input: Input({
      agent_id: Text('id of the account or agent'),
      board: Text('board'),
      entrant: Text('wallet, account or hosted agent that enters'),
      kind: Text('kind of the entrant'),
      hosted_id: Maybe(AgentId),
    }),
    run: ({ client, domain, signal }, request) =>
      client.league.enter(
        { ...toCamel<Parameters<PitClient['league']['enter']>[0]>(request), domain },
        { signal },
      ),
  }),
}

/** Refuses unknown and malformed fields. A verb that takes the account's wallet may leave it out. */
export function checkInput(name: string, verb: Verb, input: object): void {
  const checked = checkWith(verb.input, input)
  if (checked.ok) return
  const message = checked.message.replace('This route does', `${name} does`)
  throw new SidecarFault('BAD_REQUEST', message, checked.field)
}

const signedStage =
  (onSigned: OnSigned) =>
  (stage: { stage: string; signed?: SignedTrade }): void => {
    if (stage.stage === 'signed') onSigned(stage.signed!)
  }

type Traded = Awaited<ReturnType<PitClient['trade']>>
const tradeResult = ({ plan, checks, hashes, receipt, amountOut, feePaid }: Traded) => ({
  plan,
  checks,
  hashes,
  receipt,
  amount_out: amountOut,
  fee_paid: feePaid,
})

const liveBounds = (bounds: Record<string, unknown>): Parameters<PitClient['hosted']['grantLive']>[1] => {
  const names = new Set([
    ...['pairs', 'max_trade_usd', 'max_day_usd', 'max_trades', 'expires_in_s', 'setup_budget_usd'],
    ...['accept_risks', 'shield', 'policies', 'controls'],
  ])
  const unknown = Object.keys(bounds).find((name) => !names.has(name))
  if (unknown !== undefined)
    throw new SidecarFault(
      'BAD_REQUEST',
      `grant_live does not take \`bounds.${unknown}\`; it takes ${[...names].join(', ')}.`,
      `bounds.${unknown}`,
    )
  return bounds
}
