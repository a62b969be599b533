import { createHash } from 'node:crypto'
import { withDb } from '@pit/platform/test/withStore'
import { type Answer, canonicalJson } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import {
  ETHER,
  MEME,
  MONDAY_S,
  openTestTreasury,
  PROFILE,
  type TestTreasury,
  USD_E18,
  USDG,
} from '../test/openTestTreasury.ts'
import { WEEK_S } from './rules/weeks.ts'

type Row = Answer<'treasury'>['weeks'][number]
const GWEI = 10n ** 9n

withDb('treasury weeks', (db) => {
  let world: TestTreasury
  /** A block this long after the first Monday. */
  const blockAt = (afterS: number) => world.chain.blockAt(MONDAY_S + afterS)
  /** The chain and the clock come to a time. */
  const goTo = (atS: number) => {
    world.clock.atS = atS
    world.chain.mineTo(world.chain.blockAt(atS))
  }
  const markAll = async (endS: number) => {
    await world.mark(ETHER, endS - 60, 2_000n * USD_E18)
    await world.mark(USDG, endS - 60, USD_E18)
  }
  const labels = ({ weeks }: Answer<'treasury'>) => weeks.map(({ week, status }) => `${week.label} ${status}`)
  beforeEach(async () => {
    world = await openTestTreasury(db)
  })

  it('are split, chained and served as they were hashed', async () => {
    goTo(MONDAY_S)
    await world.treasury.closeDueWeeks()
    await world.trade({ token: ETHER, atoms: 5_000_001n * GWEI, block: blockAt(5_000) })
    await world.trade({ token: USDG, atoms: 2_500_003n, block: blockAt(90_000) })
    world.gift({ token: ETHER, atoms: 1_000n * GWEI, block: blockAt(91_000) })
    world.gift({ token: USDG, atoms: 7n, block: blockAt(92_000) })
    // Not counted: anyone can deploy a token that logs false transfers.
    world.gift({ token: MEME, atoms: 10n ** 30n, block: blockAt(93_000) })
    await markAll(MONDAY_S + WEEK_S)
    goTo(MONDAY_S + WEEK_S + 700)
    expect(await world.treasury.closeDueWeeks()).toMatchObject([{ kind: 'closed', row: { seq: 1 } }])

    const answer = await world.answer()
    expect(answer.integrity).toMatchObject({ ok: true, rows: 1, broken_at: null, why: null })
    const [preview, row] = answer.weeks as [Row, Row]
    expect(preview).toMatchObject({ status: 'preview', seq: null, hash: null, prev_hash: null, tokens: [] })
    expect(preview.recorded_at).toBeNull()
    expect(row).toMatchObject({
      kind: 'week',
      seq: 1,
      status: 'booked',
      week: { start: MONDAY_S, end: MONDAY_S + WEEK_S, label: '2026-W31' },
      prev_hash: null,
      recorded_at: MONDAY_S + WEEK_S + 700,
      reconciliation: {
        status: 'agrees',
        accepted: null,
        eth: 'trace',
        counts: { agrees: 2, outside_ledger: 2, differences: 0 },
      },
    })
    expect(row.tokens).toMatchObject([
      {
        symbol: 'ETH',
        received: '5000001000000000',
        trades: 1,
        outside: '1000000000000',
        outside_trades: 1,
        pool: '5001001000000000',
        status: 'split',
        booked: {
          operations: '2500500500000000',
          buybacks: '2000400400000000',
          treasury: '500100100000000',
        },
        carried_out: '0',
        value_usd: 10,
        mark: { price_usd: 2000, source: 'oracle_feed' },
      },
      {
        symbol: 'USDG',
        received: '2500003',
        outside: '7',
        booked: { operations: '1250005', buybacks: '1000004', treasury: '250001' },
        value_usd: 2.5,
      },
    ])
    const { hash, ...body } = row
    expect(hash).toBe(
      createHash('sha256')
        .update(canonicalJson(body as never))
        .digest('hex'),
    )
    expect(answer.integrity.head).toBe(hash)
    expect(answer.totals).toMatchObject([
      { symbol: 'ETH', held: '5001001000000000', owed: { operations: '2500500500000000' } },
      { symbol: 'USDG', held: '2500010', moved: { operations: '0' } },
    ])
    // The record names no trading wallet and no trade.
    expect(JSON.stringify(answer)).not.toContain('1'.repeat(40))
  })

  it('show the running one before it ends', async () => {
    goTo(MONDAY_S + 1_000)
    await world.trade({ token: USDG, atoms: 1_000_000n })
    await world.treasury.closeDueWeeks()
    await world.mark(USDG, MONDAY_S + 960, USD_E18)
    const answer = await world.answer()
    expect(labels(answer)).toEqual(['2026-W31 preview'])
    expect(answer.weeks[0]).toMatchObject({
      week: { last_block: null },
      tokens: [{ received: '1000000', status: 'split', booked: { operations: '500000' } }],
    })
    expect(answer.totals).toMatchObject([
      { received: '1000000', held: '1000000', booked: { operations: '0' }, owed: { operations: '0' } },
    ])
    expect(await db.query('select 1 from treasury_rows')).toEqual([])
  })

  it('that were missed are recorded in order by a late job', async () => {
    goTo(MONDAY_S)
    await world.treasury.closeDueWeeks()
    for (const week of [0, 1, 2]) {
      await world.trade({
        token: USDG,
        atoms: 1_000_000n + BigInt(week),
        block: blockAt(week * WEEK_S + 7_200),
      })
      await markAll(MONDAY_S + (week + 1) * WEEK_S)
    }
    goTo(MONDAY_S + 3 * WEEK_S + 400_000)
    const closed = await world.treasury.closeDueWeeks()
    expect(closed.map((one) => one.kind === 'closed' && one.row.week.label)).toEqual([
      '2026-W31',
      '2026-W32',
      '2026-W33',
    ])
    const { weeks, integrity } = await world.answer()
    expect(integrity).toMatchObject({ ok: true, rows: 3 })
    expect(weeks.map(({ tokens }) => tokens[0]?.received)).toEqual([
      undefined,
      '1000002',
      '1000001',
      '1000000',
    ])
    expect(await world.treasury.closeDueWeeks()).toEqual([])
  })

  it('belong to the second their block was mined in', async () => {
    world = await openTestTreasury(db, { everyS: 1, startS: MONDAY_S + WEEK_S - 100 })
    world.clock.atS = MONDAY_S + WEEK_S - 50
    world.chain.mineTo(50)
    await world.treasury.closeDueWeeks()
    await world.trade({ token: USDG, atoms: 3_000_000n, block: 99 })
    await world.trade({ token: USDG, atoms: 5_000_000n, block: 100 })
    goTo(MONDAY_S + WEEK_S + 10)
    await markAll(MONDAY_S + WEEK_S)
    await world.treasury.closeDueWeeks()
    const { weeks } = await world.answer()
    expect(weeks.map(({ tokens }) => tokens[0]?.received)).toEqual(['5000000', '3000000'])
    expect(weeks[1]?.week).toMatchObject({ last_block: 99, end: MONDAY_S + WEEK_S })
  })

  it('closed early on a devnet continue from there until Monday', async () => {
    goTo(MONDAY_S + 10_000)
    await world.trade({ token: USDG, atoms: 1_000_000n })
    await world.mark(USDG, MONDAY_S + 9_960, USD_E18)
    const early = await world.treasury.closeWeek({ accept: null, early: true })
    expect(early).toMatchObject({ kind: 'closed', row: { week: { label: '2026-W31.1', start: MONDAY_S } } })
    goTo(MONDAY_S + 20_000)
    await world.trade({ token: USDG, atoms: 2_000_000n })
    await world.mark(USDG, MONDAY_S + 19_980, USD_E18)
    await world.treasury.closeWeek({ accept: null, early: true })
    await world.trade({ token: USDG, atoms: 4_000_000n, block: blockAt(30_000) })
    await markAll(MONDAY_S + WEEK_S)
    await world.trade({ token: USDG, atoms: 8_000_000n, block: blockAt(WEEK_S + 5_000) })
    await markAll(MONDAY_S + 2 * WEEK_S)
    goTo(MONDAY_S + 2 * WEEK_S + 1_000)
    await world.treasury.closeDueWeeks()
    const { weeks, integrity, totals } = await world.answer()
    expect(integrity).toMatchObject({ ok: true, rows: 4 })
    expect(weeks.slice(1).map(({ week, tokens }) => [week.label, tokens[0]?.received])).toEqual([
      ['2026-W32', '8000000'],
      ['2026-W31.3', '4000000'],
      ['2026-W31.2', '2000000'],
      ['2026-W31.1', '1000000'],
    ])
    for (const [i, { week }] of weeks.slice(1, -1).entries()) {
      expect([week.start, week.first_block]).toEqual([
        weeks[i + 2]!.week.end,
        (weeks[i + 2]!.week.last_block ?? 0) + 1,
      ])
    }
    expect(totals).toMatchObject([
      { received: '15000000', held: '15000000', booked: { treasury: '1500000' } },
    ])
  })

  it('that cannot be closed early continue unchanged', async () => {
    goTo(MONDAY_S + 10_000)
    await world.trade({ token: USDG, atoms: 1_000_000n, arrives: 999_999n })
    expect(await world.treasury.closeWeek({ accept: null, early: true })).toMatchObject({
      kind: 'waits',
      differences: 1,
    })
    expect(await db.query('select 1 from treasury_ends where end_s > $1', [MONDAY_S])).toEqual([])
    expect(await world.treasury.closeDueWeeks()).toEqual([])
    expect((await world.answer()).weeks.map(({ week }) => week.label)).toEqual(['2026-W31'])
    expect(await world.treasury.closeWeek({ accept: 'one atom', early: true })).toMatchObject({
      kind: 'closed',
    })
  })

  it('are shown up to eight that wait, and then not as if the running one came next', async () => {
    goTo(MONDAY_S)
    await world.treasury.closeDueWeeks()
    await world.trade({ token: USDG, atoms: 1_000_000n, arrives: 1n, block: blockAt(5_000) })
    goTo(MONDAY_S + 9 * WEEK_S + 700)
    expect(await world.treasury.closeDueWeeks()).toMatchObject([{ kind: 'waits' }])
    const { weeks } = await world.answer()
    expect(weeks).toHaveLength(8)
    expect(weeks[0]?.week).toMatchObject({ label: '2026-W38', end: MONDAY_S + 8 * WEEK_S })
  })

  it('are never closed early on a real chain', async () => {
    world = await openTestTreasury(db, { profile: { ...PROFILE, kind: 'mainnet' } })
    goTo(MONDAY_S + 1_000)
    await expect(world.treasury.closeWeek({ accept: null, early: true })).rejects.toThrow('on a devnet only')
  })

  it('wait for their open trades, and not longer than two hours', async () => {
    world = await openTestTreasury(db, { profile: { ...PROFILE, kind: 'mainnet' } })
    goTo(MONDAY_S + 1_000)
    await world.treasury.closeDueWeeks()
    await world.trade({
      token: USDG,
      atoms: 1_000_000n,
      status: 'pending',
      booked: false,
      block: blockAt(5_000),
    })
    await markAll(MONDAY_S + WEEK_S)
    goTo(MONDAY_S + WEEK_S + 1_800)
    expect(await world.treasury.closeDueWeeks()).toMatchObject([{ kind: 'waits', label: '2026-W31' }])
    await db.query(`update trades set status = 'mined', settled = false`)
    expect(await world.treasury.closeDueWeeks()).toMatchObject([{ kind: 'waits' }])
    await db.query('update trades set settled = true')
    expect(await world.treasury.closeDueWeeks()).toMatchObject([{ kind: 'closed' }])
    await world.trade({
      token: USDG,
      atoms: 1n,
      status: 'pending',
      booked: false,
      block: blockAt(WEEK_S + 5_000),
    })
    goTo(MONDAY_S + 2 * WEEK_S + 7_300)
    expect(await world.treasury.closeDueWeeks()).toMatchObject([{ kind: 'closed' }])
  })

  it('are not recorded if the profile has no platform wallet', async () => {
    world = await openTestTreasury(db, { profile: { ...PROFILE, fee_recipient: null } })
    expect(await world.treasury.closeDueWeeks()).toEqual([])
    expect(await world.answer()).toMatchObject({ platform_wallet: null, weeks: [], totals: [] })
  })
})
