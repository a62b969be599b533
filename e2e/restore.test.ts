import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createCrypto, type Delegation, type Hex, hexToBytes } from '@pit/chain'
import { openDb } from '@pit/platform/db'
import { findPostgres, type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import type { Answer, ChainProfile, PitError, SessionBinding } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ACCESS, KEY_ID, type KmsServer, REGION, startKms } from '../packages/signer/test/kmsServer.ts'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import { freePort, type ServerProcess, startServerProcess } from './serverProcess.ts'
import {
  openParty,
  type Party,
  type Pending,
  type SessionTrade,
  signaturesFor,
  startGrant,
} from './session/party.ts'
import { newSignerFolder, removeFolder, type SignerProcess, startSignerProcess } from './signerProcess.ts'
import { doTrade, settledRow } from './trading/doTrade.ts'
import { openTrader, receiptOf, type Trader } from './trading/trader.ts'
import { tradingEnv } from './trading/world.ts'

/**
 * Both stores are dumped while everything runs, destroyed, and restored into new databases, by the commands of
 * docs/how-to/operate/backup-and-restore.md. Nothing of the dump is lost, nothing is relayed again; what was
 * signed after the dump is spent on no session twice: the signer stays shut until its operator opens it, and the
 * chain remembers roots.
 * The signer listens on a socket file and its key is in a KMS: the contracts take what that signs.
 */

const run = promisify(execFile)
const bin = findPostgres()
const ETH = 10n ** 18n
const keyOf = (name: string): Hex => keccak256(stringToHex(`restore ${name}`))
const NATIVE = `0x${'0'.repeat(40)}` as const

/** Every table by its row count and a digest of its contents. */
type Contents = Record<string, { rows: number; digest: string | null }>
interface Session {
  grant: Pending
  signature: Hex
}

