import {
  aggregatorV3Abi,
  type Hex,
  type Order,
  orderId,
  orderListHash,
  type Trigger,
  toWireOrders,
  type V2Pool,
} from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { type Rpc, RpcError } from '@pit/platform/rpc'
import { decodeFunctionData, encodeFunctionResult } from 'viem'
import type { HostedDeps } from '../src/deps.ts'
import { cancelOrders } from '../src/signed/cancel.ts'
import { listOrders } from '../src/signed/listOrders.ts'
import { placeOrders } from '../src/signed/place.ts'
import type { NewAgent } from '../src/store.ts'
import { ETH, ETHER, TOKENS, USD, usd, WALLET } from './paperWorld.ts'
import { openTickWorld } from './tickWorld.ts'

/** Paper agents with signed orders, on a market whose price a test moves. */

const NONE: Trigger = { kind: 'none', token: ETH, priceE18: 0n, trailBps: 0 }
export const at = (kind: 'at_or_below' | 'at_or_above', dollars: number): Trigger => ({
  kind,
  token: ETH,
  priceE18: BigInt(dollars) * ETHER,
  trailBps: 0,
})
export const trailing = (trailBps: number): Trigger => ({
  kind: 'trailing',
  token: ETH,
  priceE18: 0n,
  trailBps,
})
/** Buys ETH for 100 USDG, unless changed. */
export const buy = (change: Partial<Order> = {}): Order => ({
  tokenIn: TOKENS.USDG,
  tokenOut: ETH,
  amountIn: 100n * USD,
  minAmountOut: 0n,
  maxSlippageBps: 100,
  trigger: NONE,
  slices: 1,
  everyS: 0,
  startsAt: 0,
  expiresAt: 1_900_000_000,
  group: 0,
  parent: 0,
  ...change,
})
export const sell = (change: Partial<Order> = {}): Order =>
  buy({ tokenIn: ETH, tokenOut: TOKENS.USDG, amountIn: ETHER / 25n, ...change })

/** Answers `getRoundData` for the rounds that were added; `isDown` makes it fail. */
function scriptedFeed() {
  const rounds = new Map<bigint, readonly [bigint, bigint, bigint, bigint, bigint]>()
  const feed = {
    isDown: false,
    add(id: bigint, dollars: number, atS: number) {
      const answer = BigInt(Math.round(dollars * 1e8))
      rounds.set(id, [id, answer, BigInt(atS), BigInt(atS), id])
    },
    batch: (async (calls) => {
      if (feed.isDown) throw new Error('down')
      return calls.map(([, params]) => {
        const { data } = (params as [{ data: Hex }])[0]
        const { args } = decodeFunctionData({ abi: aggregatorV3Abi, data })
        const result = rounds.get(args![0] as bigint)
        if (!result) return { ok: false, error: new RpcError('eth_call', 3, 'no such round', null) }
        return {
          ok: true,
          result: encodeFunctionResult({ abi: aggregatorV3Abi, functionName: 'getRoundData', result }),
        }
      })
    }) satisfies Rpc['batch'],
  }
  return feed
}

let nonces = 0
export const listOf = (
  orders: readonly Order[],
  /** Of which nothing was spent. */
  replaces: readonly Hex[] = [],
  session: Hex = `0x${'0'.repeat(64)}`,
) => ({
  session,
  nonce: `0x${(++nonces).toString(16).padStart(64, '0')}` as Hex,
  replaces: replaces.map((id) => ({ id, spentIn: 0n })),
  orders,
})

export function openOrderWorld(db: Db, more: Partial<HostedDeps> = {}) {
  const feed = scriptedFeed()
  const world = openTickWorld(db, { rpc: { request: async () => null as never, batch: feed.batch } })
  const deps = {
    ...world.options,
    paper: world.paper,
    isInLeague: async () => false,
    signerAnswers: () => true,
    nextHolds: async () => [],
    brains: { aiHolds: async () => [] },
    randomBytes: (size: number) => new Uint8Array(size).fill(7),
    ...more,
  } as unknown as HostedDeps
  const by = { keyId: 1, wallet: WALLET }
  let round = 100n

  /** A round that no reading of the marks sees. */
  function unseenRound(dollars: number): void {
    world.clock.ms += 1_000
    feed.add(++round, dollars, Math.floor(world.clock.ms / 1_000))
  }

  /** A new round at this price; pools follow unless `poolUsd` differs. */
  async function price(
    dollars: number,
    poolUsd = dollars,
    reader: Pick<typeof world, 'meetRounds'> = world,
  ): Promise<void> {
    world.clock.ms += 1_000
    const updatedAtS = Math.floor(world.clock.ms / 1_000)
    const mark = usd(dollars, { token: ETH, roundId: ++round, updatedAtS, readAtS: updatedAtS })
    feed.add(round, dollars, updatedAtS)
    world.paper.marks.set(ETH, mark)
    world.paper.marks.set(TOKENS.WETH, { ...mark, token: TOKENS.WETH })
    const pool = [...world.paper.index.of(TOKENS.WETH)].find(
      ({ token0, token1 }) => token0 === TOKENS.USDG || token1 === TOKENS.USDG,
    ) as V2Pool
    const reserve = BigInt(Math.round(poolUsd * 1_000)) * USD
    if (pool.token0 === TOKENS.USDG) pool.reserve0 = reserve
    else pool.reserve1 = reserve
    world.paper.index.touch(pool.id)
    await reader.meetRounds([mark])
  }
  const hashOf = (list: ReturnType<typeof listOf>) => orderListHash(world.options.crypto, list)
  return {
    ...world,
    deps,
    by,
    price,
    unseenRound,
    feed,
    addOrders: (given: Partial<NewAgent> & { usd?: number } = {}) =>
      world.addAgent({ brain: 'orders', params: {}, intervalS: 3_600, ...given }),
    place(id: string, list: ReturnType<typeof listOf>, rest: object = {}) {
      world.clock.ms += 1_000
      return placeOrders(deps, { by, id, list: toWireOrders(list), ...rest })
    },
    cancel: (id: string, ids: readonly Hex[] | null) => cancelOrders(deps, { by, id, ids }),
    list: (id: string, onlyOpen = false) => listOrders(deps, { by, id, onlyOpen, limit: 50 }),
    idsOf: (list: ReturnType<typeof listOf>) =>
      list.orders.map((_, index) => orderId(world.options.crypto, hashOf(list), index)),
    async states(id: string) {
      const { lists } = await listOrders(deps, { by, id, onlyOpen: false, limit: 50 })
      return lists.flatMap(({ orders }) => orders.map(({ state }) => state))
    },
    async orders(id: string) {
      const { lists } = await listOrders(deps, { by, id, onlyOpen: false, limit: 50 })
      return lists.flatMap(({ orders }) => orders)
    },
    /** Moves the clock and runs what is due. */
    async after(ms: number) {
      world.clock.ms += ms
      await world.drain()
    },
  }
}
