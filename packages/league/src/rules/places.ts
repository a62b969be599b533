import { LEAGUE } from '@pit/protocol'
import type { Cluster } from './clusters.ts'
import {
  type Judged,
  ONE_PER_CLUSTER,
  type Review,
  type RuleResult,
  type RuleStatus,
  reviewed,
  worstOf,
} from './eligibility.ts'

/** What ranks an entrant. */
export interface Ranked {
  entryId: number
  profitMicroUsd: bigint | null
  capitalMicroUsd: bigint
  left: boolean
}

/** By profit, then less capital, then the earlier entry; who left or could not be valued comes last. */
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
  cluster: Cluster
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

/** How a rule's answer counts. */
type Counts = (entryId: number, result: RuleResult) => RuleResult
const asItIs: Counts = (_, result) => result

/**
 * Who wins: `ranked` in rank order. Of each owner cluster the best that passes every other rule; the first
 * three of those, when enough clusters traded.
 */
export function placeEntries(
  ranked: readonly Candidate[],
  counts: Counts = asItIs,
): {
  placed: Map<number, Placed>
  outcome: Outcome
} {
  const active = new Set(ranked.filter(({ trades }) => trades > 0).map(({ cluster }) => cluster.id))
  const pays = active.size >= LEAGUE.minOwnerClusters
  const rulesOf = ({ entryId, rules }: Candidate) =>
    counts === asItIs ? rules : rules.map((rule) => counts(entryId, rule))
  const taken = createTaken(
    ranked.filter((each) => isWorthRanking(each) && worstOf(rulesOf(each)) === 'pass'),
  )
  const owners = new Set<string>()
  const placed = new Map<number, Placed>()
  let eligibleAgents = 0
  let next = 1
  for (const candidate of ranked) {
    const { entryId, cluster, reviews } = candidate
    const own = taken.judge(cluster)
    const all = [...rulesOf(candidate), counts(entryId, reviewed(CLUSTER_RULE, own, reviews))]
    const status = worstOf(all)
    const eligible = status === 'pass' && isWorthRanking(candidate)
    if (eligible) {
      eligibleAgents++
      owners.add(cluster.id)
      taken.take(candidate, own)
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

/** Without a value there is no rank to win by, whoever judged it. */
const isWorthRanking = ({ profitMicroUsd }: Ranked): boolean => profitMicroUsd !== null

/**
 * Who of a cluster was found eligible so far. What both sides made fails all but the best; what one side may
 * have made alone, so that the other could not help it, is for a person to judge.
 */
function createTaken(passing: readonly Candidate[]) {
  /** Those that pass every other rule, by their owner. */
  const hopefuls = new Map<number, number>()
  for (const { entryId, cluster } of passing)
    if (!hopefuls.has(cluster.owner)) hopefuls.set(cluster.owner, entryId)
  const byOwner = new Map<number, number>()
  const byCluster = new Map<string, number>()
  return {
    judge({ id, owner, leansOn }: Cluster): Judged {
      const same = byOwner.get(owner)
      if (same !== undefined)
        return { status: 'fail', reason: `entry ${same} of the same owner cluster ranks higher` }
      const leaned = leansOn.find((other) => hopefuls.has(other))
      if (leaned !== undefined)
        return {
          status: 'flag',
          reason: `it linked itself to entry ${hopefuls.get(leaned)}: is it one owner?`,
        }
      const near = byCluster.get(id)
      if (near === undefined) return { status: 'pass', reason: null }
      return { status: 'flag', reason: `entry ${near} of its cluster ranks higher: is it one owner?` }
    },
    /** Who a person let pass was found to be somebody else than the rest of its cluster. */
    take({ entryId, cluster }: Candidate, own: Judged) {
      if (!byOwner.has(cluster.owner)) byOwner.set(cluster.owner, entryId)
      if (own.status === 'pass' && !byCluster.has(cluster.id)) byCluster.set(cluster.id, entryId)
    },
  }
}

/**
 * Whether someone who would win if the open questions went their way has one: until those are answered the
 * season is not decided.
 */
export const hasUndecidedWinner = (ranked: readonly Candidate[]): boolean =>
  wouldWin(ranked, (_, { status }) => status === 'flag' || status === 'pending')

/** Whether one would win but for an owner that could not be read; other open rules count as not passed. */
export const hasUnreadWinner = (ranked: readonly Candidate[], unread: ReadonlySet<number>): boolean =>
  wouldWin(
    ranked,
    (entryId, { rule, status }) => rule === 'OWNER' && status === 'flag' && unread.has(entryId),
  )

/** Whether one of those who have such a question would win if all of them were answered well. */
function wouldWin(
  ranked: readonly Candidate[],
  isAsked: (entryId: number, result: RuleResult) => boolean,
): boolean {
  const asked = new Set<number>()
  const { placed } = placeEntries(ranked, (entryId, result) => {
    if (!isAsked(entryId, result)) return result
    asked.add(entryId)
    return { ...result, status: 'pass' }
  })
  return [...asked].some((entryId) => placed.get(entryId)?.place != null)
}
