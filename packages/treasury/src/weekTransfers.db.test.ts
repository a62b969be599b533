import type { Hex } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import type { TreasuryBucket } from '@pit/protocol'
import { beforeEach, expect, it } from 'vitest'
import {
  BUCKETS,
  ETHER,
  goTo,
  MONDAY_S,
  makeWeeks,
  openTestTreasury,
  STRANGER,
  sendShare,
  type TestTreasury,
  USDG,
} from '../test/openTestTreasury.ts'
import { WEEK_S } from './rules/weeks.ts'

withDb('a week closed with its transfers', (db) => {
  let world: TestTreasury
  const close = (transfers: { bucket: TreasuryBucket; txHash: Hex }[], of = world.treasury) =>
    of.closeWeek({ accept: null, early: false, transfers })
  beforeEach(async () => {
    world = await openTestTreasury(db)
    await makeWeeks(world, 1)
  })

  it('is moved, with the transfers and what they moved, and the rest stays owed', async () => {
    const [operations, buybacks] = [
      sendShare(world, 500_000n),
      sendShare(world, 10n ** 14n, { token: ETHER, to: BUCKETS.buybacks }),
    ]
    const closing = await close([
      { bucket: 'operations', txHash: operations },
      { bucket: 'buybacks', txHash: buybacks },
    ])
    expect(closing).toMatchObject({ kind: 'closed', row: { status: 'moved' } })
    const { weeks, totals, integrity } = await world.answer()
    expect(integrity).toMatchObject({ ok: true, rows: 1 })
    expect(weeks[1]).toMatchObject({
      kind: 'week',
      status: 'moved',
      transfers: [
        {
          bucket: 'operations',
          to: BUCKETS.operations,
          token: USDG,
          amount: '500000',
          tx_hash: operations,
        },
        { bucket: 'buybacks', token: ETHER, amount: String(10n ** 14n), tx_hash: buybacks },
      ],
      tokens: [
        {
          token: ETHER,
          booked: { buybacks: String(4n * 10n ** 14n) },
          moved: { operations: '0', buybacks: String(10n ** 14n) },
          owed_out: { buybacks: String(3n * 10n ** 14n) },
        },
        {
          token: USDG,
          booked: { operations: '500000' },
          moved: { operations: '500000', buybacks: '0', treasury: '0' },
          owed_out: { operations: '0', buybacks: '400000', treasury: '100000' },
        },
      ],
    })
    expect(totals).toMatchObject([
      { moved: { buybacks: String(10n ** 14n) } },
      { moved: { operations: '500000' }, owed: { operations: '0', buybacks: '400000' } },
    ])
    // A later transfer gets a separate row, and no transaction is recorded twice.
    const record = (bucket: TreasuryBucket, txHash: Hex) =>
      world.treasury.recordTransfer({ bucket, txHash, reason: null })
    await expect(record('operations', operations)).rejects.toThrow('recorded for operations already')
    await record('treasury', sendShare(world, 100_000n, { to: BUCKETS.treasury }))
    expect((await world.answer()).weeks.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
      'week preview',
      'transfer moved',
      'week moved',
    ])
  })

  it('is not recorded at all if one of its transfers cannot be', async () => {
    const good = { bucket: 'operations', txHash: sendShare(world, 100n) } as const
    const refused: [{ bucket: TreasuryBucket; txHash: Hex }, string][] = [
      [good, 'named for operations already'],
      [{ bucket: 'buybacks', txHash: good.txHash }, 'sends nothing from the platform'],
      [{ bucket: 'operations', txHash: sendShare(world, 100n, { reverted: true }) }, 'failed'],
      [{ bucket: 'operations', txHash: sendShare(world, 100n, { token: STRANGER }) }, 'sends nothing'],
      [{ bucket: 'operations', txHash: `0x${'ab'.repeat(32)}` }, 'no such mined transaction'],
      [{ bucket: 'operations', txHash: sendShare(world, 500_000n) }, 'which is owed 500000'],
    ]
    for (const [transfer, why] of refused) await expect(close([good, transfer])).rejects.toThrow(why)
    expect((await world.answer()).integrity.rows).toBe(0)
    expect(await db.query('select 1 from treasury_moves')).toEqual([])
    await close([good])
    // A transaction of another week is not taken again.
    await world.trade({ token: USDG, atoms: 1_000_000n })
    goTo(world, MONDAY_S + 2 * WEEK_S + 700)
    await expect(close([good])).rejects.toThrow('recorded for operations already')
    expect((await world.answer()).integrity.rows).toBe(1)
  })

  it('is left to the operator for as long as the settings say, then recorded by the job', async () => {
    const treasury = world.open({ closeDelayS: 7_200 })
    expect(await treasury.closeDueWeeks()).toEqual([])
    expect((await world.answer(treasury)).weeks.at(-1)).toMatchObject({ status: 'preview' })
    goTo(world, MONDAY_S + WEEK_S + 7_300)
    expect(await treasury.closeDueWeeks()).toMatchObject([{ kind: 'closed', row: { status: 'booked' } }])
  })
})
