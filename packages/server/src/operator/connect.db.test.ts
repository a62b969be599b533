import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '@pit/platform/db'
import { BARE_PROFILE, NOWHERE } from '@pit/platform/test/bareProfile'
import { newDataDirectory } from '@pit/platform/test/embeddedStore'
import { findPostgres, startPostgres } from '@pit/platform/test/postgresServer'
import { createSwitches } from '@pit/sessions'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrateStore } from '../migrateStore.ts'
import { connectOperator } from './connectOperator.ts'

const PROFILE = { ...BARE_PROFILE, rpc_urls: ['http://127.0.0.1:9'], fee_recipient: NOWHERE }
const kill = { name: 'switch', operator: 'ada', reason: 'x', input: { name: 'kill', on: true } }

function withProfile(folder: string): { DATA_DIR: string; PROFILE: string } {
  const file = join(folder, 'profile.json')
  writeFileSync(file, JSON.stringify(PROFILE))
  return { DATA_DIR: folder, PROFILE: file }
}

describe('pit-admin without a server', () => {
  it('works on the embedded store, and explains what to do while another process has it open', async () => {
    const folder = await newDataDirectory()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const env = withProfile(folder)
    const own = await connectOperator(env)
    expect(own.via).toContain(folder)
    expect(await own.act(kill)).toMatchObject({ changed: true })
    await expect(connectOperator(env)).rejects.toThrow('has the store open')
    await own.close()
    const db = await openDb({ dataDir: folder, databaseUrl: null })
    expect(await createSwitches({ db, clock: { nowMs: () => 0 } }).killed()).toBe(true)
    await db.close()
  }, 180_000)

  const bin = findPostgres()
  it.skipIf(bin === null)('works on a database of the same version only', async () => {
    const postgres = await startPostgres(bin!)
    onTestFinished(() => postgres.dispose())
    const folder = mkdtempSync(join(tmpdir(), 'pit-connect-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const list = join(folder, 'sanctions.txt')
    writeFileSync(list, `${NOWHERE}\n`)
    const env = {
      ...withProfile(folder),
      SANCTIONS_FILE: list,
      DATABASE_URL: await postgres.createDatabase(),
    }
    await expect(connectOperator(env)).rejects.toThrow('older version')
    const db = await openDb({ dataDir: '', databaseUrl: env.DATABASE_URL })
    await migrateStore(db)
    const own = await connectOperator(env)
    expect(own.via).toBe('the database')
    expect(await own.act(kill)).toMatchObject({ changed: true })
    // The chain does not answer: actions that need it fail, the rest work.
    await expect(
      own.act({ name: 'week.close', operator: 'ada', reason: null, input: { early: false, accept: null } }),
    ).rejects.toThrow(/the chain gave no usable response.*ECONNREFUSED/)
    expect(await own.act({ name: 'status', operator: 'ada', reason: null, input: {} })).toMatchObject({
      store: 'postgres',
      signer: null,
    })
    // Only a prize needs the list.
    const payout = { season: 1, place: 1, tx_hash: `0x${'ab'.repeat(32)}` }
    const pay = () => own.act({ name: 'league.payout', operator: 'ada', reason: null, input: payout })
    await db.exec(`insert into accounts (id, wallet, created_at_s) overriding system value
        values (1, '${NOWHERE}', 0);
      insert into league_seasons (number, starts_at_s, ends_at_s, state) values (1, 0, 1, 'settled');
      insert into league_entries (board, kind, agent_id, wallet, from_season, owner, agent_wallet,
        beneficiary, token, symbol, name, proof, entered_at_s)
      values ('prize', 'wallet', '1', '${NOWHERE}', 1, '${NOWHERE}', '${NOWHERE}', '${NOWHERE}',
        '${NOWHERE}', '', '', 'statement', 0);
      insert into league_payouts (season, place, entry_id, agent_id, recipient, amount, status)
      select 1, 1, id, '1', wallet, 5, 'planned' from league_entries`)
    await expect(pay()).rejects.toThrow(/sanctions list/)
    expect(await db.query('select 1 from league_payouts where tx_hash is not null')).toEqual([])
    await own.close()
    await db.close()
  })

  it('names the wrong setting', async () => {
    await expect(connectOperator({ ROLE: 'king' })).rejects.toThrow('ROLE')
    const folder = mkdtempSync(join(tmpdir(), 'pit-connect-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const lost = connectOperator({ DATA_DIR: folder, PROFILE: join(folder, 'none.json') })
    await expect(lost).rejects.toMatchObject({
      name: 'OperatorRefused',
      message: expect.stringContaining('none.json'),
    })
  })
})
