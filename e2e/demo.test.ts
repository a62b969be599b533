import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApi } from '@pit/client'
import { seedStore } from '@pit/platform/test/embeddedStore'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { storeMigrations } from '../packages/platform/src/db/index.ts'
import { ledgerMigrations } from '../packages/signer/src/ledger/openLedger.ts'
import { seedDevnet } from './devnetSeed.ts'
import { freePort } from './serverProcess.ts'

// The demo of `npm start` fills a new devnet by the public API, and continues after a restart.

const WITHIN_MS = 180_000
const NAMES = ['Steady buyer', 'Trend follower', 'Grid keeper', 'Balanced book']

let dataDir: string
let env: Record<string, string>
let url: string
let running: ChildProcess | null = null

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'pit-demo-'))
  await seedDevnet(dataDir)
  await seedStore(dataDir, storeMigrations())
  await seedStore(join(dataDir, 'signer'), ledgerMigrations())
  const names = ['PORT', 'DEVNET_PORT', 'DEVNET_VENDOR_PORT', 'SIGNER_PORT', 'METRICS_PORT']
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const))
  env = { PATH: process.env['PATH']!, HOME: dataDir, DATA_DIR: dataDir, ...Object.fromEntries(ports) }
  url = `http://127.0.0.1:${env['PORT']}`
})
afterAll(async () => {
  await stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(): Promise<() => string> {
  const child = spawn(process.execPath, ['dist/start.js'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running = child
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  await expect.poll(() => output, { timeout: WITHIN_MS }).toContain('Pit is up after')
  return () => output
}

async function stop(): Promise<void> {
  if (running === null || running.exitCode !== null) return
  const ended = new Promise((resolve) => running!.once('exit', resolve))
  running.kill('SIGTERM')
  await ended
}

const api = (apiKey?: string) => createApi({ url, apiKey: () => apiKey ?? null })
/** API keys by wallet, as the demo stores them. */
function storedKeys(): string[] {
  const file = join(dataDir, 'demo', 'keys.json')
  const keys: Record<string, { api_key: string }> = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : {}
  return Object.values(keys).map((key) => key.api_key)
}

/** Agents, entries and mined trades of the demo's wallets. */
async function read() {
  const keys = storedKeys()
  const wallets = await Promise.all(
    keys.map(async (key) => ({
      agents: (await api(key)['hosted.list']()).agents,
      entries: (await api(key)['league.me']()).entries,
      trades: (await api(key)['me.trades']()).trades.filter(({ status }) => status === 'mined').length,
      paper: await api(key)
        ['paper.book']()
        .then(
          ({ fills }) => fills.length,
          () => 0,
        ),
    })),
  )
  return { keys, wallets }
}
const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)

it('fills a new devnet, and continues with the same wallets and agents', async () => {
  const output = await start()
  await expect
    .poll(async () => sum((await read()).wallets.map(({ trades }) => trades)), { timeout: WITHIN_MS })
    .toBeGreaterThan(1)
  await expect
    .poll(
      async () =>
        (await read()).wallets.flatMap(({ agents }) =>
          agents.map(({ status, watch }) => status === 'active' && (watch?.ticks ?? 0) > 0),
        ),
      { timeout: WITHIN_MS },
    )
    .toEqual([true, true, true, true])
  const first = await read()
  const agents = first.wallets.flatMap((wallet) => wallet.agents)
  expect(agents.map(({ name }) => name).sort()).toEqual([...NAMES].sort())
  expect(new Set(agents.map(({ brain }) => brain)).size).toBe(4)
  expect(agents.map(({ mode, status }) => [mode, status])).toEqual(Array(4).fill(['paper', 'active']))

  const entries = first.wallets.flatMap((wallet) => wallet.entries)
  expect(entries.map(({ board, playing }) => [board, playing])).toEqual(Array(3).fill(['practice', true]))
  await expect
    .poll(async () => (await api()['league.standings']({ query: { board: 'practice' } })).rows.length)
    .toBe(3)
  const week = async () => (await api().treasury()).weeks[0]!
  expect(await week()).toMatchObject({ status: 'preview' })
  // A fee counts once its trade's block is old enough.
  await expect.poll(async () => (await week()).tokens.length, { timeout: WITHIN_MS }).toBeGreaterThan(0)
  expect(output()).not.toMatch(/demo .*(failed|not set up)/)

  await stop()
  await start()
  const tradesBefore = sum(first.wallets.map(({ trades }) => trades))
  await expect
    .poll(async () => sum((await read()).wallets.map(({ trades }) => trades)), { timeout: WITHIN_MS })
    .toBeGreaterThan(tradesBefore)
  const second = await read()
  expect(second.keys).toEqual(first.keys)
  const ids = (wallets: typeof first.wallets) => wallets.flatMap((one) => one.agents.map(({ id }) => id))
  expect(ids(second.wallets)).toEqual(ids(first.wallets))
  expect(second.wallets.flatMap((wallet) => wallet.entries.map(({ entry_id }) => entry_id))).toEqual(
    entries.map(({ entry_id }) => entry_id),
  )
}, 420_000)
