import type { Address, PermitSingle } from '@pit/chain'
import { TRADE, worthUp } from '@pit/protocol'
import { must } from '../errors.ts'
import type { Pins } from '../pins.ts'
import type { Terms } from './terms.ts'

/** Micro-dollars an atom is worth, and how far the service's price may lie from it. */
export interface OwnPrice {
  num: bigint
  den: bigint
  bandBps?: bigint
}

/** Clocks differ, and a permit is signed a moment after it was planned. */
const CLOCK_SLACK_S = 600
const UNLIMITED = (1n << 160n) - 1n
/** A size in dollars is atoms at a price a moment old. */
export const SIZE_BAND_BPS = 300n
/** Prices out of pools differ more than those of feeds do. */
export const POOL_BAND_BPS = 1_000n

/** Approvals go to Permit2 (or a curve), Permit2's allowances to the router; unlimited only when allowed. */
export function checkApprovals({ ask, pins, reading, tokenIn, nowS }: Terms): void {
  for (const { token, spender, amount, expiresS } of reading.approvals) {
    must(token === tokenIn, 'RECIPIENT', 'an approval is of another token', { token })
    const expected = expiresS !== null ? pins.router : (reading.curve?.id ?? pins.permit2)
    must(spender === expected, 'RECIPIENT', 'an approval is for another spender', { spender })
    if (expiresS !== null) {
      const isInTime = expiresS > nowS && expiresS <= nowS + lastsS(ask)
      must(isInTime, 'RECIPIENT', 'an allowance ends at another time than its scope')
    }
    const isLasting = expiresS === null || ask.permit_scope === '30d'
    checkAmount({ ask, amount, amountIn: reading.taken, isLasting })
  }
  if (reading.permit)
    checkPermit({ ask, pins, tokenIn, nowS, amountIn: reading.amountIn, permit: reading.permit.permit })
}

/** A permit is for the router, of the token sold, for this trade or a budget, and for no longer than its scope. */
export function checkPermit({
  ask,
  pins,
  tokenIn,
  nowS,
  amountIn,
  permit,
}: {
  ask: Terms['ask']
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
  const isInTime = Number.isInteger(expiration) && expiration > nowS && expiration <= nowS + lastsS(ask)
  must(isInTime, 'RECIPIENT', 'the permit lasts longer than its scope')
  // Whatever it allows, it is used at once or not at all.
  const usableUntilS = BigInt(nowS + TRADE.permitTradeExpiryS + CLOCK_SLACK_S)
  const isUsable = sigDeadline > BigInt(nowS) && sigDeadline <= usableUntilS
  must(isUsable, 'RECIPIENT', 'the permit can be used for too long')
  const isLasting = ask.permit_scope === '30d'
  checkAmount({ ask, amount: details.amount, amountIn, isLasting })
}

const lastsS = ({ permit_scope }: Terms['ask']): number =>
  (permit_scope === '30d' ? TRADE.permit30dExpiryS : TRADE.permitTradeExpiryS) + CLOCK_SLACK_S

/** `exact`, and a permit for one trade, is the trade; a budget is judged by the dollars, in `checkBudget`. */
function checkAmount({
  ask,
  amount,
  amountIn,
  isLasting,
}: {
  ask: Terms['ask']
  amount: bigint
  amountIn: bigint
  isLasting: boolean
}): void {
  if (amount === 0n) return
  const mode = ask.approval_mode ?? 'budget'
  if (mode === 'unlimited' && ask.allow_unlimited_approval && isLasting) return
  must(amount < UNLIMITED, 'RECIPIENT', 'an approval is without end, which was not asked for')
  if (mode === 'exact' || !isLasting)
    must(amount === amountIn, 'RECIPIENT', 'an approval is not of this trade alone')
}

/** A budget is worth what was asked for, or this trade where that is more. */
export function checkBudget({ ask, reading }: Pick<Terms, 'ask' | 'reading'>, price: OwnPrice): void {
  const amounts = reading.approvals.map(({ amount }) => amount)
  if (reading.permit) amounts.push(reading.permit.permit.details.amount)
  for (const amount of amounts) mustBeInBudget(ask, amount, reading.amountIn, price)
}

export function mustBeInBudget(ask: Terms['ask'], amount: bigint, amountIn: bigint, price: OwnPrice): void {
  if ((ask.approval_mode ?? 'budget') !== 'budget' || amount <= amountIn) return
  const isNear = isWorth(amount, price, ask.approval_budget_usd ?? TRADE.defaultApprovalBudgetUsd)
  must(isNear, 'RECIPIENT', 'an approval is more than its budget')
}

/** What is spent is worth no more than the dollars asked for. */
export function mustBeWorth(notionalUsd: number, atoms: bigint, price: OwnPrice): void {
  const isNear = isWorth(atoms, price, notionalUsd)
  must(isNear, 'PRICE', 'it spends more than the dollars asked for', { atoms: atoms.toString() })
}

const isWorth = (atoms: bigint, { num, den, bandBps = SIZE_BAND_BPS }: OwnPrice, usd: number): boolean =>
  worthUp(atoms, { num, den }) * 10_000n <= BigInt(Math.round(usd * 1e6)) * (10_000n + bandBps)
