import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { openDb } from '@pit/platform/db'
import { findPostgres, type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import { createRandom } from './fuzz/random.ts'
import {
  countFates,
  dueStatus,
  type Fleet,
  killOnce,
  type Mode,
  POINTS,
  type Rounds,
  settle,
} from './killSubmit/rounds.ts'
import { openWallets, readShapes, type Sending, send } from './killSubmit/wallets.ts'
import { freePort, type ServerProcess, startServerProcess } from './serverProcess.ts'
import { type Gate, openGate } from './trading/sequencerGate.ts'
import { balanceOf } from './trading/trader.ts'
import { tradingEnv } from './trading/world.ts'

// Two hundred by hand: KILLS=200 npx vitest run e2e/killSubmit.test.ts; KILLS_POSTGRES=20 for the last one.
const KILLS = Number(process.env['KILLS'] ?? 5)
const KILLS_POSTGRES = Number(process.env['KILLS_POSTGRES'] ?? 1)
/** The rounds end after this time at the latest. */
const MINUTES = Number(process.env['KILLS_MINUTES'] ?? 60)
const SEED = Number(process.env['KILLS_SEED'] ?? 4663)
const FINAL_WITHIN_MS = Number(process.env['KILLS_FINAL_MS'] ?? 10_000)
/** Most restarts are followed to the end; some servers are killed again before. */
const SETTLE_EVERY = KILLS > 20 ? 2 : 5
const MODES: readonly Mode[] = ['ok', 'slow', 'lossy']
const PATIENCE_MS = 180_000 + (KILLS + KILLS_POSTGRES) * 60_000

let devnet: DevnetProcess
let gate: Gate
beforeAll(async () => {
  devnet = await startDevnetProcess({ MARKET: 'off' })
  gate = await openGate(devnet.sequencerUrl)
})
afterAll(async () => {
  await gate?.close()
  await devnet?.stop()
})
/** The same name at every start, so that keys stay valid. */
const settings = () => ({ ...tradingEnv(devnet), SEQUENCER_URL: gate.url, PUBLIC_URL: 'http://localhost' })

it(
  `loses no transaction and relays none twice in ${KILLS} kills under submissions`,
  async () => {
    const dataDir = await newServerDirectory()
    const metricsPort = await freePort()
    const start = () =>
      startServerProcess({ ...settings(), DATA_DIR: dataDir, METRICS_PORT: String(metricsPort) })
    let server = await start()
    const fleet: Fleet = {
      urls: () => [server.url],
      kill: () => server.kill(),
      async start() {
        await server.stop()
        server = await start()
      },
      openRows: () => openRows(metricsPort),
    }
    try {
      const rounds = await openRounds(fleet, [1, 2, 3, 4])
      const before = await incomes()
      await run(rounds, { kills: KILLS, firstPoint: 0 })
      await server.stop()
      await checkStore(rounds, before, { dataDir, databaseUrl: null })
    } finally {
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  PATIENCE_MS,
)

const postgresBin = findPostgres()
describe.skipIf(postgresBin === null)('two processes on PostgreSQL', () => {
  let postgres: PostgresServer
  const servers: ServerProcess[] = []
  beforeAll(async () => {
    postgres = await startPostgres(postgresBin!)
  })
  afterAll(async () => {
    for (const server of servers) await server.stop()
    await postgres?.dispose()
  })

  it(
    `lose no transaction and relay none twice in ${KILLS_POSTGRES} kills of one, at either process`,
    async () => {
      const databaseUrl = await postgres.createDatabase()
      const metricsPort = await freePort()
      const env = { ...settings(), DATABASE_URL: databaseUrl }
      const start = () => startServerProcess({ ...env, METRICS_PORT: String(metricsPort) })
      // The first one starts alone, so that only it writes the tables.
      servers.push(await start())
      servers.push(await startServerProcess(env))
      const fleet: Fleet = {
        urls: () => servers.map(({ url }) => url),
        kill: () => servers[0]!.kill(),
        async start() {
          await servers[0]!.stop()
          servers[0] = await start()
        },
        openRows: () => openRows(metricsPort),
        holdWrites: () => lockTrades(databaseUrl),
      }
      const rounds = await openRounds(fleet, [5, 6, 7])
      const before = await incomes()
      // A single kill happens after the bytes were sent: then the other process finds them mined.
      await run(rounds, { kills: KILLS_POSTGRES, firstPoint: 2 })
      await checkStore(rounds, before, { dataDir: '', databaseUrl })
    },
    PATIENCE_MS,
  )
})

async function openRounds(fleet: Fleet, accounts: readonly number[]): Promise<Rounds> {
  return {
    devnet,
    gate,
    fleet,
    traders: await openWallets(fleet.urls()[0]!, accounts),
    shapeOf: await readShapes({ devnet }),
    random: createRandom(SEED),
    sendings: [],
    problems: [],
    fates: new Map(),
    slowestMs: 0,
    finalWithinMs: FINAL_WITHIN_MS,
  }
}

async function run(
  rounds: Rounds,
  { kills: most, firstPoint }: { kills: number; firstPoint: number },
): Promise<void> {
  const { fleet, problems, random } = rounds
  let open: Sending[] = []
  const again = new Map<string, number>()
  const endMs = Date.now() + MINUTES * 60_000
  let kills = most
  for (let round = 0; round < kills; round++) {
    if (Date.now() > endMs) kills = round + 1
    const point = POINTS[(firstPoint + round + Math.floor(round / POINTS.length)) % POINTS.length]!
    const mode = round < POINTS.length ? MODES[round % 2]! : random.pick(MODES)
    const made = await killOnce(rounds, point, mode)
    open.push(...made)
    // A client that lost its answer repeats the request at another process at once.
    const [, other] = fleet.urls()
    const lost = other ? made.filter(({ end }) => end === 'lost') : []
    await Promise.all(lost.map((sending) => send(other!, sending)))
    await fleet.start()
    const readyMs = Date.now()
    if (round % SETTLE_EVERY < SETTLE_EVERY - 1 && round < kills - 1) {
      // Slow ones are still being sent: the next plans must find their nonces used.
      await sleep(500)
      continue
    }
    await countFates(rounds, open)
    await settle(rounds, open, readyMs)
    // The same bytes again: relayed ones are not sent again, unsent ones may be.
    const untaken = open.filter(({ end }) => end !== 'taken')
    await Promise.all(untaken.map((sending) => send(fleet.urls()[0]!, sending)))
    for (const { end } of untaken) again.set(end, (again.get(end) ?? 0) + 1)
    await settle(rounds, open, Date.now())
    for (const problem of problems) console.log(`kill ${round} ${point}, sequencer ${mode}: ${problem}`)
    expect(problems).toEqual([])
    open = []
    if (round % 20 === 19) console.log(`${round + 1} of ${most} kills`)
  }
  const listed = (counts: Map<string, number>) =>
    [...counts].map(([name, count]) => `${name} ${count}`).join(', ')
  const made = rounds.sendings.reduce((sum, { txs }) => sum + txs.length, 0)
  console.log(
    `seed ${SEED}: ${kills} kills under ${rounds.sendings.length} submissions of ${made} transactions; ` +
      `when it died: ${listed(rounds.fates)}; sent again: ${listed(again)}; ` +
      `final after at most ${rounds.slowestMs} ms`,
  )
}

async function openRows(metricsPort: number): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  return Number(/^pit_relay_open_rows (\d+)$/m.exec(text)![1])
}

/**
 * Not visible in the answers: rows of approvals and fees, and the ledger compared with the recipient's
 * balances.
 */
async function checkStore(
  { sendings }: Rounds,
  before: Map<Hex, bigint>,
  place: { dataDir: string; databaseUrl: string | null },
): Promise<void> {
  const db = await openDb(place)
  try {
    const rows = await db.query<{ tx_hash: Hex; status: string }>(
      'select tx_hash, status from trades where tx_hash is not null',
    )
    const statusOf = new Map(rows.map(({ tx_hash, status }) => [tx_hash, status]))
    const faults: string[] = []
    for (const { txs, relayedHashes: told } of sendings) {
      for (const { kind, hash } of txs) {
        const seen = await devnet.rpc<number>('devnet_sequencerSeen', [hash])
        const status = statusOf.get(hash)
        if (status === undefined && (seen > 0 || told.has(hash))) faults.push(`${kind} ${hash} has no row`)
        if (status === undefined) continue
        const due = await dueStatus(devnet, hash)
        if (!due.includes(status)) faults.push(`${kind} ${hash} is ${status}, the chain says ${due.join()}`)
      }
    }
    expect(faults).toEqual([])
    const booked = await db.query<{ token: Hex; atoms: string }>(
      'select token, sum(atoms) as atoms from fees group by token',
    )
    const ledger = new Map(booked.map(({ token, atoms }) => [token, BigInt(atoms)]))
    const after = await incomes()
    for (const [token, atoms] of after)
      expect(ledger.get(token) ?? 0n, `fees in ${token}`).toBe(atoms - before.get(token)!)
    expect([...ledger.keys()].every((token) => after.has(token))).toBe(true)
    expect(ledger.size).toBeGreaterThan(0)
  } finally {
    await db.close()
  }
}

/** Balances of the recipient in every fee token used here. */
async function incomes(): Promise<Map<Hex, bigint>> {
  const { profile } = await devnet.rpc<{
    profile: { fee_recipient: Hex; core_tokens: { address: Hex; symbol: string }[] }
  }>('devnet_info')
  const tokens = profile.core_tokens.filter(({ symbol }) => symbol === 'ETH' || symbol === 'USDG')
  const held = new Map<Hex, bigint>()
  for (const { address } of tokens)
    held.set(address.toLowerCase() as Hex, await balanceOf(devnet, address, profile.fee_recipient))
  return held
}

/** Blocks every insert; the returned function releases them. */
async function lockTrades(databaseUrl: string): Promise<() => Promise<void>> {
  const db = await openDb({ dataDir: '', databaseUrl })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let ended: Promise<void> | undefined
  await new Promise<void>((locked, failed) => {
    ended = db.transaction(async (sql) => {
      await sql.query('lock table trades in exclusive mode')
      locked()
      await released
    })
    ended?.catch(failed)
  })
  return async () => {
    release()
    await ended
    await db.close()
  }
}
