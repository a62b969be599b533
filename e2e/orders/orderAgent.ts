import type { Hex } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { done, grantTo, NATIVE } from '../hosted/liveAgent.ts'
import type { Party } from '../session/party.ts'
import type { SessionWorld } from '../session/world.ts'
import { checkReceipt, type OrderSession, type Receipt } from './receipt.ts'
import { type ListedOrder, listOf, orderOf, randomWord, signList } from './signedList.ts'

/** An agent that carries out orders, live with a session under controls or on paper. */
export interface OrderAgent {
  id: string
  owner: Party
  /** Returns the ids of the orders. Of a live agent also checks the co-signer's receipt. */
  place(orders: ListedOrder[], replaces?: Hex[]): Promise<Hex[]>
  rows(): Promise<OrderRow[]>
  logs(): Promise<object[]>
  /** Waits until an order is in one of these states. */
  inState(id: Hex, states: readonly string[], withinMs?: number): Promise<OrderRow>
}
export interface LiveOrderAgent extends OrderAgent {
  executor: Hex
  session: OrderSession
}
export interface OrderRow {
  id: Hex
  order: ListedOrder
  state: string
  why: string | null
  filled_in: string
  filled_out: string
  transactions: Hex[]
}

export const ETH = 10n ** 18n
export const USDG = 10n ** 6n
const LIMITS = { max_trade_usd: 60, max_day_usd: 5_000, max_position_usd: 100_000 }
const CONTROLS = {
  signature_above_usd: 0,
  breakers: [{ max_fall_usd: 5_000, window_s: null, cool_down_s: 3_600 }],
}
const PAPER_SESSION = `0x${'0'.repeat(64)}` as Hex
const ASKED = { brain: 'orders', params: {}, interval_s: 3_600, pairs: ['ETH/USDG'], limits: LIMITS }

/** The agent of a funded owner: its executor has gas, and each trade of its session needs a signed order. */
export async function openLiveAgent(
  world: SessionWorld,
  owner: Party,
  limits: typeof LIMITS = LIMITS,
): Promise<LiveOrderAgent> {
  const manager = world.profile.delegation.delegation_manager.toLowerCase() as Hex
  const { id, executor } = await done<{ id: string; executor: Hex }>(owner, 'hosted', {
    ...ASKED,
    limits,
    mode: 'live',
  })
  await world.fund(executor, { wei: ETH / 5n })
  const pending = await grantTo(world, owner, executor, {
    tokens: ['ETH', 'USDG'],
    max_trade_usd: limits.max_trade_usd,
    max_day_usd: limits.max_day_usd,
    max_trades: 2_000,
    expires_in_s: 7_200,
    controls: CONTROLS,
  })
  await done(owner, `hosted/${id}/session`, { session_id: pending.session_id })
  await done(owner, `hosted/${id}/update`, { live: true })
  const session = {
    id: pending.session_id,
    hash: pending.sign.delegation.delegation_hash,
    cosigner: pending.cosigner.toLowerCase() as Hex,
  }
  return {
    ...agentOf(owner, id, async (orders, replaces) => {
      const list = listOf(session.hash, orders, replaces)
      const challenge = randomWord()
      const answer = await done<Placed & { list: Hex; receipt: Receipt }>(owner, `hosted/${id}/orders`, {
        list,
        signature: await signList(owner, manager, list),
        challenge,
      })
      await checkReceipt(answer.receipt, session, { what: 'registered', id: answer.list, challenge })
      return answer
    }),
    executor,
    session,
  }
}

export async function openPaperAgent(owner: Party): Promise<OrderAgent> {
  const { id } = await done<{ id: string }>(owner, 'hosted', { ...ASKED, mode: 'paper' })
  return agentOf(owner, id, (orders, replaces) =>
    done(owner, `hosted/${id}/orders`, { list: listOf(PAPER_SESSION, orders, replaces) }),
  )
}

interface Placed {
  orders: { id: Hex }[]
}

function agentOf(
  owner: Party,
  id: string,
  send: (orders: ListedOrder[], replaces: Hex[]) => Promise<Placed>,
): OrderAgent {
  const rows = async () =>
    (await owner.get<{ orders: OrderRow[] }>(`hosted/${id}/orders?limit=200`)).body.orders
  const logs = async () => (await owner.get<{ rows: object[] }>(`hosted/${id}/logs?limit=30`)).body.rows
  return {
    ...{ id, owner, rows, logs },
    async place(orders, replaces = []) {
      const placed = await send(orders, replaces)
      return placed.orders.map((one) => one.id)
    },
    inState: (order, states, withinMs = 60_000) =>
      until(
        async () => {
          const row = (await rows()).find((one) => one.id === order)
          return row && states.includes(row.state) ? row : null
        },
        { withinMs, everyMs: 200, said: async () => [await rows(), await logs()] },
      ),
  }
}

export async function ethPrice(owner: Party): Promise<number> {
  const { body } = await owner.get<{ assets: { symbol: string; mark: number }[] }>('stats')
  return body.assets.find(({ symbol }) => symbol === 'ETH')!.mark
}

/** A new round of the feed of ETH, which the devnet's pools follow. */
export const setEth = ({ devnet }: Pick<SessionWorld, 'devnet'>, price: number): Promise<unknown> =>
  devnet.rpc('devnet_setFeed', ['ETH', { price }])

export const e18 = (usd: number): string => ((BigInt(Math.round(usd * 1e6)) * ETH) / 1_000_000n).toString()
export const when = (kind: 'at_or_below' | 'at_or_above', usd: number): ListedOrder['trigger'] => ({
  kind,
  token: NATIVE,
  price_e18: e18(usd),
})

export const sellEth = (
  { core }: Pick<SessionWorld, 'core'>,
  atoms: bigint,
  more: Partial<ListedOrder> = {},
): ListedOrder => orderOf({ token_in: NATIVE, token_out: core('USDG'), amount_in: atoms.toString(), ...more })

export const buyEth = (
  { core }: Pick<SessionWorld, 'core'>,
  usdg: bigint,
  more: Partial<ListedOrder> = {},
): ListedOrder => orderOf({ token_in: core('USDG'), token_out: NATIVE, amount_in: usdg.toString(), ...more })
