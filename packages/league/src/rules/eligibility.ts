import { judgeAll, type Rule } from '@pit/platform/rules'
import { BPS, UNREVIEWABLE_RULES, usdOf } from '@pit/protocol'
import type { Copying } from './copies.ts'
import { RULES } from './numbers.ts'

export type RuleStatus = 'pass' | 'fail' | 'flag' | 'pending'

/** Whether a fact was read from the chain. An unreadable fact is not a failed rule. */
export type ReadStatus = 'read' | 'pending' | 'unreadable'

/** Facts that the rules judge. */
export interface EntryFacts {
  confirmed: boolean
  /** Which address of the entry is on the sanctions list (`wallet`, `owner` …); null if none. */
  sanctioned: string | null
  left: boolean
  /** Whether the registry still names the owner who entered the agent. */
  owner: 'same' | 'changed' | 'gone' | 'unreadable'
  /** Whether the season is over: before that, rules that need its end are pending. */
  ended: boolean
  trades: number
  activeDays: number
  unvalued: number
  /** Transactions with unknown gas cost. */
  unknownGas: number
  outliers: number
  profitMicroUsd: bigint | null
  /** The part of the profit that no independent mark confirms. */
  beyondMarksMicroUsd: bigint
  /** Value that left the wallet before any sample saw it. */
  unseenMicroUsd: bigint
  /** Holdings whose last mark is far from the end's median. */
  divergent: number
  roundTrips: number
  copying: Copying | null
  /** Swaps of the agent's own token, and of other entrants' tokens. */
  ownTokenSwaps: number
  participantSwaps: number
  transfers: ReadStatus
  /** `none`: the trading wallet never received ETH or a core token. */
  funders: ReadStatus | 'none'
}

export interface Judged {
  status: RuleStatus
  reason: string | null
}

const PASS: Judged = { status: 'pass', reason: null }
const fail = (reason: string): Judged => ({ status: 'fail', reason })
const flag = (reason: string): Judged => ({ status: 'flag', reason })
const pending = (reason: string): Judged => ({ status: 'pending', reason })

