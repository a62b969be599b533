import type { Hex } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  BUCKETS,
  ETHER,
  goTo,
  MONDAY_S,
  makeWeeks,
  openTestTreasury,
  PLATFORM,
  PROFILE,
  STRANGER,
  sendShare,
  type TestTreasury,
  TRADER,
  USD_E18,
  USDG,
} from '../test/openTestTreasury.ts'
import { RecordBroken } from './closeWeek.ts'
import { WEEK_S } from './rules/weeks.ts'

withDb('the treasury’s record', (db, store) => {
  let world: TestTreasury
  beforeEach(async () => {
    world = await openTestTreasury(db)
  })

  it('records each week once, for concurrent closings too', async () => {
    await makeWeeks(world, 3)
    const second = await store().openSecond?.()
    const jobs = [
      world.treasury,
      world.open(),
      world.open({ db: second ?? db }),
      world.open({ db: second ?? db }),
    ]
    const closings = await Promise.all(jobs.map((job) => job.closeDueWeeks()))
    const closed = closings.flat().filter(({ kind }) => kind === 'closed')
    expect(closed).toHaveLength(3)
    const { integrity, weeks, totals } = await world.answer()
    expect(integrity).toMatchObject({ ok: true, rows: 3 })
    expect(weeks.slice(1).map(({ week }) => week.label)).toEqual(['2026-W33', '2026-W32', '2026-W31'])
    expect(totals).toMatchObject([{ received: '3000000000000000' }, { received: '3000000', held: '3000000' }])
  })

  it('is only ever added to', async () => {
    await makeWeeks(world, 1)
    await world.treasury.closeDueWeeks()
    const attempts = [
      `update treasury_rows set body = '{}'`,
      'delete from treasury_rows',
      'truncate treasury_rows cascade',
    ]
    for (const attempt of attempts) {
      await expect(db.query(attempt)).rejects.toThrow('rows are only added')
    }
  })

  describe('when someone changed it', () => {
    const withoutGuard = async (change: () => Promise<unknown>) => {
      await db.exec('alter table treasury_rows disable trigger all')
      await change()
      await db.exec('alter table treasury_rows enable trigger all')
    }
    const stored = () =>
      db.query<{ seq: number; body: string; hash: string }>('select * from treasury_rows order by seq')
    /** As another process sees it, which has cached nothing. */
    const seen = () => world.answer(world.open())
    beforeEach(async () => {
      await makeWeeks(world, 3)
      await world.treasury.closeDueWeeks()
    })

    it('is found at the changed row, whichever byte of whichever row and column it is', async () => {
      const rows = await stored()
      let tried = 0
      for (const { seq, body, hash } of rows) {
        const changes = [
          ...Array.from({ length: 12 }, (_, i) => ({
            column: 'body',
            text: body,
            at: (i * 97) % body.length,
          })),
          ...[0, 31, 63].map((at) => ({ column: 'hash', text: hash, at })),
        ]
        for (const { column, text, at } of changes) {
          const changed = text.slice(0, at) + (text[at] === '0' ? '1' : '0') + text.slice(at + 1)
          const write = (value: string) =>
            withoutGuard(() =>
              db.query(`update treasury_rows set ${column} = $2 where seq = $1`, [seq, value]),
            )
          await write(changed)
          const { integrity, weeks } = await seen()
          expect(integrity).toMatchObject({ ok: false, rows: 3, broken_at: seq })
          expect(integrity.head).toBe(rows[seq - 2]?.hash ?? null)
          // Neither it, nor later rows, nor a preview.
          expect(weeks.map((row) => row.seq)).toEqual([2, 1].filter((each) => each < seq))
          await write(text)
          tried++
        }
      }
      expect(tried).toBe(45)
      await withoutGuard(() => db.query('update treasury_rows set seq = 7 where seq = 2'))
      expect((await seen()).integrity).toMatchObject({ broken_at: 2, why: 'row 2 is missing' })
      await withoutGuard(() => db.query('update treasury_rows set seq = 2 where seq = 7'))
      expect((await seen()).integrity).toMatchObject({ ok: true })
    })

    it('is missed although the newest row is gone', async () => {
      await withoutGuard(() => db.query('delete from treasury_rows where seq = 3'))
      const { integrity, weeks, totals } = await seen()
      expect(integrity).toMatchObject({ ok: false, rows: 2, broken_at: 3, why: 'row 3 is missing' })
      expect(weeks.map(({ seq }) => seq)).toEqual([2, 1])
      expect(totals).toMatchObject([{ received: '2000000000000000' }, { received: '2000000' }])
    })

    it('takes no further row', async () => {
      await withoutGuard(() => db.query(`update treasury_rows set body = body || ' ' where seq = 2`))
      await world.trade({ token: USDG, atoms: 1n, block: world.chain.blockAt(MONDAY_S + 3 * WEEK_S + 9_000) })
      goTo(world, MONDAY_S + 4 * WEEK_S + 700)
      await expect(world.treasury.closeDueWeeks()).rejects.toThrow(RecordBroken)
      await expect(
        world.treasury.recordTransfer({
          bucket: 'operations',
          txHash: sendShare(world, 500_000n),
          reason: null,
        }),
      ).rejects.toThrow('row 2')
      expect(await stored()).toHaveLength(3)
    })
  })

  describe('of transfers', () => {
    const record = (txHash: Hex, reason: string | null = null) =>
      world.treasury.recordTransfer({ bucket: 'operations', txHash, reason })
    beforeEach(async () => {
      await makeWeeks(world, 1)
      await world.treasury.closeDueWeeks()
    })

    it('takes token and amount from the chain, and lowers what is owed by a separate row', async () => {
      const before = (await world.answer()).weeks
      await record(sendShare(world, 300_000n))
      await record(sendShare(world, 5n * 10n ** 14n, { token: ETHER }))
      const { weeks, totals, integrity } = await world.answer()
      expect(integrity).toMatchObject({ ok: true, rows: 3 })
      expect(weeks.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
        'week preview',
        'transfer moved',
        'transfer moved',
        'week booked',
      ])
      // Earlier rows are unchanged.
      expect(weeks.at(-1)).toEqual(before.at(-1))
      expect(weeks[2]).toMatchObject({
        transfers: [
          { bucket: 'operations', to: BUCKETS.operations, token: USDG, symbol: 'USDG', amount: '300000' },
        ],
        tokens: [
          {
            moved: { operations: '300000', buybacks: '0' },
            owed_in: { operations: '500000' },
            owed_out: { operations: '200000', buybacks: '400000' },
          },
        ],
      })
      expect(totals).toMatchObject([
        { moved: { operations: '500000000000000' }, owed: { operations: '0' } },
        {
          moved: { operations: '300000' },
          owed: { operations: '200000', buybacks: '400000' },
          held: '700000',
        },
      ])
      // The next week starts from there.
      await world.trade({ token: USDG, atoms: 1_000_000n })
      await world.mark(USDG, MONDAY_S + 2 * WEEK_S - 60, USD_E18)
      goTo(world, MONDAY_S + 2 * WEEK_S + 700)
      await world.treasury.closeDueWeeks()
      expect((await world.answer()).weeks[1]?.tokens).toMatchObject([
        { owed_in: { operations: '200000' }, owed_out: { operations: '700000' } },
      ])
    })

    it('takes none twice, none that failed, and none that went elsewhere', async () => {
      const hash = sendShare(world, 100n)
      await record(hash)
      await expect(record(hash)).rejects.toThrow('recorded for operations already')
      await expect(record(sendShare(world, 100n, { reverted: true }))).rejects.toThrow('failed')
      await expect(record(sendShare(world, 100n, { to: STRANGER }))).rejects.toThrow(
        'sends nothing from the platform',
      )
      await expect(record(`0x${'ab'.repeat(32)}`)).rejects.toThrow('no such mined transaction')
      const moves = [{ token: USDG, from: TRADER, to: BUCKETS.operations, atoms: 5n }]
      await expect(record(world.chain.add({ from: TRADER, to: USDG, moves }).hash)).rejects.toThrow(
        'sends nothing',
      )
      // Any token can log a transfer from the platform wallet.
      await expect(record(sendShare(world, 100n, { token: STRANGER }))).rejects.toThrow('sends nothing')
      expect((await world.answer()).integrity.rows).toBe(2)
    })

    it('counts what was sent to a wallet of two buckets for one of them', async () => {
      const profile = { ...PROFILE, treasury_buckets: { ...BUCKETS, buybacks: BUCKETS.operations } }
      const shared = world.open({ profile })
      const txHash = sendShare(world, 100n)
      await shared.recordTransfer({ bucket: 'buybacks', txHash, reason: null })
      await expect(shared.recordTransfer({ bucket: 'operations', txHash, reason: null })).rejects.toThrow(
        'recorded for buybacks already',
      )
      const own = world.open({
        profile: { ...PROFILE, treasury_buckets: { ...BUCKETS, operations: PLATFORM } },
      })
      const self = sendShare(world, 100n, { to: PLATFORM })
      await expect(own.recordTransfer({ bucket: 'operations', txHash: self, reason: null })).rejects.toThrow(
        'no transfer is needed',
      )
    })

    it('takes more than is owed only with a reason, and the bucket owes the rest', async () => {
      const hash = sendShare(world, 600_000n)
      await expect(record(hash)).rejects.toThrow('which is owed 500000')
      await record(hash, 'rounded up')
      expect((await world.answer()).totals[1]).toMatchObject({ owed: { operations: '-100000' } })
    })

    it('takes none for a bucket without a wallet: its share is booked and held', async () => {
      const profile = { ...PROFILE, treasury_buckets: { ...BUCKETS, operations: null } }
      const held = world.open({ profile })
      await expect(
        held.recordTransfer({ bucket: 'operations', txHash: sendShare(world, 1n), reason: null }),
      ).rejects.toThrow('its share is held')
      expect((await world.answer(held)).buckets).toEqual({ ...BUCKETS, operations: null })
    })
  })

  it('is one response for all readers, rebuilt after a new row or half a minute', async () => {
    await makeWeeks(world, 1)
    let reads = 0
    const counted: typeof db = {
      ...db,
      transaction(...args) {
        reads++
        return db.transaction(...args)
      },
    }
    const treasury = world.open({ db: counted })
    const ask = () => world.answer(treasury)
    const [first] = await Promise.all([ask(), ask(), ask()])
    expect(reads).toBe(1)
    world.clock.atS += 20
    expect(await ask()).toEqual({ ...first, cached_s: 20 })
    expect(reads).toBe(1)
    await world.treasury.closeDueWeeks()
    world.clock.atS += 1
    expect((await ask()).integrity.rows).toBe(1)
    expect(reads).toBe(2)
    world.clock.atS += 30
    expect((await ask()).cached_s).toBe(0)
    expect(reads).toBe(3)
  })

  it('is served from memory for a while without the store, and what is held is null without a chain', async () => {
    await makeWeeks(world, 1)
    await world.treasury.closeDueWeeks()
    let fails = false
    const flaky = {
      ...db,
      transaction: ((...args) =>
        fails ? Promise.reject(new Error('down')) : db.transaction(...args)) as typeof db.transaction,
    }
    const treasury = world.open({ db: flaky })
    world.chain.isDown = true
    expect((await world.answer(treasury)).totals).toMatchObject([{ held: null }, { held: null }])
    fails = true
    world.clock.atS += 60
    expect((await world.answer(treasury)).cached_s).toBe(60)
    world.clock.atS += 600
    await expect(world.answer(treasury)).rejects.toThrow('down')
  })

  it('is served as it was while a row has come and the store does not answer', async () => {
    await makeWeeks(world, 1)
    let fails = false
    const flaky = {
      ...db,
      transaction: ((...args) =>
        fails ? Promise.reject(new Error('down')) : db.transaction(...args)) as typeof db.transaction,
    }
    const treasury = world.open({ db: flaky })
    await world.answer(treasury)
    await treasury.closeDueWeeks()
    fails = true
    expect((await world.answer(treasury)).integrity.rows).toBe(0)
    fails = false
    world.clock.atS += 1
    expect((await world.answer(treasury)).integrity.rows).toBe(1)
  })
})
