import { NATIVE_TOKEN } from '@pit/protocol'

export type ClusterLink = 'address' | 'transfer' | 'funder'

/** Who stands behind an entry, as the registry and the chain say. Lower-case addresses. */
export interface Party {
  entryId: number
  /** Trading wallet, owner, agent wallet and beneficiary. */
  addresses: readonly string[]
  /** Who sent or got the entry's agent token from one of those addresses. */
  tokenPartners: readonly string[]
  /** Who first funded those addresses. */
  funders: readonly string[]
}

export interface Cluster {
  /** Named by its earliest entry. */
  id: string
  size: number
  /** What links this entry to others of its cluster. */
  links: ClusterLink[]
}

const ORDER: readonly ClusterLink[] = ['address', 'transfer', 'funder']

/** Joins the entries of one owner: by a shared address, a transfer of an agent's token, or a shared first funder. */
export function clusterOwners(parties: readonly Party[]): Map<number, Cluster> {
  const sorted = [...parties].sort((a, b) => a.entryId - b.entryId)
  const roots = sorted.map((_, i) => i)
  const links = sorted.map(() => new Set<ClusterLink>())
  const find = (i: number): number => {
    while (roots[i] !== i) {
      roots[i] = roots[roots[i]!]!
      i = roots[i]!
    }
    return i
  }
  const join = (a: number, b: number, link: ClusterLink) => {
    if (a === b) return
    links[a]!.add(link)
    links[b]!.add(link)
    const [low, high] = [find(a), find(b)].sort((x, y) => x - y) as [number, number]
    roots[high] = low
  }

  const holders = new Map<string, number[]>()
  for (const [i, { addresses }] of sorted.entries()) {
    for (const address of new Set(addresses)) {
      if (address === NATIVE_TOKEN) continue
      const known = holders.get(address)
      if (known) known.push(i)
      else holders.set(address, [i])
    }
  }
  for (const shared of holders.values()) for (const other of shared) join(shared[0]!, other, 'address')
  const firstFunded = new Map<string, number>()
  for (const [i, { tokenPartners, funders }] of sorted.entries()) {
    for (const partner of tokenPartners)
      for (const other of holders.get(partner) ?? []) join(i, other, 'transfer')
    for (const funder of funders) {
      if (funder === NATIVE_TOKEN) continue
      // Who funded another entry's wallet may itself be an entrant.
      for (const other of holders.get(funder) ?? []) join(i, other, 'funder')
      const first = firstFunded.get(funder)
      if (first === undefined) firstFunded.set(funder, i)
      else join(first, i, 'funder')
    }
  }

  const sizes = new Map<number, number>()
  for (const i of sorted.keys()) sizes.set(find(i), (sizes.get(find(i)) ?? 0) + 1)
  return new Map(
    sorted.map(({ entryId }, i) => {
      const root = find(i)
      return [
        entryId,
        {
          id: `c${sorted[root]!.entryId}`,
          size: sizes.get(root)!,
          links: ORDER.filter((link) => links[i]!.has(link)),
        },
      ]
    }),
  )
}
