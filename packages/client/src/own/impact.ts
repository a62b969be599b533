import {
  type Address,
  type Hex,
  type HopPath,
  type LegPath,
  v2AmountOut,
  v2PairAbi,
  v3QuoterAbi,
  v4QuoterAbi,
} from '@pit/chain'
import { bpsDown, type FastPool } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData, encodePacked, getCreate2Address, keccak256 } from 'viem'
import type { Pins } from '../pins.ts'
import type { PlanReading } from '../verify/readPlan.ts'
import { quoteCurve } from './curves.ts'
import type { StateReader } from './reading.ts'
import { ethCall, type RpcCall } from './rpc.ts'

const SMALL_SHARE = 1_000n

const V2_FEE_BPS = 30

export interface QuoteCall {
  call: RpcCall
  read(data: Hex): bigint
}

/** A pinned pool's current output for an amount; null if it quotes none. */
export async function quotePool(
  node: StateReader,
  pins: Pins,
  pool: FastPool,
  amount: bigint,
  signal?: AbortSignal,
): Promise<bigint | null> {
  const ends = { tokenIn: pool.token_in as Address, tokenOut: pool.token_out as Address }
  const hop: HopPath =
    pool.version === 'v3'
      ? { version: 'v3', ...ends, feePips: pool.fee }
      : {
          version: 'v4',
          ...ends,
          key: {
            currency0: pool.currency0 as Address,
            currency1: pool.currency1 as Address,
            fee: pool.fee,
            tickSpacing: pool.tick_spacing,
            hooks: pool.hooks as Address,
          },
        }
  const outs = await quoteAll(node, [askHop(pins, hop, amount)], signal)
  return outs && outs[0]!
}

export interface RouteReading {
  /** Output of the planned pools now, before the service's fee and a token's own tax. */
  out: bigint
  /** How far the trade's price lies under that of a thousandth of it. */
  impactBps: number
}

/** Quotes the planned route on the client's own node; null if one of its pools quotes nothing. */
export async function readRoute(
  node: StateReader,
  pins: Pins,
  { legs, curve, tokenOut, taken }: PlanReading,
  signal?: AbortSignal,
): Promise<RouteReading | null> {
  const sizes = (amount: bigint) => [amount, smallShare(amount)] as const
  if (curve) {
    const isBuy = !pins.tokens.has(tokenOut)
    const [whole, small] = sizes(taken)
    const side = isBuy ? 'buy' : 'sell'
    const outs = await quoteCurve(node, curve, { side, amounts: [whole, small] }, signal)
    return outs && { out: outs[0]!, impactBps: impactOf(outs[0]!, whole, outs[1]!, small) }
  }
  const walks = legs.flatMap((leg) => sizes(leg.amountIn).map((amount) => ({ leg, amount })))
  const outs = await walkAll(node, pins, walks, signal)
  if (!outs) return null
  const impacts = legs.map((leg, i) => {
    const [whole, small] = sizes(leg.amountIn)
    return impactOf(outs[2 * i]!, whole, outs[2 * i + 1]!, small)
  })
  const out = legs.reduce((sum, _, i) => sum + outs[2 * i]!, 0n)
  return { out, impactBps: Math.max(...impacts, 0) }
}

/** Small enough to move no price. */
export const smallShare = (amount: bigint): bigint => (amount >= SMALL_SHARE ? amount / SMALL_SHARE : 1n)

const impactOf = (out: bigint, paid: bigint, smallOut: bigint, smallPaid: bigint): number =>
  smallOut === 0n ? 0 : 10_000 - Number(bpsDown(out * smallPaid, smallOut * paid))

async function walkAll(
  node: StateReader,
  pins: Pins,
  walks: readonly { leg: LegPath; amount: bigint }[],
  signal?: AbortSignal,
): Promise<bigint[] | null> {
  const amounts = walks.map(({ amount }) => amount)
  const maxHops = Math.max(...walks.map(({ leg }) => leg.hops.length))
  for (let at = 0; at < maxHops; at++) {
    const open = walks.flatMap(({ leg }, i) => {
      const hop = leg.hops[at]
      return hop ? [{ i, hop }] : []
    })
    const quotes = open.map(({ i, hop }) => askHop(pins, hop, amounts[i]!))
    const outs = await quoteAll(node, quotes, signal)
    if (!outs) return null
    for (const [k, { i }] of open.entries()) amounts[i] = outs[k]!
  }
  return amounts
}

async function quoteAll(
  node: StateReader,
  quotes: readonly QuoteCall[],
  signal?: AbortSignal,
): Promise<bigint[] | null> {
  const reading = await node.read(
    quotes.map(({ call }) => call),
    signal,
  )
  const answers = quotes.map(({ call }) => reading.returned(call))
  if (answers.includes(null)) return null
  return quotes.map(({ read }, i) => read(answers[i]!))
}

export function askHop(pins: Pins, hop: HopPath, amount: bigint): QuoteCall {
  const { contracts } = pins.profile
  if (hop.version === 'v2') return askPair(pins, hop, amount)
  if (hop.version === 'v3') {
    const params = {
      tokenIn: hop.tokenIn,
      tokenOut: hop.tokenOut,
      amountIn: amount,
      fee: hop.feePips,
      sqrtPriceLimitX96: 0n,
    }
    const data = encodeFunctionData({
      abi: v3QuoterAbi,
      functionName: 'quoteExactInputSingle',
      args: [params],
    })
    return {
      call: ethCall(contracts.v3_quoter as Address, data),
      read: (answer) =>
        decodeFunctionResult({ abi: v3QuoterAbi, functionName: 'quoteExactInputSingle', data: answer })[0],
    }
  }
  const params = {
    poolKey: hop.key,
    zeroForOne: hop.tokenIn === hop.key.currency0,
    exactAmount: amount,
    hookData: '0x' as Hex,
  }
  const data = encodeFunctionData({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', args: [params] })
  return {
    call: ethCall(contracts.v4_quoter as Address, data),
    read: (answer) =>
      decodeFunctionResult({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', data: answer })[0],
  }
}

function askPair(pins: Pins, { tokenIn, tokenOut }: HopPath, amount: bigint): QuoteCall {
  const { v2_factory, v2_pair_init_code_hash } = pins.profile.contracts
  const [first, second] = tokenIn < tokenOut ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const pair = getCreate2Address({
    from: v2_factory as Address,
    salt: keccak256(encodePacked(['address', 'address'], [first, second])),
    bytecodeHash: v2_pair_init_code_hash as Hex,
  })
  return {
    call: ethCall(pair, encodeFunctionData({ abi: v2PairAbi, functionName: 'getReserves' })),
    read(answer) {
      const [reserve0, reserve1] = decodeFunctionResult({
        abi: v2PairAbi,
        functionName: 'getReserves',
        data: answer,
      })
      const [reserveIn, reserveOut] = tokenIn === first ? [reserve0, reserve1] : [reserve1, reserve0]
      return v2AmountOut(amount, reserveIn, reserveOut, V2_FEE_BPS)
    },
  }
}
