import { NATIVE_TOKEN } from '@pit/protocol'
import type { Party } from './party.ts'

export type ClusterLink = 'address' | 'transfer' | 'funder'

/** A link between two parties, by their index in the list. */
export interface Link {
  a: number
  b: number
  kind: ClusterLink
  /** Who made the link: both signed for it, `a` alone, or either side, which cannot be determined. */
  by: 'both' | 'a' | 'either'
}

/**
 * Finds the links between parties. Of several that own or name an address only the first is linked to others;
 * the rest are linked to it.
 */
export function findLinks(parties: readonly Party[]): Link[] {
  const owners = new Map<string, number>()
  const namers = new Map<string, number>()
  const funded = new Map<string, number>()
  const links: Link[] = []
  const add = (a: number, b: number | undefined, kind: ClusterLink, by: Link['by']) => {
    if (b !== undefined && a !== b) links.push({ a, b, kind, by })
  }
  /** Links a party to the first one with the same address. */
  const share = (
    firstByAddress: Map<string, number>,
    address: string,
    i: number,
    kind: ClusterLink,
    by: Link['by'],
  ) => {
    add(i, firstByAddress.get(address), kind, by)
    if (!firstByAddress.has(address)) firstByAddress.set(address, i)
  }

  for (const [i, { own }] of parties.entries())
    for (const address of nonZero(own)) share(owners, address, i, 'address', 'both')
  for (const [i, { own, named }] of parties.entries()) {
    for (const address of nonZero(named, own)) {
      add(i, owners.get(address), 'address', 'a')
      share(namers, address, i, 'address', 'either')
    }
  }
  for (const [i, party] of parties.entries()) {
    /** Only the owner of an address can act for it; anyone can name an address. */
    const meet = (address: string, kind: ClusterLink, who: 'mine' | 'theirs' | 'unknown') => {
      const owner = owners.get(address)
      if (who === 'theirs' && owner !== undefined) add(owner, i, kind, 'a')
      else add(i, owner, kind, who === 'mine' ? 'a' : 'either')
      add(i, namers.get(address), kind, 'either')
    }
    for (const address of nonZero(party.sentTo)) meet(address, 'transfer', 'mine')
    for (const address of nonZero(party.gotFrom)) meet(address, 'transfer', 'theirs')
    for (const address of nonZero(party.namedPartners)) meet(address, 'transfer', 'unknown')
    for (const address of nonZero(party.funders)) meet(address, 'funder', 'theirs')
    for (const address of nonZero(party.namedFunders)) meet(address, 'funder', 'unknown')
    for (const address of nonZero([...party.funders, ...party.namedFunders], party.own))
      share(funded, address, i, 'funder', 'either')
  }
  return links
}

const nonZero = (addresses: readonly string[], but: readonly string[] = []): string[] =>
  [...new Set(addresses)].filter((address) => address !== NATIVE_TOKEN && !but.includes(address))
