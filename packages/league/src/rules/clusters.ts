import { type ClusterLink, findLinks, type Link } from './links.ts'
import type { Party } from './party.ts'
import { CURRENT_RULES, type RuleSet } from './ruleSets.ts'

export interface Cluster {
  /** Named by its earliest entry. */
  id: string
  size: number
  /** Links of this entry to others of its cluster. */
  links: ClusterLink[]
  /** The earliest entry of those joined by links that both sides made: they count as one owner. */
  owner: number
  /** Owners it linked itself to, without their doing. */
  leansOn: number[]
  /** Owners linked to it by something that either side may have made. */
  besides: number[]
  /** Every cluster it is a member of, `id` first. */
  memberOf: string[]
}

const ORDER: readonly ClusterLink[] = ['address', 'transfer', 'funder']

/**
 * Joins the entries of one owner: by a shared address, a transfer of an agent's token, or a shared first
 * funder. A link that one side made alone puts that side into the other's cluster, into each of them if it
 * made several. It never joins those to each other, or one entrant could turn the whole field into a cluster.
 */
export function clusterOwners(
  parties: readonly Party[],
  { joins }: Pick<RuleSet, 'joins'> = CURRENT_RULES,
): Map<number, Cluster> {
  const sorted = [...parties].sort((a, b) => a.entryId - b.entryId)
  const links = findLinks(sorted)
  const owners = createGroups(sorted.length)
  for (const { a, b, by } of links) if (by === 'both') owners.join(a, b)
  const made = linkedGroups(links, owners, 'a')
  // If each linked itself to the other, both sides made the link.
  for (const [maker, targets] of made)
    for (const target of targets) if (made.get(target)?.has(maker)) owners.join(maker, target)

  const together = owners.copy()
  for (const { a, b, by } of links) if (by === 'either') together.join(a, b)
  const clusters = together.copy()
  for (const [group, targets] of linkedGroups(links, together, 'a'))
    clusters.join(group, Math.min(...targets))

  const leaning = linkedGroups(links, owners, 'a')
  const besides = linkedGroups(links, owners, 'either')
  const shown = sorted.map(() => new Set<ClusterLink>())
  for (const { a, b, kind, by } of links) {
    const isShared = clusters.of(a) === clusters.of(b)
    if (isShared || (by === 'a' && joins === 'all')) shown[a]!.add(kind)
    if (isShared) shown[b]!.add(kind)
  }
  const sizes = new Map<number, number>()
  for (const i of sorted.keys()) sizes.set(clusters.of(i), (sizes.get(clusters.of(i)) ?? 0) + 1)
  const idOf = (i: number) => sorted[i]!.entryId
  const clusterId = (i: number) => `c${idOf(clusters.of(i))}`
  const idsIn = (linked: ReadonlyMap<number, ReadonlySet<number>>, i: number) =>
    [...(linked.get(owners.of(i)) ?? [])].map(idOf)
  const memberOf = (i: number) => {
    const joined = joins === 'all' ? [...(leaning.get(owners.of(i)) ?? [])] : []
    return [...new Set([i, ...joined].map(clusterId))]
  }
  return new Map(
    sorted.map(({ entryId }, i) => [
      entryId,
      {
        id: clusterId(i),
        size: sizes.get(clusters.of(i))!,
        links: ORDER.filter((kind) => shown[i]!.has(kind)),
        owner: idOf(owners.of(i)),
        leansOn: idsIn(leaning, i),
        besides: idsIn(besides, i),
        memberOf: memberOf(i),
      },
    ]),
  )
}

/** For each group, the groups it linked itself to (`a`), or that share a link either side may have made. */
function linkedGroups(links: readonly Link[], groups: Groups, by: 'a' | 'either'): Map<number, Set<number>> {
  const linked = new Map<number, Set<number>>()
  const add = (from: number, to: number) => linked.set(from, (linked.get(from) ?? new Set()).add(to))
  for (const link of links) {
    const [a, b] = [groups.of(link.a), groups.of(link.b)]
    if (link.by !== by || a === b) continue
    add(a, b)
    if (by === 'either') add(b, a)
  }
  return linked
}

type Groups = ReturnType<typeof createGroups>

/** Groups of numbers (union-find); a group is identified by its lowest number. */
function createGroups(count: number, roots = Array.from({ length: count }, (_, i) => i)) {
  const of = (i: number): number => {
    while (roots[i] !== i) {
      roots[i] = roots[roots[i]!]!
      i = roots[i]!
    }
    return i
  }
  return {
    of,
    join(a: number, b: number) {
      const [low, high] = [of(a), of(b)].sort((x, y) => x - y) as [number, number]
      roots[high] = low
    },
    copy: () => createGroups(count, [...roots]),
  }
}
