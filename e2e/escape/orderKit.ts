import {
  type Execution,
  type Hex,
  NATIVE,
  type Order,
  type OrderList,
  orderDigest,
  orderId,
  orderListHash,
  serializeSignature,
  toWireOrders,
} from '@pit/chain'
import { encodeSwap } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import { deadline } from './honest.ts'
import { type Intent, leafIntent } from './intent.ts'
import type { Granted, World } from './world.ts'

/** Orders, lists and trades under them, as an owner and an honest server would make them. */

export const NO_TRIGGER: Order['trigger'] = { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 }
export const USD = 1_000_000
const BPS = 10_000n
const FEE_BPS = 25
const POOL = { version: 'v3', feePips: 500 } as const

export const nowS = (): number => Math.floor(Date.now() / 1000)
export const wordOf = ({ random }: Pick<World, 'random'>): Hex => `0x${random.bytes(32).toString('hex')}`

/** A sale of ETH for USDG, or a purchase of ETH with USDG, of this many micro-dollars. */
export interface Swap {
  side: 'sell' | 'buy'
  microUsd: number
  /** The input itself, instead of its worth. */
  amountIn?: bigint
  /** The minimum's distance below the worth of the input, fee included. */
  lossBps?: number
}

export const pairOf = ({ at }: World, side: Swap['side']) =>
  side === 'sell'
    ? ({ tokenIn: NATIVE, tokenOut: at.symbol('USDG') } as const)
    : ({ tokenIn: at.symbol('USDG'), tokenOut: NATIVE } as const)

export function amountsOf(world: World, { side, microUsd, amountIn, lossBps = 150 }: Swap) {
  const [wei, usdg] = [world.weiOf(microUsd), BigInt(microUsd)]
  const [paid, worth] = side === 'sell' ? [wei, usdg] : [usdg, wei]
  return { amountIn: amountIn ?? paid, minimum: (worth * (BPS - BigInt(lossBps))) / BPS }
}

export function swapCall(world: World, swap: Swap): Execution {
  const { at } = world
  const { tokenIn, tokenOut } = pairOf(world, swap.side)
  const { amountIn, minimum } = amountsOf(world, swap)
  const side = swap.side === 'sell' ? 'input' : 'output'
  const pooled = (token: Hex) => (token === NATIVE ? at.weth : token)
  const { data, valueWei } = encodeSwap({
    tokenIn,
    tokenOut,
    amountIn,
    legs: [
      {
        hops: [{ ...POOL, tokenIn: pooled(tokenIn), tokenOut: pooled(tokenOut) }],
        amountIn: side === 'input' ? amountIn - feeOf(amountIn, FEE_BPS) : amountIn,
      },
    ],
    amountOutMin: minimum,
    direct: side === 'input',
    fee: { bps: FEE_BPS, side, recipient: at.feeRecipient },
    deadlineS: deadline(),
    weth: at.weth,
  })
  return { target: at.router, valueWei, data }
}

/** An order for such a trade: at once, for an hour, at most 3% slippage. */
export function orderFor(world: World, swap: Swap, change: Partial<Order> = {}): Order {
  return {
    ...pairOf(world, swap.side),
    amountIn: amountsOf(world, swap).amountIn,
    minAmountOut: 0n,
    maxSlippageBps: 300,
    trigger: NO_TRIGGER,
    slices: 1,
    everyS: 0,
    startsAt: 0,
    expiresAt: nowS() + 3_000,
    group: 0,
    parent: 0,
    ...change,
  }
}

export const listFor = (
  world: World,
  { rootHash }: Pick<Granted, 'rootHash'>,
  orders: readonly Order[],
  change: Partial<OrderList> = {},
): OrderList => ({ session: rootHash, nonce: wordOf(world), replaces: [], orders, ...change })

export const signList = (
  { crypto, place }: World,
  list: OrderList,
  key: Hex,
  on: { chainId: number; manager: Hex } = place,
): Hex => serializeSignature(crypto.sign(orderDigest(crypto, on, list), key))

export const idsOf = ({ crypto }: World, list: OrderList): Hex[] => {
  const hash = orderListHash(crypto, list)
  return list.orders.map((_, i) => orderId(crypto, hash, i))
}

/** Registers a list that the session's wallet signed; returns the ids of its orders. */
export async function place(world: World, session: Granted, list: OrderList): Promise<Hex[]> {
  const { ids } = await world.signer.client.registerOrders({
    root_hash: session.rootHash,
    list: toWireOrders(list),
    signature: signList(world, list, session.walletKey),
    challenge: wordOf(world),
  })
  return ids
}
export const placeOne = async (
  world: World,
  session: Granted,
  swap: Swap,
  change: Partial<Order> = {},
): Promise<Hex> => (await place(world, session, listFor(world, session, [orderFor(world, swap, change)])))[0]!

export interface Use {
  id: Hex
  part?: number
  rounds?: readonly (bigint | string)[]
}

const useOf = ({ id, part = 1, rounds = [] }: Use) => ({ order: { id, part, rounds: rounds.map(String) } })

/** A trade in a session, under an order unless it has none. */
export const tradeIntent = (
  world: World,
  kind: string,
  { session, swap, use, more }: { session: Granted; swap: Swap; use?: Use; more?: object },
): Intent =>
  leafIntent(
    kind,
    { rootHash: session.rootHash, execution: swapCall(world, swap) },
    { ...(use && useOf(use)), ...more },
  )

/** Co-signs such a trade; throws if it is refused. */
export async function cosign(world: World, session: Granted, swap: Swap, use?: Use, more: object = {}) {
  const execution = swapCall(world, swap)
  const cosigned = await world.signer.client.cosign({
    root_hash: session.rootHash,
    execution,
    ...(use && useOf(use)),
    ...more,
  })
  return { ...cosigned, execution }
}

/** A list for registration, with any signature. */
export const listIntent = (
  world: World,
  kind: string,
  { session, wire, signature }: { session: Granted; wire: object; signature: Hex },
): Intent => ({
  kind,
  path: '/orders',
  body: { root_hash: session.rootHash, list: wire, signature, challenge: wordOf(world) },
})
