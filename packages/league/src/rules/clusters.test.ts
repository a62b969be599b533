import { describe, expect, it } from 'vitest'
import { clusterOwners } from './clusters.ts'
import type { Party } from './party.ts'

const party = (entryId: number, own: Partial<Party> = {}): Party => ({
  entryId,
  own: [`0xw${entryId}`],
  named: [],
  sentTo: [],
  gotFrom: [],
  namedPartners: [],
  funders: [],
  namedFunders: [],
  ...own,
})
/** The fields of a cluster that a row shows. */
const shown = (parties: readonly Party[]) =>
  [...clusterOwners(parties)].map(([entryId, { id, size, links }]) => [entryId, id, size, links])

describe('owner clusters', () => {
  it('join what shares an address, sent an agent’s token to, or had the same first funder', () => {
    const parties = [
      party(1, { own: ['0xa', '0xo'] }),
      party(2, { own: ['0xb', '0xo'] }),
      party(3, { sentTo: ['0xpool', '0xb'] }),
      party(4, { funders: ['0xf'] }),
      party(5, { namedFunders: ['0xf'] }),
      party(6),
      party(7, { named: ['0xsame'] }),
      party(8, { named: ['0xsame'] }),
    ]
    expect(shown(parties)).toEqual([
      [1, 'c1', 3, ['address']],
      [2, 'c1', 3, ['address', 'transfer']],
      [3, 'c1', 3, ['transfer']],
      [4, 'c4', 2, ['funder']],
      [5, 'c4', 2, ['funder']],
      [6, 'c6', 1, []],
      [7, 'c7', 2, ['address']],
      [8, 'c7', 2, ['address']],
    ])
  })

  it('are one owner’s only by what both made', () => {
    const ownersOf = (...parties: Party[]) =>
      [...clusterOwners(parties).values()].map(({ owner, leansOn }) => [owner, leansOn])
    const apart = (maker: 1 | 2) =>
      maker === 1
        ? [
            [1, [2]],
            [2, []],
          ]
        : [
            [1, []],
            [2, [1]],
          ]
    // Both signed as the same owner.
    expect(ownersOf(party(1, { own: ['0xo'] }), party(2, { own: ['0xb', '0xo'] }))).toEqual([
      [1, []],
      [1, []],
    ])
    // Who names another’s address, sends it a token or funds it made that alone.
    expect(ownersOf(party(1, { named: ['0xw2'] }), party(2))).toEqual(apart(1))
    expect(ownersOf(party(1), party(2, { sentTo: ['0xw1'] }))).toEqual(apart(2))
    expect(ownersOf(party(1), party(2, { gotFrom: ['0xw1'] }))).toEqual(apart(1))
    expect(ownersOf(party(1), party(2, { funders: ['0xw1'] }))).toEqual(apart(1))
    // Each sent the other something: that is both.
    expect(ownersOf(party(1, { sentTo: ['0xw2'] }), party(2, { sentTo: ['0xw1'] }))).toEqual([
      [1, []],
      [1, []],
    ])
    expect(ownersOf(party(1, { sentTo: ['0xw2'] }), party(2, { named: ['0xw1'] }))).toEqual([
      [1, []],
      [1, []],
    ])
    // At an address that is only named, anyone may have done it.
    for (const own of [
      { sentTo: ['0xn'] },
      { gotFrom: ['0xn'] },
      { namedPartners: ['0xn'] },
      { funders: ['0xn'] },
      { namedFunders: ['0xw1'] },
    ]) {
      expect(ownersOf(party(1, { named: ['0xn'] }), party(2, own))).toEqual([
        [1, []],
        [2, []],
      ])
      expect(clusterOwners([party(1, { named: ['0xn'] }), party(2, own)]).get(2)?.size).toBe(2)
    }
  })

  it('cannot be made of strangers by one who names, pays or funds them all', () => {
    const honest = [1, 2, 3, 4].map((id) => party(id, { funders: id === 2 ? ['0xw9'] : [] }))
    const attackers = [
      party(8, { named: ['0xw4'], funders: ['0xf'] }),
      party(9, { named: ['0xw1'], sentTo: ['0xw1', '0xw2', '0xw3', '0xw4'], funders: ['0xf'] }),
    ]
    const clusters = clusterOwners([...honest, ...attackers])
    expect(new Set(honest.map(({ entryId }) => clusters.get(entryId)!.id)).size).toBe(4)
    expect(honest.map(({ entryId }) => clusters.get(entryId)!.leansOn)).toEqual([[], [], [], []])
    expect(clusters.get(9)).toMatchObject({ id: 'c1', size: 3, leansOn: [1, 2, 3, 4] })
    expect(clusters.get(8)).toMatchObject({ id: 'c1', leansOn: [4] })
    expect(clusters.get(2)).toMatchObject({ id: 'c2', size: 1, links: [] })
  })

  it('do not treat the zero address or the own address as a link', () => {
    const zero = `0x${'0'.repeat(40)}`
    const own = { own: ['0xa', '0xa', zero], named: ['0xa'], funders: [zero, '0xa'] }
    expect(
      shown([
        party(1, { ...own, sentTo: ['0xa'], gotFrom: ['0xa'], namedPartners: ['0xa'] }),
        party(2, { own: ['0xb', zero], named: [zero], funders: [zero] }),
      ]),
    ).toEqual([
      [1, 'c1', 1, []],
      [2, 'c2', 1, []],
    ])
  })

  it('do not share the address that one owns and another names, or that funded its own owner', () => {
    const clusters = clusterOwners([
      party(1, { own: ['0xa', '0xo'], named: ['0xa', '0xo'], funders: ['0xo'] }),
      party(2, { named: ['0xo'], funders: ['0xo'] }),
    ])
    expect([clusters.get(1)!.leansOn, clusters.get(2)!.leansOn]).toEqual([[], []])
    // It named the owner of 1, which had funded it.
    expect(clusters.get(2)!.owner).toBe(1)
    const forced = clusterOwners([
      party(1, { own: ['0xa', '0xo'], funders: ['0xo'] }),
      party(2, { own: ['0xb', '0xp'], funders: ['0xo', '0xp'] }),
    ])
    expect([forced.get(1)!.leansOn, forced.get(2)!.leansOn]).toEqual([[2], []])
  })

  it('are the same in whatever order the entries come', () => {
    const parties = Array.from({ length: 60 }, (_, i) =>
      party(i + 1, {
        own: [`0x${i}`, `0x${(i * 7) % 40}s`],
        named: [`0x${(i * 11) % 90}`],
        funders: [`0xf${(i * 3) % 70}`],
      }),
    )
    const forward = clusterOwners(parties)
    const backward = clusterOwners([...parties].reverse())
    for (const { entryId } of parties) expect(backward.get(entryId)).toEqual(forward.get(entryId))
  })
})
