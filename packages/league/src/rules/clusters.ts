import { type ClusterLink, findLinks } from './links.ts'
import type { Party } from './party.ts'

export interface Cluster {
  /** Named by its earliest entry. */
  id: string
  size: number
  /** What links this entry to others of its cluster. */
  links: ClusterLink[]
  /** The earliest entry of those whose owners both made what joins them: one owner, by their own doing. */
  owner: number
  /** Owners it linked itself to, which they could not help. */
  leansOn: number[]
}

const ORDER: readonly ClusterLink[] = ['address', 'transfer', 'funder']

/**
 * Joins the entries of one owner: by a shared address, a transfer of an agent's token, or a shared first
 * funder. What only one side made puts that side into the other's cluster, and never joins others to each
 * other: who names strangers, or sends them something, cannot make one cluster of them.
 */
export function clusterOwners(parties: readonly Party[]): Map<number, Cluster> {
  const sorted = [...parties].sort((a, b) => a.entryId - b.entryId)
  const links = findLinks(sorted)
  const owners = createGroups(sorted.length)
  for (const { a, b, by } of links) if (by === 'both') owners.join(a, b)
  const made = madeBy(links, owners)
  // Where each linked itself to the other, it is the doing of both.
  for (const [maker, targets] of made)
    for (const target of targets) if (made.get(target)?.has(maker)) owners.join(maker, target)

  const together = owners.copy()
  for (const { a, b, by } of links) if (by === 'either') together.join(a, b)
  const clusters = together.copy()
  for (const [group, targets] of madeBy(links, together)) clusters.join(group, Math.min(...targets))

  const leaning = madeBy(links, owners)
  const shown = sorted.map(() => new Set<ClusterLink>())
  for (const { a, b, kind } of links) {
    if (clusters.of(a) === clusters.of(b)) for (const end of [a, b]) shown[end]!.add(kind)
  }
  const sizes = new Map<number, number>()
  for (const i of sorted.keys()) sizes.set(clusters.of(i), (sizes.get(clusters.of(i)) ?? 0) + 1)
  const idOf = (i: number) => sorted[i]!.entryId
  return new Map(
    sorted.map(({ entryId }, i) => [
      entryId,
      {
        id: `c${idOf(clusters.of(i))}`,
        size: sizes.get(clusters.of(i))!,
        links: ORDER.filter((kind) => shown[i]!.has(kind)),
        owner: idOf(owners.of(i)),
        leansOn: [...(leaning.get(owners.of(i)) ?? [])].map(idOf),
      },
    ]),
  )
}

/** Of each group, the other groups that it linked itself to. */
function madeBy(links: ReturnType<typeof findLinks>, groups: Groups): Map<number, Set<number>> {
  const made = new Map<number, Set<number>>()
  for (const { a, b, by } of links) {
    const [maker, target] = [groups.of(a), groups.of(b)]
    if (by !== 'a' || maker === target) continue
    made.set(maker, (made.get(maker) ?? new Set()).add(target))
  }
  return made
}

type Groups = ReturnType<typeof createGroups>

/** Numbers that belong together; a group is known by its lowest. */
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