const judgeReading = (how: ReadStatus, what: string): Judged => {
  if (how === 'read') return PASS
  return how === 'pending' ? pending(`${what} are being read`) : flag(`${what} could not be read`)
}
const several = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`

/** In the order they are shown. ONE_PER_CLUSTER is judged last, among those who pass all of these. */
export const ELIGIBILITY_RULES: readonly (Rule<EntryFacts, Judged> & { name: string })[] = [
  {
    code: 'CONFIRMED',
    name: 'The owner’s signed confirmation is on file',
    check: ({ confirmed }) => (confirmed ? PASS : fail('no signed confirmation of the owner is on file')),
  },
  {
    code: 'SANCTIONS',
    name: 'No address of the entry is on the sanctions list',
    check: ({ sanctioned }) =>
      sanctioned === null ? PASS : fail(`the ${sanctioned.replace('_', ' ')} is on the sanctions list`),
  },
  {
    code: 'OWNER',
    name: 'The registry names the same owner as the entry',
    check: ({ owner }) => {
      if (owner === 'same') return PASS
      if (owner === 'unreadable') return flag('the registry could not be read')
      return owner === 'gone'
        ? fail('the registry has no such agent')
        : flag('the agent has another owner now')
    },
  },
  {
    code: 'STAYED',
    name: 'The entry did not leave during the season',
    check: ({ left }) => (left ? fail('it left') : PASS),
  },
  {
    code: 'MIN_TRADES',
    name: `At least ${RULES.minTrades} trades`,
    check: ({ trades, ended }) => enough(trades, RULES.minTrades, 'trade', ended),
  },
  {
    code: 'ACTIVE_DAYS',
    name: `Trades on at least ${RULES.minActiveDays} days`,
    check: ({ activeDays, ended }) => enough(activeDays, RULES.minActiveDays, 'day', ended),
  },
  {
    code: 'UNVALUED',
    name: 'Every trade and holding could be valued',
    check: ({ unvalued, unknownGas }) => {
      if (unvalued > 0) return flag(`${several(unvalued, 'trade or holding')} could not be valued`)
      return unknownGas > 0 ? flag(`the gas of ${several(unknownGas, 'transaction')} is not known`) : PASS
    },
  },
  {
    code: 'PRICE_OUTLIERS',
    name: 'No trade far from the independent marks',
    check: ({ outliers }) =>
      outliers === 0 ? PASS : flag(`${several(outliers, 'trade')} more than ${RULES.outlierBps} bps away`),
  },
  {
    code: 'BEYOND_MARKS',
    name: 'Most of the profit shows in independent marks',
    check: ({ profitMicroUsd: profit, beyondMarksMicroUsd: beyond }) => {
      // Own money sent through a thin pool of the entrant's token looks like profit.
      if (profit === null || profit <= 0n || beyond <= RULES.beyondMarksNoiseMicroUsd) return PASS
      const isMost = beyond * BigInt(BPS) > profit * BigInt(RULES.beyondMarksShareBps)
      return isMost ? flag(`${usdOf(beyond)} dollars of it are at prices no mark shows`) : PASS
    },
  },
  {
    code: 'BALANCES',
    name: 'The wallet was seen to hold what it bought',
    check: ({ unseenMicroUsd: unseen }) =>
      // The same money used for many purchases leaves the wallet before a sample sees it.
      unseen > RULES.unseenNoiseMicroUsd
        ? flag(`${usdOf(unseen)} dollars of its book left the wallet before a sample saw them`)
        : PASS,
  },
  {
    code: 'END_MARKS',
    name: 'What it holds at the end is priced as on the last day',
    check: ({ divergent }) =>
      divergent === 0
        ? PASS
        : flag(
            `${several(divergent, 'holding')} more than ${RULES.endDivergenceBps} bps from the day’s median`,
          ),
  },
  {
    code: 'WASH',
    name: 'No trading back and forth',
    check: ({ roundTrips, trades }) => {
      const isMost = 2 * roundTrips * BPS >= trades * RULES.roundTripShareBps
      const washed = roundTrips >= RULES.minRoundTrips && isMost
      return washed ? flag(`${several(roundTrips, 'round trip')} within minutes`) : PASS
    },
  },
  {
    code: 'COPY_TRADING',
    name: 'Does not repeat another entrant’s trades',
    check: ({ copying, ended }) => {
      if (!ended) return pending('determined at the season’s end')
      return copying ? flag(`${copying.followed} trades right after entry ${copying.leaderId}’s`) : PASS
    },
  },
  {
    code: 'PARTICIPANT_TOKEN',
    name: 'Does not trade entrants’ own tokens',
    check: ({ ownTokenSwaps, participantSwaps }) => {
      if (ownTokenSwaps > 0) return fail(`${several(ownTokenSwaps, 'trade')} of its own agent’s token`)
      return participantSwaps > 0
        ? flag(`${several(participantSwaps, 'trade')} of other entrants’ tokens`)
        : PASS
    },
  },
  {
    code: 'TRANSFERS',
    name: 'Transfers of the agent’s token were read',
    check: ({ transfers }) => judgeReading(transfers, 'transfers of the agent’s token'),
  },
  {
    code: 'FUNDER',
    name: 'Who first funded the entry’s addresses was read',
    check: ({ funders, ended }) => {
      if (funders !== 'none') return judgeReading(funders, 'the first funders')
      const reason = 'the trading wallet has no known funder'
      return ended ? flag(reason) : pending(reason)
    },
  },
]

/** A minimum not reached yet is pending until the season ends. */
function enough(count: number, min: number, what: string, ended: boolean): Judged {
  if (count >= min) return PASS
  const reason = `${several(count, what)} of ${min}`
  return ended ? fail(reason) : pending(reason)
}

export const ONE_PER_CLUSTER = 'ONE_PER_CLUSTER'
export const RULE_NAMES: readonly string[] = [...ELIGIBILITY_RULES.map(({ code }) => code), ONE_PER_CLUSTER]

export const isReviewable = (rule: string): boolean =>
  RULE_NAMES.includes(rule) && !(UNREVIEWABLE_RULES as readonly string[]).includes(rule)

/** An operator's review of a rule. */
export interface Review {
  rule: string
  status: 'pass' | 'fail'
  reason: string
}

export interface RuleResult {
  rule: string
  name: string
  status: RuleStatus
  reason: string | null
  reviewed: boolean
}

/** Every rule in order; a review replaces the rule's own result, if the rule is reviewable. */
export function judgeEntry(facts: EntryFacts, reviews: readonly Review[]): RuleResult[] {
  return judgeAll(ELIGIBILITY_RULES, facts, ({ code: rule, name }, own) =>
    reviewed({ rule, name }, own, reviews),
  )
}

/** Most rules of most entries pass, so passed results are shared objects. */
const PASSED = new Map<string, RuleResult>()
function passed(rule: string, name: string): RuleResult {
  const existing = PASSED.get(rule)
  if (existing) return existing
  const made = Object.freeze({ rule, name, status: 'pass', reason: null, reviewed: false } as const)
  PASSED.set(rule, made)
  return made
}

export function reviewed(
  { rule, name }: { rule: string; name: string },
  own: Judged,
  reviews: readonly Review[],
): RuleResult {
  if (own.status === 'pass' && reviews.length === 0) return passed(rule, name)
  const review = isReviewable(rule) ? reviews.findLast((each) => each.rule === rule) : undefined
  const { status, reason } = review ?? own
  return { rule, name, status, reason, reviewed: review !== undefined }
}

/** The worst status: fail, then flag, then pending. */
export function worstOf(results: readonly RuleResult[]): RuleStatus {
  for (const status of ['fail', 'flag', 'pending'] as const) {
    if (results.some((result) => result.status === status)) return status
  }
  return 'pass'
}
