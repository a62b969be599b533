import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '@pit/platform/db'
import { newDataDirectory } from '@pit/platform/test/embeddedStore'
import { findPostgres, startPostgres } from '@pit/platform/test/postgresServer'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSwitches } from '../features/operator/index.ts'
import { migrateStore } from '../migrateStore.ts'
import { connectOperator } from './connectOperator.ts'

const NOWHERE = '0x0000000000000000000000000000000000000001'
/** Enough of a profile for a store without a chain. */
const PROFILE = {
  name: 'nowhere',
  chain_id: 4663,
  kind: 'devnet',
  rpc_url: 'http://127.0.0.1:9',
  sequencer_url: null,
  explorer_tx: '',
  first_block: 0,
  notes: [],
  contracts: {
    weth: null,
    permit2: NOWHERE,
    multicall3: NOWHERE,
    universal_router: null,
    universal_router_layout: '2.1.0',
    v2_factory: null,
    v2_pair_init_code_hash: null,
    v3_factory: null,
    v3_pool_init_code_hash: null,
    v3_quoter: null,
    v3_position_manager: null,
    v4_pool_manager: null,
    v4_position_manager: null,
    v4_state_view: null,
    v4_quoter: null,
    launchpad_factory: null,
    agent_registry: null,
    stock_beacon: null,
    stock_registry: null,
  },
  delegation: { version: '1.3.0', delegation_manager: NOWHERE, stateless_delegator: NOWHERE, enforcers: {} },
  core_tokens: [],
  listed_stocks: [],
  pins: { partner_usdg: null, reference_pools: {}, fast_pools: {} },
  known_hooks: [],
  fee_recipient: NOWHERE,
  treasury_buckets: { operations: null, buybacks: null, treasury: null },
  cosigner: null,
  vendors: { audit_url: null, gateway_url: null, aggregator_urls: {} },
  league: { first_season: null, platform_agent_id: null },
}
const kill = { name: 'switch', operator: 'ada', reason: 'x', input: { name: 'kill', on: true } }

function withProfile(folder: string): { DATA_DIR: string; PROFILE: string } {
  const file = join(folder, 'profile.json')
  writeFileSync(file, JSON.stringify(PROFILE))
  return { DATA_DIR: folder, PROFILE: file }
}

describe('pit-admin without a server', () => {
  it('works on the embedded store, and says what to do while another process has it open', async () => {
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
  })

  const bin = findPostgres()
  it.skipIf(bin === null)('works on a database of its own version only', async () => {
    const postgres = await startPostgres(bin!)
    onTestFinished(() => postgres.dispose())
    const folder = mkdtempSync(join(tmpdir(), 'pit-connect-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const env = { ...withProfile(folder), DATABASE_URL: await postgres.createDatabase() }
    await expect(connectOperator(env)).rejects.toThrow('older version')
    const db = await openDb({ dataDir: '', databaseUrl: env.DATABASE_URL })
    await migrateStore(db)
    const own = await connectOperator(env)
    expect(own.via).toBe('the database')
    expect(await own.act(kill)).toMatchObject({ changed: true })
    // The chain does not answer: what needs it says so, the rest goes on.
    await expect(
      own.act({ name: 'week.close', operator: 'ada', reason: null, input: { early: false, accept: null } }),
    ).rejects.toThrow(/the chain does not answer.*ECONNREFUSED/)
    expect(await own.act({ name: 'status', operator: 'ada', reason: null, input: {} })).toMatchObject({
      store: 'postgres',
      signer: null,
    })
    await own.close()
    await db.close()
  })

  it('says which setting is wrong', async () => {
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
