/**
 * Processor time, disk growth and memory of a started Pit without requests: the three processes as `npm start`
 * starts them, with the market on and then off, each after the server has screened its tokens.
 * REST_S: seconds of each measurement. REST_MARKET=on,off. DEMO=off measures without the demo.
 * REST_DIST: builds to compare, comma-separated; they run at the same time.
 * node scripts/build.mjs && node dist/bench/rest.js
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../e2e/serverProcess.ts'
import { startCpu, type Watched } from './limits/cpu.ts'
import { watchScreening } from './watchScreening.ts'

const REST_S = Number(process.env['REST_S'] ?? 60)
const MARKETS = (process.env['REST_MARKET'] ?? 'on,off').split(',')
const BUILDS = (process.env['REST_DIST'] ?? 'dist').split(',')
/** After the last screen: a process is at rest a minute after its start or its last request. */
const SETTLE_S = Number(process.env['SETTLE_S'] ?? 70)
const LIMIT_PERCENT = { on: 8, off: 3 } as Record<string, number>
const LIMIT_DISK_MB = 10
const LIMIT_RSS_MB = 700
const NAMES = ['devnet', 'signer', 'server', 'demo']

/** Runs all builds at the same time, so that other work on the machine affects them equally. */
async function measure(market: string): Promise<void> {
  const started: Started[] = []
  try {
    for (const build of BUILDS) started.push(await start(build, market))
    for (const { screening } of started) await screening.ended()
    await sleep(SETTLE_S * 1_000)
    const bytesBefore = started.map(({ dataDir }) => archiveBytes(dataDir))
    const endCpu = started.map(({ watched }) => startCpu(watched))
    await sleep(REST_S * 1_000)
    for (const [at, one] of started.entries())
      show(`${one.build}, market ${market}`, one, {
        shares: endCpu[at]!().shares,
        grownBytes: archiveBytes(one.dataDir) - bytesBefore[at]!,
        limitPercent: LIMIT_PERCENT[market]!,
      })
  } finally {
    for (const { stop, dataDir } of started) {
      await stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
}

interface Measured {
  shares: ReturnType<ReturnType<typeof startCpu>>['shares']
  grownBytes: number
  limitPercent: number
}

function show(title: string, { watched }: Started, { shares, grownBytes, limitPercent }: Measured): void {
  const rss = watched.map(({ pid }) => rssMb(pid))
  for (const [at, { name, total, byName }] of shares.entries()) {
    const threads = byName.filter(([, share]) => share >= 0.05)
    const list = threads.map(([thread, share]) => `${thread} ${share.toFixed(2)}`).join(', ')
    console.log(`${title}: ${name} ${total.toFixed(2)}% of a core (${list}), ${rss[at]!.toFixed(0)} MB`)
  }
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)
  judge(`${title}: all three, percent of a core`, sum(shares.map(({ total }) => total)), limitPercent)
  judge(`${title}: archive of the devnet, MB an hour`, (grownBytes / 2 ** 20 / REST_S) * 3_600, LIMIT_DISK_MB)
  judge(`${title}: memory of all three, MB`, sum(rss), LIMIT_RSS_MB)
}

interface Started {
  build: string
  dataDir: string
  watched: Watched[]
  screening: Awaited<ReturnType<typeof watchScreening>>
  stop(): Promise<void>
}

async function start(build: string, market: string): Promise<Started> {
  const names = ['PORT', 'DEVNET_PORT', 'DEVNET_VENDOR_PORT', 'SIGNER_PORT']
  const ports: Record<string, string> = {}
  const dataDir = mkdtempSync(join(tmpdir(), 'pit-rest-'))
  for (const name of names) ports[name] = String(await freePort())
  const screening = await watchScreening()
  const child: ChildProcess = spawn(process.execPath, [resolve(build, 'start.js')], {
    cwd: resolve(build, '..'),
    env: { ...process.env, DATA_DIR: dataDir, MARKET: market, ...ports, ...screening.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.includes('Pit is up')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the start ended with ${code}:\n${text}`)))
  })
  return {
    build,
    dataDir,
    watched: childrenOf(child.pid!).map(({ pid, file }) => ({
      pid,
      name: NAMES.find((name) => file.includes(`${name}.js`)) ?? file,
    })),
    screening,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function childrenOf(parent: number): { pid: number; file: string }[] {
  const pids = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim().split(' ')
  return pids.map((pid) => ({ pid: Number(pid), file: readFileSync(`/proc/${pid}/cmdline`, 'utf8') }))
}

/** The permanent part of the chain: its log and image are replaced every few minutes. */
function archiveBytes(dataDir: string): number {
  const folder = join(dataDir, 'devnet', 'chain')
  const names = readdirSync(folder).filter((name) => name.startsWith('archive.'))
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

const judge = (what: string, value: number, limit: number): void =>
  console.log(`${what}: ${value.toFixed(1)} (limit ${limit}) ${value <= limit ? 'met' : 'MISSED'}`)

const rssMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024

for (const market of MARKETS) await measure(market)
