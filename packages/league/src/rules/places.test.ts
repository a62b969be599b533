import { describe, expect, it } from 'vitest'
import { isReviewable, judgeEntry, type Review, RULE_NAMES } from './eligibility.ts'
import { hasUndecidedWinner, placeEntries, rankEntries } from './places.ts'
import { CURRENT_RULES, ruleSetOf } from './ruleSets.ts'
import { type EntryRecord, judgeSeason } from './season.ts'

/** An entry that passes every rule unless overridden. */
function entry(
  entryId: number,
  profit: number | null,
  own: {
    facts?: Partial<EntryRecord['facts']>
    numbers?: Partial<EntryRecord['numbers']>
    reviews?: Review[]
    party?: Partial<EntryRecord['party']>
    copying?: EntryRecord['copying']
  } = {},
): EntryRecord {
  return {
    entryId,
    party: {
      own: [`0x${entryId}`],
      named: [],
      sentTo: [],
      gotFrom: [],
      namedPartners: [],
      funders: [],
      namedFunders: [],
      ...own.party,
    },
    numbers: {
      profitMicroUsd: profit === null ? null : BigInt(profit),
      capitalMicroUsd: 1_000n,
      returnBps: 0,
      maxDrawdownBps: 0,
      trades: 10,
      activeDays: 5,
      unvalued: profit === null ? 1 : 0,
      unknownGas: 0,
      beyondMarksMicroUsd: 0n,
      openUnpriced: 0,
      outliers: 0,
      roundTrips: 0,
      unseenMicroUsd: 0n,
      divergent: 0,
      ...own.numbers,
    },
    facts: {
      confirmed: true,
      sanctioned: null,
      left: false,
      owner: 'same',
      ownTokenSwaps: 0,
      participantSwaps: 0,
      transfers: 'read',
      funders: 'read',
      ...own.facts,
    },
    copying: own.copying ?? null,
    reviews: own.reviews ?? [],
  }
}
const field = (count: number, from = 100) =>
  Array.from({ length: count }, (_, i) => entry(from + i, -100 - i))
const judge = (entries: EntryRecord[], rules = CURRENT_RULES) => judgeSeason(entries, 'ended', rules)
const placesOf = (entries: EntryRecord[]) => {
  const { rows } = judge(entries)
  return rows.filter(({ place }) => place !== null).map(({ place, entryId }) => [place, entryId])
}
const ruleOf = (entries: EntryRecord[], entryId: number, name: string) =>
  judge(entries)
    .rows.find((row) => row.entryId === entryId)
    ?.rules.find(({ rule }) => rule === name)

describe('ranks', () => {
  it('go by profit, then less capital, then the earlier entry; left and unvalued come last', () => {
    const row = (entryId: number, profit: bigint | null, capital = 10n, left = false) => ({
      entryId,
      rankedMicroUsd: profit,
      capitalMicroUsd: capital,
      left,
    })
    const ranked = rankEntries([
      row(1, null),
      row(2, 9n, 10n, true),
      row(3, -5n),
      row(4, 7n, 30n),
      row(5, 7n, 20n),
      row(6, 7n, 20n),
    ])
    expect(ranked.map(({ entryId }) => entryId)).toEqual([5, 6, 4, 3, 2, 1])
  })

  it('leave out profit that no mark confirms, even if a person accepted it', () => {
    const reviews: Review[] = [{ rule: 'BEYOND_MARKS', status: 'pass', reason: 'looked at' }]
    const beyond = { numbers: { beyondMarksMicroUsd: 25_000_000n }, reviews }
    const rows = [entry(1, 30_000_000, beyond), entry(2, 6_000_000), entry(3, 4_000_000), ...field(9)]
    const idsOf = (judged: ReturnType<typeof judge>) => judged.rows.slice(0, 3).map(({ entryId }) => entryId)
    expect(idsOf(judge(rows))).toEqual([2, 1, 3])
    expect(placesOf(rows)).toEqual([
      [1, 2],
      [2, 1],
      [3, 3],
    ])
    // Seasons of the first rules stay as they were decided.
    expect(idsOf(judge(rows, ruleSetOf(1)))).toEqual([1, 2, 3])
    expect(() => ruleSetOf(3)).toThrow('version 3')
  })

  it('keep the flag on profit that no mark confirms', () => {
    const rows = [entry(1, 30_000_000, { numbers: { beyondMarksMicroUsd: 25_000_000n } }), ...field(10)]
    expect(ruleOf(rows, 1, 'BEYOND_MARKS')).toMatchObject({ status: 'flag' })
  })
})

