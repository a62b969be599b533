/**
 * Following a chain of real size, made up by a stand-in node: the first sync, its memory, its end by kill -9
 * in the middle, a restart, and every pool against the chain's state.
 * SYNC_POOLS=1000000 SYNC_BLOCKS=5000000 SYNC_LIVE=20000 node dist/bench/sync.js
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRpc } from '@pit/platform/rpc'
import { findPostgres, startPostgres } from '../packages/platform/test/postgresServer.ts'
import { syncMarket } from './sync/market.ts'
import { type Asked, serveSyntheticChain } from './sync/node.ts'

const size = {
  pools: Number(process.env['SYNC_POOLS'] ?? 100_000),
  blocks: Number(process.env['SYNC_BLOCKS'] ?? 500_000),
  live: Number(process.env['SYNC_LIVE'] ?? 2_000),
}
const PORT = Number(process.env['SYNC_PORT'] ?? 18_663)
const url = `http://127.0.0.1:${PORT}`
const [role, dataDir, databaseUrl] = process.argv.slice(2)

if (role === 'node') {
  await serveSyntheticChain(size, PORT)
  process.send!('listening')
} else if (role === 'market') await syncMarket({ url, dataDir: dataDir!, databaseUrl: databaseUrl ?? null })
else await measure()

interface Ready {
  readyS: number
  storeS: number
  pools: number
  head: number
  peakMb: number
  heapMb: number
}

async function measure(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'pit-sync-'))
  const children: ChildProcess[] = []
  const start = (...args: string[]) => {
    const child = fork(process.argv[1]!, args, { stdio: 'inherit' })
    children.push(child)
    return child
  }
  const messageFrom = async <T>(child: ChildProcess, kind: string): Promise<T> => {
    while (true) {
      const [message] = await Promise.race([once(child, 'message'), ended(child)])
      if (message?.kind === kind) return message as T
    }
  }
  const ended = async (child: ChildProcess): Promise<never> => {
    const [code] = await once(child, 'exit')
    throw new Error(`a process of the measurement ended with ${code}`)
  }
  const bin = findPostgres()
  const postgres = bin && process.env['SYNC_STORE'] !== 'pglite' ? await startPostgres(bin) : null
  const store = postgres ? [await postgres.createDatabase()] : []
  const rpc = createRpc({ url })
  const readCounts = () => rpc.request<Asked>('synthetic_asked', [], { timeoutMs: 60_000 })
  const open = () => start('market', join(home, 'data'), ...store)
  try {
    await once(start('node'), 'message')
    say(
      `${size.pools} pools in ${size.blocks} blocks, about ${size.live} with liquidity; ` +
        `store: ${postgres ? 'PostgreSQL' : 'PGlite'}`,
    )

    // Killed twice: while pools are found and while states are read.
    const startedMs = performance.now()
    const finding = open()
    const last = () => readCounts().then(({ ranges }) => ranges.at(-1)?.to ?? 0)
    while ((await last()) < size.blocks / 2) await sleep(50)
    await kill(finding)
    const lastBlock = await last()
    const reading = open()
    while ((await readCounts()).calls < size.pools / 150) await sleep(50)
    await kill(reading)
    const { calls } = await readCounts()
    const market = open()
    const ready = await messageFrom<Ready>(market, 'ready')
    const { ranges, refused, calls: all } = await readCounts()
    const twice = ranges.filter(({ from }, i) =>
      ranges.slice(0, i).some((one) => from <= one.to && from >= one.from),
    )
    say(`first sync, killed at block ${lastBlock} and after ${calls} calls: ${seconds(startedMs)} s in all`)
    say(
      `ranges of creation logs answered: ${ranges.length} (${refused} refused for size), ` +
        `read twice: ${twice.length}; calls: ${all}`,
    )
    say(
      `in memory: ${ready.pools} pools; peak ${ready.peakMb.toFixed(0)} MB; ` +
        `${perPool(ready)} KB of heap a pool`,
    )

    const compare = async (child: ChildProcess) => {
      child.send({ kind: 'compare' })
      const { compared, differing, head } = await messageFrom<{
        compared: number
        differing: string[]
        head: number
      }>(child, 'compared')
      say(`block ${head}: ${compared} pools compared with the chain, ${differing.length} differ`)
      for (const one of differing.slice(0, 5)) say(one)
      if (differing.length > 0) process.exitCode = 1
    }
    await compare(market)
    await sleep(15_000)
    await compare(market)
    await close(market)
    const restarted = open()
    const again = await messageFrom<Ready>(restarted, 'ready')
    say(
      `restart: ${again.readyS.toFixed(1)} s (${again.storeS.toFixed(1)} s of them the store), ` +
        `peak ${again.peakMb.toFixed(0)} MB`,
    )
    await compare(restarted)
    await close(restarted)
    await rpc.request('synthetic_mine', [30_000], { timeoutMs: 60_000 })
    const late = open()
    const caught = await messageFrom<Ready>(late, 'ready')
    const since = (await readCounts()).ranges.slice(ranges.length).map(({ from }) => from)
    say(
      `restart 30000 blocks later: ${caught.readyS.toFixed(1)} s; ` +
        `lowest block requested ${Math.min(...since)}`,
    )
    await compare(late)
    await close(late)
  } finally {
    rpc.close()
    for (const child of children) if (child.exitCode === null) child.kill('SIGKILL')
    await postgres?.dispose()
    rmSync(home, { recursive: true, force: true })
  }

  async function close(child: ChildProcess): Promise<void> {
    child.send({ kind: 'close' })
    await once(child, 'exit')
  }
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
function say(text: string): void {
  console.log(text)
}
function seconds(sinceMs: number): string {
  return ((performance.now() - sinceMs) / 1_000).toFixed(1)
}
function perPool({ heapMb, pools }: Ready): string {
  return ((heapMb * 1_000) / pools).toFixed(1)
}
