import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogger } from '@pit/platform/monitoring'
import { withDb } from '@pit/platform/test/withDb'
import type { PitError } from '@pit/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { grant, storedOf } from '../../test/kit.ts'
import { ask, clock, leaf, register, resetTime, time } from '../../test/ledgerKit.ts'
import { openHome } from './openHome.ts'
import { ledgerMigrations, openLedger } from './openLedger.ts'

withDb(
  'the ledger’s home',
  (db) => {
    let folder: string
    const file = () => join(folder, 'ledger-mark.json')
    const logger = createLogger({ level: 'silent' })
    const open = () => openHome({ db, clock, folder, logger })
    const ledger = openLedger({ db, clock })
    beforeEach(async () => {
      resetTime()
      folder = mkdtempSync(join(tmpdir(), 'pit-home-'))
      for (const table of ['leaves', 'revocations', 'roots', 'ledger_home'])
        await db.query(`delete from ${table}`)
    })
    afterEach(() => rmSync(folder, { recursive: true, force: true }))
    /** Like a restored dump: the row names the old database. */
    const move = () => db.query('update ledger_home set database = database + 1')
    const codeOf = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: PitError) => error.code,
      )
    const afterLeaves = () => {
      time.nowMs += 150_000
    }

    it('is where it first was, and stays there over restarts', async () => {
      expect((await open()).trouble()).toBeNull()
      expect(statSync(file()).mode & 0o777).toBe(0o600)
      const home = await open()
      await home.check()
      expect(home.trouble()).toBeNull()
      expect(await ask(ledger, leaf(await register(ledger)))).toBe('leaf 1')
      expect(await codeOf(home.accept('nothing'))).toBe('BAD_REQUEST')
    })

    describe('of a ledger that was restored', () => {
      it('is shut: nothing is counted, registered or signed', async () => {
        await open()
        const stored = await register(ledger)
        await move()
        const home = await open()
        expect(home.trouble()).toBe('the ledger was restored from a backup')
        await expect(ledger.countLeaf(leaf(stored))).rejects.toThrow('restored from a backup')
        expect(await ledger.isFrozen()).toBe(true)
        expect(await ledger.register(storedOf(grant()))).toBe('frozen')
        expect(await db.query('select * from leaves')).toEqual([])
      })

      it('is noticed under a running signer too', async () => {
        const home = await open()
        await move()
        await home.check()
        expect(home.trouble()).not.toBeNull()
      })

      it('opens when the operator accepts it; an unknown loss ends every session that could spend twice', async () => {
        await open()
        const stored = await register(ledger, { max_trades: 1 })
        expect(await ask(ledger, leaf(stored))).toBe('leaf 1')
        // The backup does not know of that trade.
        await db.query('delete from leaves')
        await db.query('update roots set sequence = 0')
        await move()
        const home = await open()
        // Earlier leaves may still be redeemed.
        expect(await codeOf(home.accept('unknown'))).toBe('FORBIDDEN')
        afterLeaves()
        expect(await home.accept('unknown')).toBe(1)
        expect(home.trouble()).toBeNull()
        expect(await ask(ledger, leaf(stored))).toBe('SESSION_REVOKED')
        expect(await ledger.register(stored)).toBe('reused')
        expect(await ask(ledger, leaf(await register(ledger)))).toBe('leaf 1')
        expect((await open()).trouble()).toBeNull()
      })

      it('continues if nothing was lost', async () => {
        await open()
        const stored = await register(ledger)
        await ask(ledger, leaf(stored))
        await move()
        const home = await open()
        expect(await home.accept('nothing')).toBe(0)
        expect(await ask(ledger, leaf(stored))).toBe('leaf 2')
      })
    })

    it('is shut when its database is behind what the signer saw, also for a signer that saw nothing', async () => {
      await open()
      const seen = JSON.parse(readFileSync(file(), 'utf8')) as { position: string }
      const ahead = { ...seen, position: String(BigInt(seen.position) + 10n ** 12n) }
      writeFileSync(file(), JSON.stringify(ahead))
      expect((await open()).trouble()).not.toBeNull()
      rmSync(file())
      const home = await open()
      expect(home.trouble()).not.toBeNull()
      afterLeaves()
      await home.accept('unknown')
      expect((await open()).trouble()).toBeNull()
    })

    it('is shut when a signer that had a ledger finds one without a mark', async () => {
      await open()
      await db.query('delete from ledger_home')
      expect((await open()).trouble()).not.toBeNull()
      expect(existsSync(file())).toBe(true)
      expect(await ledger.isFrozen()).toBe(true)
    })
  },
  ledgerMigrations(),
)
