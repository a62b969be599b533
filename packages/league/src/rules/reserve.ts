import { atomsDown, LEAGUE, markPrice, maxOf, microUsdDown, minOf, splitDown } from '@pit/protocol'
import { RULES } from './numbers.ts'

/** Inputs of a season's ledger; amounts in atoms of the platform-linked token. */
export interface LedgerInput {
  reserveBefore: bigint
  /** The gain of the platform's stake over the season. */
  gain: bigint
  /** USD per whole token, times 10^18, at the season's end. */
  partnerPriceE18: bigint
  /** Number of prize places won, from the first; 0 if the season does not pay. */
  placesWon: number
}

export interface Ledger {
  reserveBefore: bigint
  gain: bigint
  halfGain: bigint
  added: bigint
  keptStaked: bigint
  cap: bigint
  ceiling: bigint
  reserve: bigint
  budget: bigint
  shares: bigint[]
  paid: bigint[]
  paidTotal: bigint
  reserveAfter: bigint
}

/** The cap in tokens, rounded down. */
export const capAtoms = (partnerPriceE18: bigint): bigint =>
  atomsDown(microUsdDown(RULES.prizeCapUsd), markPrice(partnerPriceE18, LEAGUE.tokenDecimals))

/** Splits a budget by place, to the atom: each share is rounded down and the remainder goes to the first. */
export function splitBudget(budget: bigint): bigint[] {
  const { shares, left } = splitDown(
    budget,
    LEAGUE.splitPct.map((pct) => pct * 100),
  )
  shares[0]! += left
  return shares
}

/**
 * One season of the reserve: half of the gain is added, up to three caps; the rest stays staked. A third of
 * the reserve, at most the cap, is the budget. A place without a winner is not paid: its share stays in the
 * reserve.
 */
export function countLedger({ reserveBefore, gain, partnerPriceE18, placesWon }: LedgerInput): Ledger {
  const earned = maxOf(0n, gain)
  const { reserveAddedFraction, budgetFraction } = LEAGUE
  const halfGain = (earned * BigInt(reserveAddedFraction.of)) / BigInt(reserveAddedFraction.in)
  const cap = capAtoms(partnerPriceE18)
  const ceiling = cap * BigInt(LEAGUE.reserveCeilingCaps)
  // A reserve that a falling price put above the ceiling keeps what it has.
  const added = minOf(halfGain, maxOf(0n, ceiling - reserveBefore))
  const reserve = reserveBefore + added
  const third = (reserve * BigInt(budgetFraction.of)) / BigInt(budgetFraction.in)
  const budget = minOf(third, cap)
  const shares = splitBudget(budget)
  const paid = shares.slice(0, placesWon)
  const paidTotal = paid.reduce((sum, share) => sum + share, 0n)
  return {
    reserveBefore,
    gain,
    halfGain,
    added,
    keptStaked: earned - added,
    cap,
    ceiling,
    reserve,
    budget,
    shares,
    paid,
    paidTotal,
    reserveAfter: reserve - paidTotal,
  }
}
