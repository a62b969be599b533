import { describe, expect, it } from 'vitest'
import { clusterOwners, type Party } from './clusters.ts'

const party = (entryId: number, own: Partial<Party> = {}): Party => ({
  entryId,
  addresses: [`0xw${entryId}`],
  tokenPartners: [],
  funders: [],
  ...own,
})

describe('owner clusters', () => {
  it('join what shares an address, sent an agent’s token to, or had the same first funder', () => {
    const clusters = clusterOwners([
      party(1, { addresses: ['0xa', '0xo'] }),
      party(2, { addresses: ['0xb', '0xo'] }),
      party(3, { tokenPartners: ['0xpool', '0xb'] }),
      party(4, { funders: ['0xf'] }),
      party(5, { funders: ['0xf'] }),
      party(6),
    ])
    expect(clusters.get(1)).toEqual({ id: 'c1', size: 3, links: ['address'] })
    expect(clusters.get(2)).toEqual({ id: 'c1', size: 3, links: ['address', 'transfer'] })
    expect(clusters.get(3)).toEqual({ id: 'c1', size: 3, links: ['transfer'] })
    expect(clusters.get(4)).toEqual({ id: 'c4', size: 2, links: ['funder'] })
    expect(clusters.get(5)).toEqual({ id: 'c4', size: 2, links: ['funder'] })
    expect(clusters.get(6)).toEqual({ id: 'c6', size: 1, links: [] })
  })

  it('join whoever funded another’s wallet', () => {
    const clusters = clusterOwners([party(1), party(2, { funders: ['0xw1'] })])
    expect(clusters.get(1)).toEqual({ id: 'c1', size: 2, links: ['funder'] })
  })

  it('do not take no address, or oneself, for a link', () => {
    const zero = `0x${'0'.repeat(40)}`
    const clusters = clusterOwners([
      party(1, { addresses: ['0xa', '0xa', zero], funders: [zero, '0xa'], tokenPartners: ['0xa'] }),
      party(2, { addresses: ['0xb', zero], funders: [zero] }),
    ])
    expect([...clusters.values()].map(({ size, links }) => [size, links])).toEqual([
      [1, []],
      [1, []],
    ])
  })

  it('are the same in whatever order the entries come', () => {
    const parties = Array.from({ length: 60 }, (_, i) =>
      party(i + 1, { addresses: [`0x${i}`, `0x${(i * 7) % 20}s`], funders: [`0xf${(i * 3) % 40}`] }),
    )
    const forward = clusterOwners(parties)
    const backward = clusterOwners([...parties].reverse())
    for (const { entryId } of parties) expect(backward.get(entryId)).toEqual(forward.get(entryId))
  })
})
