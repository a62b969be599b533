import {
  ACTION_BYTE,
  type Address,
  COMMAND_BYTE,
  erc20Abi,
  type Hex,
  type HopPath,
  launchpadOf,
  MSG_SENDER,
  NATIVE,
  OPEN_DELTA,
  permit2Abi,
  type RouterLayout,
  universalRouterAbi,
} from '@pit/chain'
import { bpsNearest } from '@pit/protocol'
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbiParameters,
  toHex,
} from 'viem'
import type { Pins } from '../pins.ts'
import type { PlanReading } from '../verify/readPlan.ts'
import { askVenue } from './quotes.ts'
import type { RpcCall } from './rpc.ts'
import { balanceCall, balanceIn, type LaterCalls, type SimulatedCall } from './trial.ts'
import { reverseHop, type Venue } from './venues.ts'

/** Whether the bought token could be sold again right after the purchase. */
export type Sale =
  | { ok: true /** Under what the pools quoted for the amount. */; lostBps: number }
  | { ok: false; why: string }

export interface AskedSale extends LaterCalls {
  read(results: readonly SimulatedCall[]): Sale
}

const MAX_UINT160 = (1n << 160n) - 1n
const MAX_UINT48 = 2 ** 48 - 1
/** Not all of it: a balance may round, or shrink a little from block to block. */
const SOLD_TENTHS = 9n

/**
 * The sale of most of what a plan buys, through the same pools or the same curve. The client encodes it
 * itself: it simulates the calls and never signs them.
 */
export function askSale(
  pins: Pins,
  { wallet, tokenOut, bought }: { wallet: Address; tokenOut: Address; bought: bigint },
  reading: Pick<PlanReading, 'legs' | 'curve' | 'tokenIn'>,
): AskedSale {
  const parts = partsOf(reading, (bought * SOLD_TENTHS) / 10n || 1n)
  const payers = [...new Set(parts.map(({ venue }) => venue.payer))]
  const balances = payers.map((token) => balanceCall({ holder: wallet, token }, pins.multicall3))
  const quotes = parts.map((part) => askVenue(pins, { ...part, side: 'sell' }))
  const own = (to: Address, data: Hex) => ({ from: wallet, to, data })
  const spender = reading.curve?.id ?? pins.permit2
  const approvals = [
    own(
      tokenOut,
      encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, MAX_UINT160] }),
    ),
    ...(reading.curve ? [] : [own(pins.permit2, allowRouter(pins, tokenOut))]),
  ]
  const sales = parts.map(({ venue, amount }) =>
    venue.kind === 'curve'
      ? own(venue.curve.id, sellOnCurve(venue, amount, wallet))
      : own(pins.router, sellInPool(pins.layout, reverseHop(venue.hop), amount)),
  )
  const quoteCalls = quotes.flatMap(({ calls }) => calls.map(plainCall))
  const calls = [...balances, ...quoteCalls, ...approvals, ...sales, ...balances]
  return {
    wallet,
    calls,
    read(results) {
      if (results.length < calls.length) return { ok: false, why: 'the node did not simulate it' }
      const left = [...results]
      const before = left.splice(0, balances.length)
      const quoted = quotes.map(({ calls, read }) => readQuote(left.splice(0, calls.length), read))
      // The purchase took the curve's last tokens: they trade in the launchpad's pool from then on.
      if (reading.curve && quoted[0] === 0n) return { ok: true, lostBps: 0 }
      const sent = left.splice(0, approvals.length + sales.length)
      const failed = sent.slice(approvals.length).find(({ status }) => status !== '0x1')
      if (failed) return { ok: false, why: failed.error?.message ?? 'it reverts' }
      const gasWei = sent.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed), 0n)
      const losses = payers.map((token, i) => {
        const at = { holder: wallet, token }
        const change = balanceIn(at, left[i]!.returnData) - balanceIn(at, before[i]!.returnData)
        const proceeds = token === NATIVE ? change + gasWei : change
        const expected = parts.reduce(
          (sum, { venue }, k) => sum + (venue.payer === token ? quoted[k]! : 0n),
          0n,
        )
        return proceeds >= expected ? 0 : Number(bpsNearest(expected - proceeds, expected))
      })
      return { ok: true, lostBps: Math.max(...losses) }
    },
  }
}

interface Part {
  venue: Venue
  amount: bigint
}

