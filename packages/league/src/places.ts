import { LEAGUE } from '@pit/protocol'
import {
  ONE_PER_CLUSTER,
  type Review,
  type RuleResult,
  type RuleStatus,
  reviewed,
  worstOf,
} from './rules/eligibility.ts'

/** What ranks an entrant. */
export interface Ranked {
  entryId: number
  profitMicroUsd: bigint | null
  capitalMicroUsd: bigint
  left: boolean
}

/** Highest profit first; the same profit on less capital, then the earlier entry. Those who left and those without a value come last. */
export function rankEntries<T extends Ranked>(rows: readonly T[]): T[] {
  const group = ({ profitMicroUsd, left }: Ranked) => (profitMicroUsd === null ? 2 : left ? 1 : 0)
  return [...rows].sort((a, b) => {
    if (group(a) !== group(b)) return group(a) - group(b)
    return (
      bigOrder(b.profitMicroUsd ?? 0n, a.profitMicroUsd ?? 0n) ||
      bigOrder(a.capitalMicroUsd, b.capitalMicroUsd) ||
      a.entryId - b.entryId
    )
  })
}
const bigOrder = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

export interface Candidate extends Ranked {
  cluster: string
  trades: number
  rules: readonly RuleResult[]
  reviews: readonly Review[]
}

export interface Placed {
  status: RuleStatus
  eligible: boolean
  rules: RuleResult[]
  /** From 1; null for who gets nothing. */
  place: number | null
}

export interface Outcome {
  eligibleAgents: number
  eligibleOwners: number
  activeClusters: number
  pays: boolean
  why: string | null
}

const CLUSTER_RULE = { rule: ONE_PER_CLUSTER, name: 'The best of its owner cluster' }

/**
 * Who wins: `ranked` in rank order. Of each owner cluster the best that passes every other rule; the first three of
 * those, when enough clusters traded.
 */
export function placeEntries(ranked: readonly Candidate[]): {
  placed: Map<number, Placed>
  outcome: Outcome
} {
  const active = new Set(ranked.filter(({ trades }) => trades > 0).map(({ cluster }) => cluster))
  const pays = active.size >= LEAGUE.minOwnerClusters
  const isFirst = { status: 'pass', reason: null } as const
  const taken = new Map<string, number>()
  const owners = new Set<string>()
  const placed = new Map<number, Placed>()
  let eligibleAgents = 0
  let next = 1
  for (const { entryId, cluster, rules, reviews, profitMicroUsd } of ranked) {
    const better = taken.get(cluster)
    const own =
      better === undefined
        ? isFirst
        : ({ status: 'fail', reason: `entry ${better} of the same owner cluster ranks higher` } as const)
    const all = [...rules, reviewed(CLUSTER_RULE, own, reviews)]
    const status = worstOf(all)
    // Without a value there is no rank to win by, whoever judged it.
    const eligible = status === 'pass' && profitMicroUsd !== null
    if (eligible) {
      eligibleAgents++
      owners.add(cluster)
      if (better === undefined) taken.set(cluster, entryId)
    }
    const place = eligible && pays && next <= LEAGUE.places ? next++ : null
    placed.set(entryId, { status, eligible, rules: all, place })
  }
  const why = pays ? null : `${active.size} owner clusters traded, ${LEAGUE.minOwnerClusters} are needed`
  return {
    placed,
    outcome: { eligibleAgents, eligibleOwners: owners.size, activeClusters: active.size, pays, why },
  }
}

/**
 * Whether someone who would win if the open questions went their way has one: until those are answered the season is
 * not decided.
 */
export function hasUndecidedWinner(ranked: readonly Candidate[]): boolean {
  const hopeful = ranked.map((candidate) => ({
    ...candidate,
    rules: candidate.rules.map((rule) => (isOpen(rule) ? { ...rule, status: 'pass' as const } : rule)),
  }))
  const { placed } = placeEntries(hopeful)
  return ranked.some(({ entryId, rules }) => placed.get(entryId)?.place != null && rules.some(isOpen))
}

/** Whether one would win but for the owner, which could not be read. Every other open question counts as not passed. */
export function hasUnreadWinner(ranked: readonly Candidate[], unread: ReadonlySet<number>): boolean {
  const isUnread = (entryId: number, { rule, status }: RuleResult) =>
    rule === 'OWNER' && status === 'flag' && unread.has(entryId)
  const hopeful = ranked.map((candidate) => ({
    ...candidate,
    rules: candidate.rules.map((rule) =>
      isUnread(candidate.entryId, rule) ? { ...rule, status: 'pass' as const } : rule,
    ),
  }))
  const { placed } = placeEntries(hopeful)
  return ranked.some(
    ({ entryId, rules }) =>
      placed.get(entryId)?.place != null && rules.some((rule) => isUnread(entryId, rule)),
  )
}

const isOpen = ({ status }: RuleResult): boolean => status === 'flag' || status === 'pending'
