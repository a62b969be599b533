import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '@pit/platform/db'
import { createLogger } from '@pit/platform/monitoring'
import { withDb } from '@pit/platform/test/withStore'
import { createSwitches } from '@pit/sessions'
import {
  BUCKETS,
  ETHER,
  MONDAY_S,
  openTestTreasury,
  PLATFORM,
  PROFILE,
  type TestTreasury,
  USD_E18,
  USDG,
} from '@pit/treasury/test/openTestTreasury'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { LEAGUE } from './league.ts'
import { openOperator } from './openOperator.ts'
import { NobodyThere, reachSocket } from './reachSocket.ts'
import { serveAdmin } from './serveAdmin.ts'
import { adminSocketPath } from './socketPath.ts'
import { type LeagueActs, type Operator, OperatorRefused } from './types.ts'

withDb('an operator', (db) => {
  let world: TestTreasury
  let operator: Operator
  const open = (league: LeagueActs = LEAGUE, store: Db = db) =>
    openOperator({
      db: store,
      rpc: world.chain.rpc,
      clock: world.clock,
      profile: PROFILE,
      treasury: world.open({ db: store }),
      signer: {
        health: async () => ({ status: 'ok', cosigner: '0xc0', frozen: true, version: '1' }) as never,
      },
      league,
      vault: null,
      isSanctioned: () => false,
    })
  const act = (name: string, input: object = {}, reason: string | null = null, by = 'ada') =>
    operator.act({ name, operator: by, reason, input: input as Record<string, unknown> })
  const audit = async () =>
    (await act('audit.list', { limit: 100, before: null })) as {
      action: string
      details: Record<string, unknown>
      reason: string | null
      operator: string
      at_s: number
    }[]
  beforeEach(async () => {
    world = await openTestTreasury(db)
    world.clock.atS = MONDAY_S + 10_000
    world.chain.mineTo(world.chain.blockAt(world.clock.atS))
    operator = open()
  })

  it('accepts a sanctions list that is no worse than the last, and records both', async () => {
    const list = (addresses: number, published_on: string) => ({
      ...{ addresses, published_on, sha256: 'ab'.repeat(32), source: 'sdn.xml', max_shrink_pct: 10 },
    })
    const take = (addresses: number, on: string, reason: string | null = null, more = {}) =>
      act('sanctions.update', { ...list(addresses, on), ...more }, reason)
    expect(await take(100, '2026-11-10')).toMatchObject({ before: null, addresses: 100 })
    await expect(take(89, '2026-11-12')).rejects.toThrow('from 100 addresses to 89')
    await expect(take(100, '2026-11-09')).rejects.toThrow('published on 2026-11-09')
    expect(await take(90, '2026-11-12')).toMatchObject({ before: { addresses: 100 } })
    await take(90, '2026-11-09', 'the newer one was withdrawn')
    await take(10, '2026-11-13', null, { max_shrink_pct: 90 })
    expect((await audit()).map(({ details }) => details['addresses'])).toEqual([10, 90, 90, 100])
  })

  it('records each switch with its reason', async () => {
    expect(await act('switch', { name: 'kill', on: true }, 'prices look wrong')).toMatchObject({
      changed: true,
    })
    expect(await act('switch', { name: 'kill', on: true }, 'still')).toMatchObject({ changed: false })
    expect(await createSwitches({ db, clock: world.clock }).killed()).toBe(true)
    await act('switch', { name: 'live', on: false }, 'drill', 'bob')
    expect(await audit()).toMatchObject([
      {
        action: 'switch',
        details: { name: 'live', on: false, changed: true },
        reason: 'drill',
        operator: 'bob',
      },
      { details: { name: 'kill', changed: false }, reason: 'still' },
      { details: { name: 'kill', changed: true }, reason: 'prices look wrong', at_s: world.clock.atS },
    ])
    expect(await act('status')).toMatchObject({
      switches: { kill: { on: true, reason: 'prices look wrong' }, live: { on: false } },
      signer: { status: 'ok', frozen: true },
      treasury: { integrity: { ok: true, rows: 0 } },
    })
  })

  it.each([
    ['nothing', {}, 'x', 'unknown action "nothing"'],
    ['toString', {}, 'x', 'unknown action "toString"'],
    ['switch', { name: 'kill', on: true }, null, '--reason is missing'],
    ['switch', { name: 'kill', on: true }, ' ', 'a reason must have'],
    ['switch', { name: 'kill', on: true }, 'a\nb', 'invisible characters'],
    ['switch', { name: 'kill', on: true }, 'a\u202eb', 'invisible characters'],
    ['switch', { name: 'fire', on: true }, 'x', 'name'],
    ['switch', { name: 'kill', on: 'yes' }, 'x', 'on'],
    ['switch', { name: 'kill', on: true, more: 1 }, 'x', 'more'],
    ['transfer.record', { bucket: 'operations', tx_hash: '0x12' }, null, 'tx_hash'],
    ['week.close', { early: false, accept: '   ' }, null, 'accept'],
    [
      'week.close',
      { early: false, accept: null, transfers: [{ bucket: 'fun', tx_hash: '0x12' }] },
      null,
      'transfers',
    ],
    ['week.close', { early: false, accept: 'seen\u0000' }, null, 'accept'],
    ['league.settle', { season: 1, gain: null, partner_price_e18: '0' }, 'x', 'partner_price_e18'],
    ['league.settle', { season: 1, gain: null, partner_price_e18: null }, null, 'season 1 does not exist'],
  ])('rejects %s %j', async (name, input, reason, why) => {
    const refusal = await act(name, input, reason).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(OperatorRefused)
    expect((refusal as Error).message).toContain(why)
    expect(await audit()).toEqual([])
    expect(await db.query('select 1 from operator_switches')).toEqual([])
  })

  it('needs a name', async () => {
    await expect(act('status', {}, null, '')).rejects.toThrow('--operator')
  })

  it('does nothing if the action cannot be recorded', async () => {
    const broken: Db = {
      ...db,
      transaction: (run, options) =>
        db.transaction(
          (sql) =>
            run({
              query: (text, values) =>
                text.includes('operator_actions')
                  ? Promise.reject(new Error('disk full'))
                  : sql.query(text, values),
            }),
          options,
        ),
    }
    operator = open(LEAGUE, broken)
    await world.trade({ token: USDG, atoms: 1_000_000n })
    await expect(act('switch', { name: 'kill', on: true }, 'x')).rejects.toThrow('disk full')
    await expect(act('week.close', { early: true, accept: null })).rejects.toThrow('disk full')
    expect(await db.query('select 1 from operator_switches')).toEqual([])
    expect(await db.query('select 1 from treasury_rows')).toEqual([])
    expect(await db.query('select 1 from treasury_ends')).toEqual([])
  })

  it('closes a week early on a devnet and records a transfer, both with their hashes', async () => {
    await world.trade({ token: USDG, atoms: 2_000_000n })
    // ETH for the transfer's gas.
    world.gift({ token: ETHER, atoms: 10n ** 15n })
    await world.mark(USDG, world.clock.atS - 60, USD_E18)
    const closing = await act('week.close', { early: true, accept: null })
    expect(closing).toMatchObject({ kind: 'closed', row: { seq: 1 } })
    const moves = [{ token: USDG, from: PLATFORM, to: BUCKETS.treasury, atoms: 200_000n }]
    const { hash } = world.chain.add({ from: PLATFORM, to: USDG, moves })
    await act('transfer.record', { bucket: 'treasury', tx_hash: hash })
    const { integrity } = await world.answer()
    expect(await audit()).toMatchObject([
      {
        action: 'transfer.record',
        details: { bucket: 'treasury', tx_hash: hash, seq: 2, hash: integrity.head },
      },
      { action: 'week.close', details: { early: true, accept: null, seq: 1, week: '2026-W31.1' } },
    ])
    // A refused action changes nothing and is not recorded.
    await expect(act('transfer.record', { bucket: 'treasury', tx_hash: hash })).rejects.toThrow('already')
    expect(await act('week.close', { early: false, accept: null })).toEqual({ kind: 'nothing due' })
    expect(await audit()).toHaveLength(2)
  })

  it('closes a week with a transfer of its shares and records the transfer with the action', async () => {
    await world.trade({ token: USDG, atoms: 2_000_000n })
    world.gift({ token: ETHER, atoms: 10n ** 15n })
    await world.mark(USDG, world.clock.atS - 60, USD_E18)
    const moves = [{ token: USDG, from: PLATFORM, to: BUCKETS.treasury, atoms: 200_000n }]
    const { hash } = world.chain.add({ from: PLATFORM, to: USDG, moves })
    const transfers = [{ bucket: 'treasury', tx_hash: hash }]
    const closing = await act('week.close', { early: true, accept: null, transfers })
    expect(closing).toMatchObject({ row: { status: 'moved', transfers: [{ amount: '200000' }] } })
    expect(await audit()).toMatchObject([
      { action: 'week.close', details: { seq: 1, transfers: [{ tx_hash: hash, amount: '200000' }] } },
    ])
  })

  it('records actions done elsewhere before and after', async () => {
    for (const phase of ['asked', 'done']) {
      await act('note', { action: 'signer.freeze', phase, why: null }, 'a key leaked')
    }
    expect(await audit()).toMatchObject([
      { action: 'signer.freeze', details: { phase: 'done' } },
      { action: 'signer.freeze', details: { phase: 'asked' }, reason: 'a key leaked' },
    ])
    await expect(act('note', { action: 'week.close', phase: 'done', why: null }, 'x')).rejects.toThrow(
      'action',
    )
  })

  it('keeps an append-only audit', async () => {
    await act('switch', { name: 'kill', on: true }, 'x')
    await expect(db.query(`update operator_actions set operator = 'eve'`)).rejects.toThrow('only added')
    await expect(db.query('delete from operator_actions')).rejects.toThrow('only added')
  })

  it('judges, settles and pays in the league’s own transactions', async () => {
    const done: unknown[] = []
    const keep = async (_: unknown, request: object) => {
      done.push(request)
      return { amount: 5n } as never
    }
    operator = open({
      ...LEAGUE,
      reviewRule: keep,
      settleSeason: keep,
      recordPayout: keep,
      recordWithdrawal: keep,
    })
    const tx_hash = `0x${'ab'.repeat(32)}`
    await act('league.review', { season: 1, entry_id: 7, rule: 'OUTLIERS', status: 'pass' }, 'looked at it')
    await expect(
      act('league.settle', { season: 1, gain: '-5', partner_price_e18: null }, null),
    ).rejects.toThrow('--reason is missing')
    await act('league.settle', { season: 1, gain: '-5', partner_price_e18: null }, 'read by hand')
    await act('league.payout', { season: 1, place: 2, tx_hash })
    await act('league.withdrawal', { season: 1, tx_hash: null, amount: '0' }, 'none needed')
    expect(done).toMatchObject([
      { season: 1, entryId: 7, rule: 'OUTLIERS', status: 'pass', reason: 'looked at it', operator: 'ada' },
      { season: 1, gain: -5n, profile: PROFILE },
      { season: 1, place: 2, txHash: tx_hash, atS: world.clock.atS },
      { season: 1, txHash: null, amount: 0n, note: 'none needed' },
    ])
    expect((await audit()).map(({ action }) => action)).toEqual([
      'league.withdrawal',
      'league.payout',
      'league.settle',
      'league.review',
    ])
  })

  describe('on a running server’s socket', () => {
    const logger = createLogger({ level: 'silent' })
    const newFolder = () => {
      const folder = mkdtempSync(join(tmpdir(), 'pit-admin-'))
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
      return folder
    }

    it('works as in the same process, for this user only', async () => {
      const path = adminSocketPath(newFolder())
      // As a killed process leaves it.
      writeFileSync(path, '')
      const served = await serveAdmin({ operator, path, logger })
      expect(statSync(path).mode & 0o777).toBe(0o600)
      const far = reachSocket(path)
      const request = { name: 'switch', operator: 'ada', reason: 'x', input: { name: 'kill', on: true } }
      expect(await far.act(request)).toEqual({ name: 'kill', on: true, changed: true })
      const refusal = await far.act({ ...request, reason: null }).catch((error: unknown) => error)
      expect(refusal).toBeInstanceOf(OperatorRefused)
      expect((refusal as Error).message).toContain('--reason is missing')
      // A second server on the same folder leaves the socket to the first.
      expect(await serveAdmin({ operator, path, logger })).toBeNull()
      await served!.close()
      await expect(far.act(request)).rejects.toBeInstanceOf(NobodyThere)
      expect(await audit()).toHaveLength(1)
    })

    it('uses a short path for a data directory with a long name', async () => {
      const folder = join(newFolder(), 'x'.repeat(120))
      const path = adminSocketPath(folder)
      expect(Buffer.byteLength(path)).toBeLessThan(104)
      expect(adminSocketPath(folder)).toBe(path)
      const served = await serveAdmin({ operator, path, logger })
      expect(
        await reachSocket(path).act({ name: 'status', operator: 'a', reason: null, input: {} }),
      ).toBeTruthy()
      await served!.close()
    })

    it.skipIf(process.getuid?.() !== 0)('rejects another user’s socket in a shared folder', async () => {
      const path = adminSocketPath(join(newFolder(), 'y'.repeat(120)))
      const served = await serveAdmin({ operator, path, logger })
      onTestFinished(() => served!.close())
      chownSync(path, 65_534, 65_534)
      const request = { name: 'status', operator: 'a', reason: null, input: {} }
      await expect(reachSocket(path).act(request)).rejects.toThrow('belongs to another user')
      await expect(serveAdmin({ operator, path, logger })).rejects.toThrow('belongs to another user')
    })

    it('rejects invalid and oversized commands', async () => {
      const path = adminSocketPath(newFolder())
      const served = await serveAdmin({ operator, path, logger })
      onTestFinished(() => served!.close())
      const far = reachSocket(path)
      const long = { name: 'switch', operator: 'ada', reason: 'x'.repeat(70_000), input: {} }
      await expect(far.act(long)).rejects.toThrow()
      await expect(far.act({ name: 'switch' } as never)).rejects.toThrow('not a command')
      expect(await audit()).toEqual([])
    })
  })
})