describe.skipIf(bin === null)('a backup', () => {
  let postgres: PostgresServer
  let devnet: DevnetProcess
  let signerFolder: string
  let signer: SignerProcess
  let kms: KmsServer
  let server: ServerProcess
  let folder: string
  let url: string
  let usdg: Hex
  let urls: { server: string; signer: string }
  let trader: Trader
  let owner: Party
  let executor: Party
  let before: { server: Contents; signer: Contents }
  let backedUp: { session: Session; raw: Hex; hash: Hex; treasury: Answer<'treasury'> }
  let lost: { session: Session; raw: Hex; hash: Hex }

  async function start(): Promise<void> {
    signer = await startSignerProcess({
      folder: signerFolder,
      rpcUrl: devnet.url,
      profileFile: devnet.profileFile,
      env: {
        SIGNER_DATABASE_URL: urls.signer,
        SIGNER_LISTEN: `unix:${signerFolder}/signer.sock`,
        SIGNER_KMS_KEY_ID: KEY_ID,
        SIGNER_KMS_REGION: REGION,
        SIGNER_KMS_URL: kms.url,
        SIGNER_KMS_ACCESS_KEY_ID: ACCESS.accessKeyId,
        SIGNER_KMS_SECRET_KEY: ACCESS.secretKey,
      },
    })
    server = await startServerProcess({
      ...tradingEnv(devnet),
      DATABASE_URL: urls.server,
      PORT: new URL(url).port,
      PUBLIC_URL: 'http://localhost',
      SIGNER_URL: signer.url,
      SIGNER_SECRET: signer.secret,
      MAX_LOOP_DELAY_MS: '60000',
    })
  }
  async function kill(): Promise<void> {
    await server.kill()
    await signer.kill()
    await server.stop()
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'pit-backup-'))
    postgres = await startPostgres(bin!)
    urls = { server: await postgres.createDatabase(), signer: await postgres.createDatabase() }
    devnet = await startDevnetProcess({ MARKET: 'off' })
    const { core_tokens } = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
    usdg = core_tokens.find(({ symbol }) => symbol === 'USDG')!.address.toLowerCase() as Hex
    signerFolder = await newSignerFolder()
    kms = await startKms({ crypto: await createCrypto(), key: hexToBytes(keyOf('co-signer')) })
    url = `http://127.0.0.1:${await freePort()}`
    await start()
    trader = await openTrader(url, { account: 1 })
    owner = await openParty(url, keyOf('owner'))
    executor = await openParty(url, keyOf('executor'))
    for (const { wallet } of [owner, executor])
      await devnet.rpc('hardhat_setBalance', [wallet, `0x${(100n * ETH).toString(16)}`])
  }, 300_000)
  afterAll(async () => {
    await server?.stop()
    await signer?.stop()
    await devnet?.stop()
    await postgres?.dispose()
    await kms?.close()
    if (signerFolder) removeFolder(signerFolder)
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  async function grantSession(): Promise<Session> {
    const { body: grant } = await startGrant(owner, executor.wallet, {
      tokens: ['ETH', 'USDG'],
      max_trade_usd: 50,
      max_day_usd: 100,
      max_trades: 5,
      setup_budget_usd: 0,
    })
    const { curve_root_signatures: _, ...signatures } = await signaturesFor(owner, grant)
    const on = await owner.post('live/session/grant', signatures)
    expect(on.status, JSON.stringify(on.body.error)).toBe(200)
    return { grant, signature: signatures['delegation_signature'] as Hex }
  }
  const ask = ({ grant }: Session) =>
    owner.post<SessionTrade>('live/session/trade', {
      session_id: grant.session_id,
      token_in: 'ETH',
      token_out: 'USDG',
      notional_usd: 20,
    })
  /** Co-signed, sent and mined. */
  async function tradeIn(session: Session): Promise<{ raw: Hex; hash: Hex }> {
    const { status, body } = await ask(session)
    expect({ status, ready: body.ready }, JSON.stringify(body.error)).toEqual({ status: 200, ready: true })
    const raw = await executor.signTx(body.tx!)
    const sent = await owner.post('live/submit', { raw_tx: raw })
    expect(sent.status, JSON.stringify(sent.body.error)).toBe(200)
    const hash = keccak256(raw)
    expect((await receiptOf(devnet, hash)).status).toBe('0x1')
    await settledRow(owner, hash)
    return { raw, hash }
  }
  const treasury = async () => (await (await fetch(`${url}/api/v1/treasury`)).json()) as Answer<'treasury'>
  const seen = (hash: Hex) => devnet.rpc<number>('devnet_sequencerSeen', [hash])
  async function pitAdmin(...args: string[]): Promise<{ out: string; err: string }> {
    const env = {
      PATH: process.env['PATH'],
      DATA_DIR: join(folder, 'admin'),
      PROFILE: devnet.profileFile,
      CHAIN_RPC_URL: devnet.url,
      DATABASE_URL: urls.server,
      SIGNER_URL: signer.url,
      SIGNER_OPERATOR_SECRET: signer.operatorSecret,
    }
    return run(process.execPath, ['dist/pitAdmin.js', '--operator', 'ada', ...args], { env }).then(
      ({ stdout, stderr }) => ({ out: stdout, err: stderr }),
      ({ stdout, stderr }: { stdout: string; stderr: string }) => ({ out: stdout, err: stderr }),
    )
  }

  /** Dumps the snapshot that the contents are read from, while others write. */
  async function dump(url: string, file: string): Promise<Contents> {
    const db = await openDb({ dataDir: '', databaseUrl: url })
    try {
      return await db.transaction(
        async (sql) => {
          const [picture] = await sql.query<{ id: string }>('select pg_export_snapshot() as id')
          await run('pg_dump', [
            ...['--format=custom', `--file=${file}`, `--snapshot=${picture!.id}`, `--dbname=${url}`],
          ])
          return contentsOf(sql)
        },
        { snapshot: true },
      )
    } finally {
      await db.close()
    }
  }
  async function contentsOf(sql: { query<Row>(text: string): Promise<Row[]> }): Promise<Contents> {
    const tables = await sql.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    )
    const contents: Contents = {}
    for (const { name } of tables) {
      const [row] = await sql.query<{ rows: number; digest: string | null }>(
        `select count(*)::int4 as rows, md5(string_agg(t::text, '|' order by t::text)) as digest from ${name} t`,
      )
      contents[name] = row!
    }
    return contents
  }
  /** Into a new, empty database. */
  async function restore(file: string): Promise<{ url: string; contents: Contents }> {
    const url = await postgres.createDatabase()
    await run('pg_restore', ['--exit-on-error', '--no-owner', `--dbname=${url}`, file])
    const db = await openDb({ dataDir: '', databaseUrl: url })
    try {
      return { url, contents: await contentsOf(db) }
    } finally {
      await db.close()
    }
  }

  it('is taken while trades, sessions and a recorded week exist', async () => {
    await doTrade(
      devnet,
      trader,
      { tokenIn: NATIVE, tokenOut: usdg },
      {
        token_in: 'ETH',
        token_out: 'USDG',
        notional_usd: 40,
      },
    )
    const session = await grantSession()
    const traded = await tradeIn(session)
    const { out, err } = await pitAdmin('week', 'close', '--early')
    expect(out, err).toContain('recorded as row 1')
    backedUp = { session, ...traded, treasury: await treasury() }
    before = {
      server: await dump(urls.server, join(folder, 'server.dump')),
      signer: await dump(urls.signer, join(folder, 'signer.dump')),
    }
    expect(before.server['trades']!.rows).toBeGreaterThan(1)
    expect(before.signer['leaves']!.rows).toBe(1)
    expect(signer.url).toBe(`unix:${signerFolder}/signer.sock`)
    expect(existsSync(join(signerFolder, 'signer', 'keys', 'cosigner.json'))).toBe(false)
    expect(kms.calls).toContain('TrentService.Sign')
    expect(statSync(join(folder, 'server.dump')).size).toBeGreaterThan(10_000)
    // Data that only the lost databases have.
    const later = await grantSession()
    lost = { session: later, ...(await tradeIn(later)) }
  })

  it('is restored completely into new databases', async () => {
    await kill()
    const [ofServer, ofSigner] = [
      await restore(join(folder, 'server.dump')),
      await restore(join(folder, 'signer.dump')),
    ]
    expect(ofServer.contents).toEqual(before.server)
    expect(ofSigner.contents).toEqual(before.signer)
    urls = { server: ofServer.url, signer: ofSigner.url }
    await start()
  })

  it('serves its data: keys, trades, the hash chain, the market', async () => {
    const { weeks, integrity } = await treasury()
    expect(integrity).toMatchObject({ ok: true, rows: 1, broken_at: null })
    expect(weeks.find(({ seq }) => seq === 1)).toEqual(backedUp.treasury.weeks.find(({ seq }) => seq === 1))
    const { status, body } = await trader.get<{ trades: { status: string }[] }>('me/trades')
    expect(status).toBe(200)
    expect(body.trades.every((one) => one.status === 'mined')).toBe(true)
    await doTrade(
      devnet,
      trader,
      { tokenIn: NATIVE, tokenOut: usdg },
      {
        token_in: 'ETH',
        token_out: 'USDG',
        notional_usd: 30,
      },
    )
  })

  it('relays nothing again, neither recorded nor forgotten trades', async () => {
    const answer = await owner.post<{ tx_hash: Hex }>('live/submit', { raw_tx: backedUp.raw })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    const forgotten = await owner.post('live/submit', { raw_tx: lost.raw })
    expect(forgotten.status).toBeGreaterThanOrEqual(400)
    expect([await seen(backedUp.hash), await seen(lost.hash)]).toEqual([1, 1])
  })

  it('signs nothing until the operator declares the loss', async () => {
    expect(await signer.client.health()).toMatchObject({
      status: 'degraded',
      why: 'the ledger was restored from a backup',
      frozen: true,
    })
    const refused = await ask(backedUp.session)
    expect(refused.body.error?.code).toBe('SIGNER_FROZEN')
    // The server's secret does not unlock it, and an unknown loss waits for trades that may still be mined.
    await expect(signer.client.acceptLedger('nothing')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const { err } = await pitAdmin('signer', 'restored', '--lost', 'unknown', '--reason', 'drill')
    expect(err).toMatch(/The signer refused: Wait \d+ s: trades signed before the loss/)
  })

  it('accepts no session that the chain shows as used, even if the operator was careless', async () => {
    const { out, err } = await pitAdmin('signer', 'restored', '--lost', 'nothing', '--reason', 'careless')
    expect(out, err).toContain('Signer resumed; 0 sessions ended.')
    const { grant, signature } = lost.session
    const message = grant.sign.delegation.typed_data.message as Omit<Delegation, 'salt' | 'signature'> & {
      salt: string
    }
    const again = signer.client.registerRoot({
      session_id: grant.session_id,
      binding: grant.sign.delegation.binding as unknown as SessionBinding,
      root: {
        ...message,
        caveats: message.caveats.map(({ enforcer, terms }) => ({ enforcer, terms, args: '0x' as const })),
        salt: BigInt(message.salt),
        signature,
      },
      curve_roots: [],
    })
    await expect(again).rejects.toMatchObject({ code: 'ROOT_REUSED' } satisfies Partial<PitError>)
    const on = await ask(backedUp.session)
    expect(on.body.error?.code).not.toBe('SIGNER_FROZEN')
  })
})