describe('places', () => {
  it('go to the best three when ten clusters traded', () => {
    const nine = [entry(1, 30), entry(2, 20), entry(3, 10), ...field(6)]
    expect(judge(nine).outcome).toEqual({
      eligibleAgents: 9,
      eligibleOwners: 9,
      activeClusters: 9,
      pays: false,
      why: '9 owner clusters traded, 10 are needed',
    })
    expect(placesOf(nine)).toEqual([])
    const idle = entry(50, 0, { numbers: { trades: 0, activeDays: 0 } })
    expect(placesOf([...nine, idle])).toEqual([])
    expect(placesOf([...nine, entry(51, -500)])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
  })

  it('go to one of an owner cluster', () => {
    const both = [
      entry(1, 30, { party: { own: ['0xa', '0xo'] } }),
      entry(2, 20, { party: { own: ['0xb', '0xo'] } }),
      entry(3, 10),
      ...field(9),
    ]
    expect(placesOf(both)).toEqual([
      [1, 1],
      [2, 3],
      [3, 100],
    ])
    expect(ruleOf(both, 2, 'ONE_PER_CLUSTER')).toMatchObject({
      status: 'fail',
      reason: 'entry 1 of the same owner cluster ranks higher',
    })
    // The other one, where the first may not win.
    const first = entry(1, 30, { party: { own: ['0xa', '0xo'] }, facts: { confirmed: false } })
    expect(placesOf([first, ...both.slice(1)]).slice(0, 2)).toEqual([
      [1, 2],
      [2, 3],
    ])
  })

  it('are not lost to one who names, pays or funds the winner: a person looks at that one', () => {
    for (const party of [{ named: ['0x2'] }, { sentTo: ['0x2'] }]) {
      const rows = [entry(1, 30, { party }), entry(2, 20), entry(3, 10), ...field(9)]
      expect(placesOf(rows)).toEqual([
        [1, 2],
        [2, 3],
        [3, 100],
      ])
      expect(ruleOf(rows, 2, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'pass' })
      expect(ruleOf(rows, 1, 'ONE_PER_CLUSTER')).toMatchObject({
        status: 'flag',
        reason: 'it linked itself to entry 2: is it one owner?',
      })
      // The season waits for that answer, and both may win by it.
      expect(judge(rows).undecidedWinner()).toBe(true)
      const reviews = [{ rule: 'ONE_PER_CLUSTER', status: 'pass', reason: 'a customer' }] as const
      const judged = [entry(1, 30, { party, reviews: [...reviews] }), ...rows.slice(1)]
      expect(placesOf(judged)).toEqual([
        [1, 1],
        [2, 2],
        [3, 3],
      ])
      expect(judge(judged).undecidedWinner()).toBe(false)
      // If the other cannot win, no review is needed.
      const alone = [rows[0]!, entry(2, 20, { facts: { confirmed: false } }), ...rows.slice(2)]
      expect(placesOf(alone)[0]).toEqual([1, 1])
    }
  })

  it('of those with one first funder go to the best, and a person may let the others win too', () => {
    const funders = { party: { funders: ['0xf'] } }
    const rows = [entry(1, 30, funders), entry(2, 20, funders), entry(3, 10), ...field(9)]
    expect(ruleOf(rows, 2, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'flag' })
    expect(placesOf(rows).slice(0, 2)).toEqual([
      [1, 1],
      [2, 3],
    ])
    const reviews: Review[] = [{ rule: 'ONE_PER_CLUSTER', status: 'pass', reason: 'an exchange paid both' }]
    expect(placesOf([rows[0]!, entry(2, 20, { ...funders, reviews }), ...rows.slice(2)])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
  })

  it('are not won beside a cluster that an entry linked itself to, however many it names before', () => {
    // 5 shares a funder with 4, which fails a rule. 9 sent to both 1, a decoy, and 4.
    const funders = { funders: ['0xf'] }
    const decoy = entry(1, -50, { facts: { confirmed: false } })
    const failed = entry(4, -40, { party: funders, facts: { confirmed: false } })
    const second = (profit: number) => entry(5, profit, { party: funders })
    const linked = entry(9, 30, { party: { sentTo: ['0x1', '0x4'] } })
    for (const profit of [40, 20]) {
      const rows = [decoy, failed, second(profit), linked, ...field(10)]
      expect(placesOf(rows)[0]).toEqual([1, 5])
      expect(ruleOf(rows, 5, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'pass' })
      expect(ruleOf(rows, 9, 'ONE_PER_CLUSTER')).toMatchObject({
        status: 'flag',
        reason: 'it linked itself to entry 5: is it one owner?',
      })
      // The first rules put it into the decoy's cluster alone.
      const before = judge(rows, ruleSetOf(1)).rows.find(({ entryId }) => entryId === 9)
      expect(before?.eligible).toBe(true)
    }
  })

  it('are not lost to a chain of links that ends at the winner', () => {
    const hidden = entry(8, -90, { party: { sentTo: ['0x2'] }, facts: { confirmed: false } })
    const attacker = entry(9, 30, { party: { sentTo: ['0x8'] } })
    const rows = [entry(2, 20), hidden, attacker, ...field(10)]
    expect(placesOf(rows)[0]).toEqual([1, 2])
    expect(ruleOf(rows, 9, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'flag' })
  })

  it('of two that linked themselves to the same third go to the better one', () => {
    const third = entry(1, -50, { facts: { confirmed: false } })
    const other = entry(2, -50, { facts: { confirmed: false } })
    const better = entry(8, 30, { party: { sentTo: ['0x2'] } })
    const worse = entry(9, 20, { party: { sentTo: ['0x1', '0x2'] } })
    const rows = [third, other, better, worse, ...field(10)]
    expect(ruleOf(rows, 8, 'ONE_PER_CLUSTER')).toMatchObject({ status: 'pass' })
    expect(ruleOf(rows, 9, 'ONE_PER_CLUSTER')).toMatchObject({
      status: 'flag',
      reason: 'entry 8 of its cluster ranks higher: is it one owner?',
    })
  })

  it('pass to the next when a winner is disqualified', () => {
    const winner = entry(1, 30, { reviews: [{ rule: 'WASH', status: 'fail', reason: 'traded with itself' }] })
    const rows = [winner, entry(2, 20), entry(3, 10), ...field(9)]
    expect(placesOf(rows)).toEqual([
      [1, 2],
      [2, 3],
      [3, 100],
    ])
    expect(ruleOf(rows, 1, 'WASH')).toMatchObject({ status: 'fail', reviewed: true })
  })

  it('are not given to an unvalued entry, even after a review', () => {
    const review = { rule: 'UNVALUED', status: 'pass', reason: 'looked at' } as const
    const rows = [entry(1, null, { reviews: [review] }), entry(2, 20), ...field(10)]
    expect(placesOf(rows)[0]).toEqual([1, 2])
  })
})

describe('rules', () => {
  it.each([
    ['CONFIRMED', { facts: { confirmed: false } }, 'fail'],
    ['SANCTIONS', { facts: { sanctioned: 'agent_wallet' } }, 'fail'],
    ['OWNER', { facts: { owner: 'changed' } }, 'flag'],
    ['OWNER', { facts: { owner: 'unreadable' } }, 'flag'],
    ['OWNER', { facts: { owner: 'gone' } }, 'fail'],
    ['STAYED', { facts: { left: true } }, 'fail'],
    ['MIN_TRADES', { numbers: { trades: 2 } }, 'fail'],
    ['ACTIVE_DAYS', { numbers: { activeDays: 1 } }, 'fail'],
    ['UNVALUED', { numbers: { unvalued: 1 } }, 'flag'],
    ['UNVALUED', { numbers: { unknownGas: 1 } }, 'flag'],
    ['PRICE_OUTLIERS', { numbers: { outliers: 1 } }, 'flag'],
    ['BEYOND_MARKS', { numbers: { profitMicroUsd: 100_000_000n, beyondMarksMicroUsd: 50_000_001n } }, 'flag'],
    ['BEYOND_MARKS', { numbers: { profitMicroUsd: 100_000_000n, beyondMarksMicroUsd: 50_000_000n } }, 'pass'],
    ['BEYOND_MARKS', { numbers: { profitMicroUsd: 20_000_000n, beyondMarksMicroUsd: 20_000_000n } }, 'pass'],
    ['WASH', { numbers: { trades: 12, roundTrips: 3 } }, 'flag'],
    ['WASH', { numbers: { trades: 13, roundTrips: 3 } }, 'pass'],
    ['COPY_TRADING', { copying: { leaderId: 9, followed: 7 } }, 'flag'],
    ['PARTICIPANT_TOKEN', { facts: { ownTokenSwaps: 1 } }, 'fail'],
    ['PARTICIPANT_TOKEN', { facts: { participantSwaps: 1 } }, 'flag'],
    ['TRANSFERS', { facts: { transfers: 'unreadable' } }, 'flag'],
    ['TRANSFERS', { facts: { transfers: 'pending' } }, 'pending'],
    ['FUNDER', { facts: { funders: 'unreadable' } }, 'flag'],
    ['FUNDER', { facts: { funders: 'none' } }, 'flag'],
  ] as const)('%s of %o is a %s', (rule, own, status) => {
    const rows = [entry(1, 5, own), ...field(10)]
    expect(ruleOf(rows, 1, rule)?.status).toBe(status)
    const eligible = judge(rows).rows.find(({ entryId }) => entryId === 1)?.eligible
    expect(eligible).toBe(status === 'pass')
  })

  it('wait for the season’s end if only that can decide', () => {
    const young = entry(1, 5, { numbers: { trades: 1, activeDays: 1 } })
    const { rows } = judgeSeason([young], 'running', CURRENT_RULES)
    const waiting = rows[0]!.rules.filter(({ status }) => status === 'pending').map(({ rule }) => rule)
    expect(waiting).toEqual(['MIN_TRADES', 'ACTIVE_DAYS', 'COPY_TRADING'])
    expect(rows[0]!.status).toBe('pending')
  })

  it('can be reviewed, but for the confirmation and the sanctions list', () => {
    expect(RULE_NAMES.filter((rule) => !isReviewable(rule))).toEqual(['CONFIRMED', 'SANCTIONS'])
    expect(isReviewable('NO_SUCH_RULE')).toBe(false)
    const { facts, numbers } = entry(1, 5, { facts: { confirmed: false, sanctioned: 'owner' } })
    const all = ['CONFIRMED', 'SANCTIONS', 'STAYED'].map((rule) => ({
      rule,
      status: 'pass' as const,
      reason: 'let it be',
    }))
    const results = judgeEntry({ ...facts, ...numbers, left: true, copying: null, ended: true }, all)
    expect(results.filter(({ status }) => status === 'fail').map(({ rule }) => rule)).toEqual([
      'CONFIRMED',
      'SANCTIONS',
    ])
  })
})

describe('a season is not decided', () => {
  const clean = [entry(2, 20), entry(3, 10), entry(4, 5), ...field(9)]
  const undecided = (entries: EntryRecord[]) => judge(entries).undecidedWinner()
  it('while one who would win has an open question', () => {
    expect(undecided([entry(1, 30, { numbers: { outliers: 1 } }), ...clean])).toBe(true)
    expect(undecided([entry(1, 30, { facts: { funders: 'pending' } }), ...clean])).toBe(true)
  })
  it('but does not wait for those who would win nothing', () => {
    expect(undecided([entry(1, 1, { numbers: { outliers: 1 } }), ...clean])).toBe(false)
    expect(
      undecided([entry(1, 30, { numbers: { outliers: 1 }, facts: { confirmed: false } }), ...clean]),
    ).toBe(false)
    const reviewed = { rule: 'PRICE_OUTLIERS', status: 'pass', reason: 'thin market' } as const
    expect(undecided([entry(1, 30, { numbers: { outliers: 1 }, reviews: [reviewed] }), ...clean])).toBe(false)
  })
  it('and asks the same of an empty one', () => {
    expect(hasUndecidedWinner([], CURRENT_RULES)).toBe(false)
    expect(placeEntries([], CURRENT_RULES).outcome.pays).toBe(false)
  })
})
