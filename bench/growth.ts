/**
 * Processor time against size: of a market process per block, for each number of pools in POOLS, and of a server per
 * `GET stats`, for each number of READERS. The node is a separate process with a block every 100 ms.
 * node scripts/build.mjs && POOLS=360,10000,100000 READERS=1,10,100,1000 node dist/bench/growth.js
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTradingWorld } from '../e2e/trading/world.ts'
import { startCpu } from './limits/cpu.ts'
import { syncMarket } from './sync/market.ts'
import { serveSyntheticChain } from './sync/node.ts'

const numbers = (name: string, usual: string) => (process.env[name] ?? usual).split(',').map(Number)
const SECONDS = Number(process.env['SECONDS'] ?? 30)
/** Compiled code and a first checkpoint. */
const WARM_S = Number(process.env['WARM_S'] ?? 15)
const PORT = Number(process.env['GROWTH_PORT'] ?? 18_673)
const HISTORY_BLOCKS = 200_000
const STATS_ANSWERS = 20_000

const [role, ...rest] = process.argv.slice(2)
if (role === 'node') {
  const pools = Number(rest[0])
  await serveSyntheticChain({ pools, live: pools, blocks: HISTORY_BLOCKS }, Number(rest[1]))
  process.send!('listening')
} else if (role === 'market') {
  await syncMarket({ url: `http://127.0.0.1:${rest[1]}`, dataDir: rest[0]!, databaseUrl: null })
} else {
  for (const [i, pools] of numbers('POOLS', '360,10000,100000').entries()) await showPools(pools, PORT + i)
  await showReaders(numbers('READERS', '1,10,100,1000'))
}

async function showPools(pools: number, port: number): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'pit-growth-'))
  const children: ChildProcess[] = []
  const start = (...args: string[]) => {
    const child = fork(process.argv[1]!, args, { stdio: 'inherit' })
    children.push(child)
    return child
  }
  try {
    await once(start('node', `${pools}`, `${port}`), 'message')
    const market = start('market', home, `${port}`)
    const [ready] = (await once(market, 'message')) as [{ pools: number }]
    const costNow = async () => {
      market.send({ kind: 'cost' })
      const [cost] = (await once(market, 'message')) as [{ cpuMs: number; head: number }]
      return cost
    }
    await sleep(WARM_S * 1_000)
    const before = await costNow()
    await sleep(SECONDS * 1_000)
    const after = await costNow()
    const blocks = after.head - before.head
    const perBlock = (after.cpuMs - before.cpuMs) / blocks
    console.log(
      `${pools} pools (${ready.pools} in memory): ${perBlock.toFixed(2)} ms of processor time a block, ` +
        `${blocks} blocks`,
    )
  } finally {
    for (const child of children) child.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

async function showReaders(counts: readonly number[]): Promise<void> {
  const world = await openTradingWorld({
    devnet: { MARKET: 'off' },
    server: { RATE_LIMIT_SCALE: '1000000' },
  })
  const { server } = world
  try {
    const url = `${server.url}/api/v1/stats`
    await readStats(url, 10, STATS_ANSWERS)
    for (const readers of counts) {
      const use = startCpu([{ name: 'server', pid: server.pid }])
      const startedAt = performance.now()
      await readStats(url, readers, STATS_ANSWERS)
      const busyMs = ((performance.now() - startedAt) * use().shares[0]!.total) / 100
      const perAnswer = `${((busyMs * 1_000) / STATS_ANSWERS).toFixed(0)} us of processor time an answer`
      console.log(`${readers} readers of stats: ${perAnswer}`)
    }
  } finally {
    await world.close()
  }
}

/** So many requests, by this many readers at once, each on its own connection. */
async function readStats(url: string, readers: number, requests: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: readers })
  let left = requests
  const once = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent }, (response) => {
        if (response.statusCode !== 200) return reject(new Error(`stats: ${response.statusCode}`))
        response.resume().once('end', resolve)
      }).once('error', reject)
    })
  const reader = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: readers }, reader))
  agent.destroy()
}
