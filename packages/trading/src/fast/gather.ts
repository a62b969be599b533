import { type Address, type Crypto, type Hex, MAX_STEPS_OF_HOP, quoteExactIn } from '@pit/chain'
import { crossMid, type Market } from '@pit/market'
import { type ChainProfile, FEE, fail } from '@pit/protocol'
import { diffsOf, readCall } from './diffs.ts'
import type { Facts, FastFee, Funds, Rebuilt } from './facts.ts'
import { permitSignerOf } from './permit.ts'
import { isFresh, priceTrade } from './prices.ts'
import { venueOf } from './readFunds.ts'
import type { TxReading } from './readTx.ts'
import { type FastParams, rebuild } from './rebuild.ts'
import type { FastAddresses, PinnedRoute, PinnedTable } from './table.ts'

export interface GatherDeps {
  pinned: PinnedTable & { addresses: FastAddresses }
  market: Pick<Market, 'head' | 'index' | 'mark' | 'pool'>
  profile: ChainProfile
  crypto: Crypto
  stockSession(atMs: number): boolean
}

/** A trade is refused if the newest block is older than this. */
const HEAD_MAX_AGE_S = 30

export const routeOf = ({ pinned }: Pick<GatherDeps, 'pinned'>, request: FastParams): PinnedRoute | null =>
  pinned.routes.get(`${request.tokenIn}/${request.tokenOut}`) ?? null

export const feeOfWallet = (
  tierBps: number,
  shield: boolean,
  route: PinnedRoute | null,
  recipient: Address,
): FastFee => ({
  bps: Math.min(tierBps + (shield ? FEE.shieldAddBps : 0), FEE.maxBps),
  class: 'major',
  tier: tierBps,
  shield,
  side: route?.row.fee.side ?? null,
  token: (route?.row.fee.token ?? null) as Address | null,
  recipient,
})

/** Collects everything that is in memory, synchronously, so that all of it is from one moment. */
export function gather(
  deps: GatherDeps,
  {
    request,
    tx,
    wallet,
    nowMs,
    tierBps,
    funds,
  }: {
    request: FastParams
    tx: TxReading
    wallet: Address
    nowMs: number
    tierBps: number
    funds: Funds | null
  },
): Facts {
  const { pinned, market, profile, crypto, stockSession } = deps
  const { addresses } = pinned
  const head = market.head()
  if (head === null || nowMs / 1000 - head.timestampS > HEAD_MAX_AGE_S) {
    fail('RPC_UNAVAILABLE', { message: `No new block for more than ${HEAD_MAX_AGE_S} s.` })
  }
  const route = routeOf(deps, request)
  const fee = feeOfWallet(tierBps, request.shield, route, addresses.feeRecipient)
  const facts: Facts = {
    nowMs,
    request,
    wallet,
    addresses,
    tx,
    route,
    stockParties: [],
    stocksOpen: true,
    marks: null,
    priced: null,
    fee,
    baseFeeWei: head.baseFeeWei,
    maxCostWei: BigInt(profile.limits.fast.max_cost_wei),
    rebuilt: null,
    permitSigner: undefined,
    funds,
    simulation: null,
    poolOut: null,
    mid: null,
  }
  if (!route) return facts
  const venue = venueOf(route, profile.contracts)
  if (venue !== null) facts.stockParties = [wallet, addresses.router, addresses.permit2, venue]
  const marks = { in: market.mark(route.tokenIn.address), out: market.mark(route.tokenOut.address) }
  facts.marks = marks
  if (route.tokenIn.hasHours || route.tokenOut.hasHours) facts.stocksOpen = stockSession(nowMs)
  if (isFresh(marks.in, nowMs) && isFresh(marks.out, nowMs)) {
    facts.priced = priceTrade(route, { in: marks.in, out: marks.out }, request.amountIn, fee)
    facts.poolOut = poolOutOf(market, route, facts.priced.swapIn)
  }
  if (tx.tx) facts.rebuilt = compare(tx.tx.data, route, addresses, request, fee.bps)
  facts.permitSigner = permitSignerOf(crypto, route, addresses, request)
  if (route.midDue) facts.mid = crossMid({ market, profile }, route.tokenIn.address, route.tokenOut.address)
  return facts
}

function compare(
  data: Hex,
  route: PinnedRoute,
  addresses: FastAddresses,
  request: FastParams,
  feeBps: number,
): Rebuilt {
  const built = rebuild(route, addresses, request, feeBps)
  if (built === data) return { matches: true, diffs: [], fees: null }
  const call = readCall(data, addresses)
  return { matches: false, diffs: diffsOf(call, built, route, addresses), fees: call?.fees ?? null }
}

/** The pool's exact output at the head; 0 if it would revert, run dry or cross too many ticks. */
function poolOutOf(market: GatherDeps['market'], route: PinnedRoute, swapIn: bigint): bigint {
  const pool = market.pool(route.poolId)
  if (!pool || pool.version === 'curve') {
    return fail('RPC_UNAVAILABLE', { message: 'Market data is still syncing with the chain.' })
  }
  const result = quoteExactIn(pool, route.zeroForOne, swapIn, MAX_STEPS_OF_HOP)
  return result?.filled ? result.amountOut : 0n
}
