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
import type { RuleSet } from './ruleSets.ts'

/** The values an entrant is ranked by. */
export interface Ranked {
  entryId: number
  /** Profit that counts for the rank; null if the book could not be valued. */
  rankedMicroUsd: bigint | null
  capitalMicroUsd: bigint
  left: boolean
}

/** By ranked profit, then less capital, then the earlier entry; left and unvalued entries come last. */
export function rankEntries<T extends Ranked>(rows: readonly T[]): T[] {
  const group = ({ rankedMicroUsd, left }: Ranked) => (rankedMicroUsd === null ? 2 : left ? 1 : 0)
  return [...rows].sort((a, b) => {
    if (group(a) !== group(b)) return group(a) - group(b)
    return (
      bigOrder(b.rankedMicroUsd ?? 0n, a.rankedMicroUsd ?? 0n) ||
      bigOrder(a.capitalMicroUsd, b.capitalMicroUsd) ||
      a.entryId - b.entryId
    )
  })
}
const bigOrder = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

export interface Candidate extends Ranked {
  cluster: Cluster
  trades: number
  /** Results of every rule except ONE_PER_CLUSTER. */
  results: readonly RuleResult[]
  reviews: readonly Review[]
}

export interface Placed {
  status: RuleStatus
  eligible: boolean
  rules: RuleResult[]
  /** From 1; null without a prize. */
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

/** Maps a rule's result to the one that counts. */
type Counts = (entryId: number, result: RuleResult) => RuleResult
const asItIs: Counts = (_, result) => result

/**
 * Assigns the places to `ranked`, which is in rank order: the best entry of each owner cluster that passes
 * every other rule is eligible, and the first three of those win if enough clusters traded.
 */
export function placeEntries(
  ranked: readonly Candidate[],
  rules: RuleSet,
  counts: Counts = asItIs,
): {
  placed: Map<number, Placed>
  outcome: Outcome
} {
  const active = new Set(ranked.filter(({ trades }) => trades > 0).map(({ cluster }) => cluster.id))
  const pays = active.size >= LEAGUE.minOwnerClusters
  const resultsOf = ({ entryId, results }: Candidate) =>
    counts === asItIs ? results : results.map((result) => counts(entryId, result))
  const passing = ranked.filter((each) => isRankable(each) && worstOf(resultsOf(each)) === 'pass')
  const winners = createClusterWinners(ranked, passing, rules)
  const owners = new Set<string>()
  const placed = new Map<number, Placed>()
  let eligibleAgents = 0
  let next = 1
  for (const candidate of ranked) {
    const { entryId, cluster, reviews } = candidate
    const own = winners.judge(cluster)
    const all = [...resultsOf(candidate), counts(entryId, reviewed(CLUSTER_RULE, own, reviews))]
    const status = worstOf(all)
    const eligible = status === 'pass' && isRankable(candidate)
    if (eligible) {
      eligibleAgents++
      owners.add(cluster.id)
      winners.add(candidate, own)
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

/** An unvalued entry cannot win, not even by a review. */
const isRankable = ({ rankedMicroUsd }: Ranked): boolean => rankedMicroUsd !== null

/**
 * Tracks the eligible entries per cluster so far. Links that both sides made fail all but the best entry;
 * links that one side may have made alone are flagged for manual review.
 */
function createClusterWinners(
  ranked: readonly Candidate[],
  passing: readonly Candidate[],
  { joins }: RuleSet,
) {
  /** The first entry per owner that passes every other rule. */
  const hopefuls = new Map<number, number>()
  for (const { entryId, cluster } of passing)
    if (!hopefuls.has(cluster.owner)) hopefuls.set(cluster.owner, entryId)
  const leanedOn =
    joins === 'all'
      ? createReach(ranked, hopefuls)
      : ({ leansOn }: Cluster) => leansOn.find((other) => hopefuls.has(other))
  const byOwner = new Map<number, number>()
  const byCluster = new Map<string, number>()
  return {
    judge(cluster: Cluster): Judged {
      const same = byOwner.get(cluster.owner)
      if (same !== undefined)
        return { status: 'fail', reason: `entry ${same} of the same owner cluster ranks higher` }
      const leaned = leanedOn(cluster)
      if (leaned !== undefined)
        return {
          status: 'flag',
          reason: `it linked itself to entry ${hopefuls.get(leaned)}: is it one owner?`,
        }
      const near = cluster.memberOf.map((id) => byCluster.get(id)).find((entryId) => entryId !== undefined)
      if (near === undefined) return { status: 'pass', reason: null }
      return { status: 'flag', reason: `entry ${near} of its cluster ranks higher: is it one owner?` }
    },
    /** An entry that passed only by review has another owner than the rest of its cluster. */
    add({ entryId, cluster }: Candidate, own: Judged) {
      if (!byOwner.has(cluster.owner)) byOwner.set(cluster.owner, entryId)
      if (own.status !== 'pass') return
      for (const id of cluster.memberOf) if (!byCluster.has(id)) byCluster.set(id, entryId)
    },
  }
}

/**
 * Finds an owner that passes every other rule among those a cluster's entry linked itself to: directly, or
 * through further links of theirs. Owners from which none can be reached are remembered, so that a long chain
 * of links is walked once.
 */
function createReach(ranked: readonly Candidate[], hopefuls: ReadonlyMap<number, number>) {
  const byOwner = new Map(ranked.map(({ cluster }) => [cluster.owner, cluster]))
  const barren = new Set<number>()
  return ({ owner, leansOn }: Cluster): number | undefined => {
    const seen = new Set(leansOn)
    for (const other of seen) {
      if (other === owner || barren.has(other)) continue
      if (hopefuls.has(other)) return other
      const { leansOn: further = [], besides = [] } = byOwner.get(other) ?? {}
      for (const next of [...further, ...besides]) seen.add(next)
    }
    if (!seen.has(owner)) for (const other of seen) barren.add(other)
    return undefined
  }
}

/**
 * Whether an entry with open rules would win if all open rules passed: until they are resolved the season is
 * not decided.
 */
export const hasUndecidedWinner = (ranked: readonly Candidate[], rules: RuleSet): boolean =>
  wouldWin(ranked, rules, (_, { status }) => status === 'flag' || status === 'pending')

/** Whether an entry would win except for an unreadable owner; other open rules count as not passed. */
export const hasUnreadWinner = (
  ranked: readonly Candidate[],
  rules: RuleSet,
  unread: ReadonlySet<number>,
): boolean =>
  wouldWin(
    ranked,
    rules,
    (entryId, { rule, status }) => rule === 'OWNER' && status === 'flag' && unread.has(entryId),
  )

/** Whether an entry with open rules would win if all of those passed. */
function wouldWin(
  ranked: readonly Candidate[],
  rules: RuleSet,
  isOpen: (entryId: number, result: RuleResult) => boolean,
): boolean {
  const openEntries = new Set<number>()
  const { placed } = placeEntries(ranked, rules, (entryId, result) => {
    if (!isOpen(entryId, result)) return result
    openEntries.add(entryId)
    return { ...result, status: 'pass' }
  })
  return [...openEntries].some((entryId) => placed.get(entryId)?.place != null)
}
