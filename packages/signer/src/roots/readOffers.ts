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

/** What a pool pays for some of a token. */
export interface Offer {
  atomsIn: bigint
  /** A core token. */
  payIn: Address
  atomsOut: bigint
}

/** At the mark: enough that dust in a strange pool offers little, little enough to move no real one. */
const SIZE_MICRO_USD = 10_000_000n
const V2_FEE_BPS = 30
/** Of pools without hooks, and their tick spacings. */
const FEES = [
  [100, 1],
  [500, 10],
  [3_000, 60],
  [10_000, 200],
] as const
/** What a stranger's token and the ticks of a pool may spend to answer. */
const READ_GAS = 3_000_000

type Asked = { token: Address; atomsIn: bigint; payIn: Address }
type Known = Pick<Pins, 'weth' | 'tokens' | 'exchanges'>

/**
 * What the pools that anybody can find by their factories pay for ten dollars' worth, at the mark, of each
 * marked token: whoever can sell it for much more was told a mark that is too low. Throws when the chain does
 * not answer.
 */
export async function readOffers(
  rpc: Pick<Rpc, 'batch'>,
  pins: Known,
  marks: readonly BindingMark[],
): Promise<Map<Address, Offer[]>> {
  const offers = new Map<Address, Offer[]>(marks.map(({ token }) => [token, []]))
  const core = [...pins.tokens].filter(([, { core, stock }]) => core !== null && !stock)
  const asked: Asked[] = marks.flatMap(({ token, price_e18, decimals }) => {
    const atomsIn = atomsDown(SIZE_MICRO_USD, markPrice(BigInt(price_e18), decimals))
    return atomsIn > 0n ? core.map(([payIn]) => ({ token, atomsIn, payIn })) : []
  })
  const take = ({ token, atomsIn, payIn }: Asked, atomsOut: bigint | null): void => {
    if (atomsOut) offers.get(token)!.push({ atomsIn, payIn, atomsOut })
  }
  const quotes = asked.flatMap((request) => quoteCalls(request, pins).map((call) => ({ request, call })))
  const pairs = asked.flatMap((request) => pairCall(request, pins).map((call) => ({ request, call })))
  const answers = await askAll(
    rpc,
    [...quotes, ...pairs].map(({ call }) => call),
  )
  for (const [i, { request }] of quotes.entries()) take(request, wordIn(answers[i]))

  const found = pairs.flatMap(({ request }, i) => {
    const pair = addressIn(answers[quotes.length + i])
    return pair && pair !== NATIVE ? [{ request, pair }] : []
  })
  const reserves = await askAll(
    rpc,
    found.map(({ pair: to }) => ({ to, data: RESERVES })),
  )
  for (const [i, { request }] of found.entries()) {
    const [zero, one] = wordsIn(reserves[i], 3) ?? []
    if (!zero || !one) continue
    const [reserveIn, reserveOut] = request.token < request.payIn ? [zero, one] : [one, zero]
    take(request, v2AmountOut(request.atomsIn, reserveIn, reserveOut, V2_FEE_BPS))
  }
  return offers
}

const RESERVES = encodeFunctionData({ abi: v2PairAbi, functionName: 'getReserves' })

const askAll = (rpc: Pick<Rpc, 'batch'>, calls: readonly ContractCall[]): Promise<(Hex | undefined)[]> =>
  readAll(
    rpc,
    calls.map((call) => askCall(call, { gas: READ_GAS })),
    PAGED,
  )

function pairCall({ token, payIn }: Asked, { exchanges: { v2Factory } }: Known): ContractCall[] {
  if (v2Factory === null || payIn === NATIVE) return []
  const args = [token, payIn] as const
  return [{ to: v2Factory, data: encodeFunctionData({ abi: v2FactoryAbi, functionName: 'getPair', args }) }]
}

/** Pools of version 3 hold WETH, those of version 4 ETH itself. */
function quoteCalls(request: Asked, { weth, exchanges: { v3Quoter, v4Quoter } }: Known): ContractCall[] {
  const inV3 = v3Quoter !== null && request.payIn !== NATIVE
  const inV4 = v4Quoter !== null && request.payIn !== weth && request.atomsIn < 1n << 127n
  return FEES.flatMap((tier) => [
    ...(inV3 ? [{ to: v3Quoter, data: v3Quote(request, tier) }] : []),
    ...(inV4 ? [{ to: v4Quoter, data: v4Quote(request, tier) }] : []),
  ])
}

function v3Quote({ token, atomsIn, payIn }: Asked, [fee]: (typeof FEES)[number]): Hex {
  const single = { tokenIn: token, tokenOut: payIn, amountIn: atomsIn, fee, sqrtPriceLimitX96: 0n }
  return encodeFunctionData({ abi: v3QuoterAbi, functionName: 'quoteExactInputSingle', args: [single] })
}

function v4Quote({ token, atomsIn, payIn }: Asked, [fee, tickSpacing]: (typeof FEES)[number]): Hex {
  const zeroForOne = token < payIn
  const [currency0, currency1] = zeroForOne ? [token, payIn] : [payIn, token]
  const poolKey = { currency0, currency1, fee, tickSpacing, hooks: NATIVE }
  const single = { poolKey, zeroForOne, exactAmount: atomsIn, hookData: '0x' } as const
  return encodeFunctionData({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', args: [single] })
}