/** The last pool of each leg takes its share of the token back. */
function partsOf(
  { legs, curve, tokenIn }: Pick<PlanReading, 'legs' | 'curve' | 'tokenIn'>,
  amount: bigint,
): Part[] {
  if (curve) return [{ venue: { kind: 'curve', payer: tokenIn, curve }, amount }]
  const whole = legs.reduce((sum, leg) => sum + leg.amountIn, 0n)
  return legs.map(({ hops, amountIn }) => {
    const hop = hops.at(-1)!
    return { venue: { kind: 'pool', payer: hop.tokenIn, hop }, amount: (amount * amountIn) / whole || 1n }
  })
}

function readQuote(results: readonly SimulatedCall[], read: (answers: readonly Hex[]) => bigint): bigint {
  if (results.some(({ status, returnData }) => status !== '0x1' || returnData === '0x')) return 0n
  try {
    return read(results.map(({ returnData }) => returnData))
  } catch {
    return 0n
  }
}

const plainCall = ({ params }: RpcCall) => params[0] as { to: Address; data: Hex }

const allowRouter = ({ router }: Pins, token: Address): Hex =>
  encodeFunctionData({
    abi: permit2Abi,
    functionName: 'approve',
    args: [token, router, MAX_UINT160, MAX_UINT48],
  })

/** `sell(amount, 0, wallet)`, with a deadline if the launchpad's curves take one. */
function sellOnCurve({ curve }: Extract<Venue, { kind: 'curve' }>, amount: bigint, wallet: Address): Hex {
  const { methods, hasDeadline } = launchpadOf(curve.launchpad)
  const words = encodeAbiParameters(parseAbiParameters('uint256, uint256, address'), [amount, 0n, wallet])
  const deadline = hasDeadline ? [toHex(MAX_UINT48, { size: 32 })] : []
  return concat([methods.sell.selector, words, ...deadline])
}

function sellInPool(layout: RouterLayout, hop: HopPath, amount: bigint): Hex {
  const [command, input] = commandOf(layout, hop, amount)
  return encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: [`0x${COMMAND_BYTE[command]}`, [input], BigInt(MAX_UINT48)],
  })
}

/** From router 2.1.1 on every swap takes a list of price floors, which stays empty. */
function commandOf(layout: RouterLayout, hop: HopPath, amount: bigint): [keyof typeof COMMAND_BYTE, Hex] {
  const isOld = layout === '2.1.0'
  if (hop.version === 'v4') return ['V4_SWAP', encodeV4(layout, hop, amount)]
  const isV3 = hop.version === 'v3'
  const path = isV3
    ? encodePacked(['address', 'uint24', 'address'], [hop.tokenIn, hop.feePips, hop.tokenOut])
    : [hop.tokenIn, hop.tokenOut]
  const types = `address, uint256, uint256, ${isV3 ? 'bytes' : 'address[]'}, bool${isOld ? '' : ', uint256[]'}`
  const values = [MSG_SENDER, amount, 0n, path, true, ...(isOld ? [] : [[]])]
  const input = encodeAbiParameters(parseAbiParameters(types), values as never)
  return [isV3 ? 'V3_SWAP_EXACT_IN' : 'V2_SWAP_EXACT_IN', input]
}

const POOL_KEY = '(address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key'

function encodeV4(layout: RouterLayout, hop: Extract<HopPath, { version: 'v4' }>, amount: bigint): Hex {
  const floor = layout === '2.1.0' ? '' : 'uint256 floor, '
  const swap = encodeAbiParameters(
    parseAbiParameters(
      `(${POOL_KEY}, bool zeroForOne, uint128 amountIn, uint128 amountOutMin, ${floor}bytes hookData) swap`,
    ),
    [
      {
        key: hop.key,
        zeroForOne: hop.key.currency0 === hop.tokenIn,
        amountIn: OPEN_DELTA,
        amountOutMin: 0n,
        floor: 0n,
        hookData: '0x',
      },
    ] as never,
  )
  const settle = encodeAbiParameters(parseAbiParameters('address, uint256, bool'), [
    hop.tokenIn,
    amount,
    true,
  ])
  const take = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [
    hop.tokenOut,
    MSG_SENDER,
    OPEN_DELTA,
  ])
  const actions: Hex = `0x${ACTION_BYTE.SETTLE}${ACTION_BYTE.SWAP_EXACT_IN_SINGLE}${ACTION_BYTE.TAKE}`
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [actions, [settle, swap, take]])
}
