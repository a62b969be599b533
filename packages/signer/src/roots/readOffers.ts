import {
  type Address,
  type Hex,
  NATIVE,
  v2AmountOut,
  v2FactoryAbi,
  v2PairAbi,
  v3QuoterAbi,
  v4QuoterAbi,
} from '@pit/chain'
import { addressIn, askCall, type ContractCall, PAGED, readAll, wordIn, wordsIn } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { atomsDown, type BindingMark, markPrice } from '@pit/protocol'
import { encodeFunctionData } from 'viem'
import type { Pins } from '../pins.ts'

/** A pool's price for an amount of a token. */
export interface Offer {
  atomsIn: bigint
  /** A core token. */
  payIn: Address
  atomsOut: bigint
}

/** Value at the mark: large enough to ignore dust pools, small enough not to move a real one. */
const SIZE_MICRO_USD = 10_000_000n
const V2_FEE_BPS = 30
/** Fee tiers of pools without hooks, and their tick spacings. */
const FEES = [
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
] as const
/** Gas limit for a call that runs an unknown token and a pool's ticks. */
const READ_GAS = 3_000_000

type OfferRequest = { token: Address; atomsIn: bigint; payIn: Address }
type PoolPins = Pick<Pins, 'weth' | 'tokens' | 'exchanges'>

/**
 * Quotes ten dollars, at the mark, of each marked token in the pools that can be found by their factories. If
 * a pool pays much more, the mark is too low. Throws if the chain does not answer.
 */
export async function readOffers(
  rpc: Pick<Rpc, 'batch'>,
  pins: PoolPins,
  marks: readonly BindingMark[],
): Promise<Map<Address, Offer[]>> {
  const offers = new Map<Address, Offer[]>(marks.map(({ token }) => [token, []]))
  const core = [...pins.tokens].filter(([, { core, stock }]) => core !== null && !stock)
  const requests: OfferRequest[] = marks.flatMap(({ token, price_e18, decimals }) => {
    const atomsIn = atomsDown(SIZE_MICRO_USD, markPrice(BigInt(price_e18), decimals))
    return atomsIn > 0n ? core.map(([payIn]) => ({ token, atomsIn, payIn })) : []
  })
  const take = ({ token, atomsIn, payIn }: OfferRequest, atomsOut: bigint | null): void => {
    if (atomsOut) offers.get(token)!.push({ atomsIn, payIn, atomsOut })
  }
  const quotes = requests.flatMap((request) => quoteCalls(request, pins).map((call) => ({ request, call })))
  const pairs = requests.flatMap((request) => pairCall(request, pins).map((call) => ({ request, call })))
  const answers = await callAll(
    rpc,
    [...quotes, ...pairs].map(({ call }) => call),
  )
  for (const [i, { request }] of quotes.entries()) take(request, wordIn(answers[i]))

  const v2Pairs = pairs.flatMap(({ request }, i) => {
    const pair = addressIn(answers[quotes.length + i])
    return pair && pair !== NATIVE ? [{ request, pair }] : []
  })
  const reserves = await callAll(
    rpc,
    v2Pairs.map(({ pair: to }) => ({ to, data: RESERVES })),
  )
  for (const [i, { request }] of v2Pairs.entries()) {
    const [zero, one] = wordsIn(reserves[i], 3) ?? []
    if (!zero || !one) continue
    const [reserveIn, reserveOut] = request.token < request.payIn ? [zero, one] : [one, zero]
    take(request, v2AmountOut(request.atomsIn, reserveIn, reserveOut, V2_FEE_BPS))
  }
  return offers
}

const RESERVES = encodeFunctionData({ abi: v2PairAbi, functionName: 'getReserves' })

const callAll = (rpc: Pick<Rpc, 'batch'>, calls: readonly ContractCall[]): Promise<(Hex | undefined)[]> =>
  readAll(
    rpc,
    calls.map((call) => askCall(call, { gas: READ_GAS })),
    PAGED,
  )

function pairCall({ token, payIn }: OfferRequest, { exchanges: { v2Factory } }: PoolPins): ContractCall[] {
  if (v2Factory === null || payIn === NATIVE) return []
  const args = [token, payIn] as const
  return [{ to: v2Factory, data: encodeFunctionData({ abi: v2FactoryAbi, functionName: 'getPair', args }) }]
}

/** Pools of version 3 hold WETH, those of version 4 ETH itself. */
function quoteCalls(
  request: OfferRequest,
  { weth, exchanges: { v3Quoter, v4Quoter } }: PoolPins,
): ContractCall[] {
  const inV3 = v3Quoter !== null && request.payIn !== NATIVE
  const inV4 = v4Quoter !== null && request.payIn !== weth && request.atomsIn < 1n << 127n
  return FEES.flatMap((tier) => [
    ...(inV3 ? [{ to: v3Quoter, data: v3Quote(request, tier) }] : []),
    ...(inV4 ? [{ to: v4Quoter, data: v4Quote(request, tier) }] : []),
  ])
}

function v3Quote({ token, atomsIn, payIn }: OfferRequest, [fee]: (typeof FEES)[number]): Hex {
  const single = { tokenIn: token, tokenOut: payIn, amountIn: atomsIn, fee, sqrtPriceLimitX96: 0n }
  return encodeFunctionData({ abi: v3QuoterAbi, functionName: 'quoteExactInputSingle', args: [single] })
}

function v4Quote({ token, atomsIn, payIn }: OfferRequest, [fee, tickSpacing]: (typeof FEES)[number]): Hex {
  const zeroForOne = token < payIn
  const [currency0, currency1] = zeroForOne ? [token, payIn] : [payIn, token]
  const poolKey = { currency0, currency1, fee, tickSpacing, hooks: NATIVE }
  const single = { poolKey, zeroForOne, exactAmount: atomsIn, hookData: '0x' } as const
  return encodeFunctionData({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', args: [single] })
}
