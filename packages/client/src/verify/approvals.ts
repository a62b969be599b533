import type { Address, PermitSingle } from '@pit/chain'
import { TRADE, worthUp } from '@pit/protocol'
import { must } from '../errors.ts'
import { cheaper, dearer, type OwnPrice, type OwnPrices, SIZE_BAND_BPS } from '../own/ownPrice.ts'
import type { Pins } from '../pins.ts'
import type { Terms } from './terms.ts'

/** Clocks differ, and a permit is signed a moment after it was planned. */
const CLOCK_SLACK_S = 600
const UNLIMITED = (1n << 160n) - 1n
/** Approvals go to Permit2 (or a curve), Permit2's allowances to the router; unlimited only when allowed. */
export function checkApprovals({ request, pins, reading, tokenIn, nowS }: Terms): void {
  for (const { token, spender, amount, expiresS } of reading.approvals) {
    must(token === tokenIn, 'RECIPIENT', 'an approval is of another token', { token })
    const expected = expiresS !== null ? pins.router : (reading.curve?.id ?? pins.permit2)
    must(spender === expected, 'RECIPIENT', 'an approval is for another spender', { spender })
    if (expiresS !== null) {
      const isInTime = expiresS > nowS && expiresS <= nowS + lastsS(request)
      must(isInTime, 'RECIPIENT', 'an allowance ends at another time than its scope')
    }
    const isLasting = expiresS === null || request.permit_scope === '30d'
    checkAmount({ request, amount, amountIn: reading.taken, isLasting })
  }
  if (reading.permit)
    checkPermit({ request, pins, tokenIn, nowS, amountIn: reading.amountIn, permit: reading.permit.permit })
}

/** A permit is for the router, of the token sold, for this trade or a budget, and for no longer than its scope. */
export function checkPermit({
  request,
  pins,
  tokenIn,
  nowS,
  amountIn,
  permit,
}: {
  request: Terms['request']
  pins: Pins
  tokenIn: Address
  nowS: number
  amountIn: bigint
  permit: PermitSingle
}): void {
  const { details, spender, sigDeadline } = permit
  must(details.token === tokenIn, 'RECIPIENT', 'the permit is of another token')
  must(spender === pins.router, 'RECIPIENT', 'the permit is for another spender')
  const { expiration } = details
  const isInTime = Number.isInteger(expiration) && expiration > nowS && expiration <= nowS + lastsS(request)
  must(isInTime, 'RECIPIENT', 'the permit lasts longer than its scope')
  // The approval is used up in the same transaction or not at all.
  const usableUntilS = BigInt(nowS + TRADE.permitTradeExpiryS + CLOCK_SLACK_S)
  const isUsable = sigDeadline > BigInt(nowS) && sigDeadline <= usableUntilS
  must(isUsable, 'RECIPIENT', 'the permit can be used for too long')
  const isLasting = request.permit_scope === '30d'
  checkAmount({ request, amount: details.amount, amountIn, isLasting })
}

const lastsS = ({ permit_scope }: Terms['request']): number =>
  (permit_scope === '30d' ? TRADE.permit30dExpiryS : TRADE.permitTradeExpiryS) + CLOCK_SLACK_S

/** `exact`, and a permit for one trade, is the trade; a budget is judged by the dollars, in `checkBudget`. */
function checkAmount({
  request,
  amount,
  amountIn,
  isLasting,
}: {
  request: Terms['request']
  amount: bigint
  amountIn: bigint
  isLasting: boolean
}): void {
  if (amount === 0n) return
  if (isUnlimited(request) && isLasting) return
  must(amount < UNLIMITED, 'RECIPIENT', 'an approval is unlimited, which was not requested')
  if (request.approval_mode === 'exact' || !isLasting)
    must(amount === amountIn, 'RECIPIENT', 'an approval is not for exactly this trade')
}

const isUnlimited = ({ approval_mode, allow_unlimited_approval = false }: Terms['request']): boolean =>
  approval_mode === 'unlimited' && allow_unlimited_approval

/** The approval budget: the requested one, or this trade's value if that is higher. */
export function checkBudget(
  { request, reading }: Pick<Terms, 'request' | 'reading'>,
  price: OwnPrice | null,
): void {
  const amounts = reading.approvals.map(({ amount }) => amount)
  if (reading.permit) amounts.push(reading.permit.permit.details.amount)
  for (const amount of amounts) mustBeInBudget(request, amount, reading.amountIn, price)
}

/** Without a price of the client's own no dollar budget bounds an approval: it may cover the trade alone. */
export function mustBeInBudget(
  request: Terms['request'],
  amount: bigint,
  amountIn: bigint,
  price: OwnPrice | null,
): void {
  if (amount <= amountIn || isUnlimited(request)) return
  const unpriced =
    'the client’s node shows no price of the token, so no budget bounds its approval: use exact approvals'
  must(price !== null, 'RECIPIENT', unpriced)
  const isNear = isWorthAtMost(amount, price, request.approval_budget_usd ?? TRADE.defaultApprovalBudgetUsd)
  must(isNear, 'RECIPIENT', 'an approval exceeds its budget')
}

/** The input is worth the requested dollars: no more at the dearer price, no less at the cheaper one. */
export function mustBeWorth(notionalUsd: number, atoms: bigint, prices: OwnPrices | null): void {
  const unpriced =
    'the client’s node shows no price of the input, so it cannot be sized in dollars: give amount_in'
  must(prices !== null, 'PRICE', unpriced, { own_price: null })
  const details = { atoms: atoms.toString() }
  const isEnough = isWorthAtLeast(atoms, cheaper(prices), notionalUsd)
  must(
    isWorthAtMost(atoms, dearer(prices), notionalUsd),
    'PRICE',
    'it spends more than the requested dollars',
    details,
  )
  must(isEnough, 'PRICE', 'it spends less than the requested USD', details)
}

const microUsdOf = (usd: number): bigint => BigInt(Math.round(usd * 1e6))

/**
 * At most so many dollars, within the band of the price.
 * @public
 */
export const isWorthAtMost = (
  atoms: bigint,
  { num, den, bandBps = SIZE_BAND_BPS }: OwnPrice,
  usd: number,
): boolean => worthUp(atoms, { num, den }) * 10_000n <= microUsdOf(usd) * (10_000n + bandBps)

const isWorthAtLeast = (
  atoms: bigint,
  { num, den, bandBps = SIZE_BAND_BPS }: OwnPrice,
  usd: number,
): boolean => worthUp(atoms, { num, den }) * 10_000n >= microUsdOf(usd) * (10_000n - bandBps)
