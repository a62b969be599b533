import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPostgres, type PostgresServer, startPostgres } from '@pit/platform/test/postgresServer'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { type FastTrader, freshenFeeds, openFastTrader } from './fast/fastTrader.ts'
import { hasRedis, type RedisProcess, startRedis } from './redisProcess.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'
import { receiptOf } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld, tradingEnv } from './trading/world.ts'

// A thousand by hand: FAST_ROUNDS=1000 npx vitest run e2e/fastOnce.test.ts; FAST_KILLS=20 for the last one.
const ROUNDS = Number(process.env['FAST_ROUNDS'] ?? 4)
const KILLS = Number(process.env['FAST_KILLS'] ?? 2)
const AT_ONCE = 64
const PATIENCE_MS = 120_000 + ROUNDS * 4_000
/** The feeds do not change while the market is off; a round is valid for a day. */
const FRESH_FOR_MS = 600_000

let world: TradingWorld
beforeAll(async () => {
  world = await openTradingWorld({ server: { FAST_ENABLED: '1' } })
})
afterAll(async () => {
  await world?.close()
})
const seen = (hash: Hex) => world.devnet.rpc<number>('devnet_sequencerSeen', [hash])

/** Answers of a busy machine: this call sent nothing, or the result is unknown. Both are allowed. */
const BUSY = ['LIVE_UNAVAILABLE', 'RPC_UNAVAILABLE', 'ENGINE_UNAVAILABLE', 'SEQUENCER_UNREACHABLE']
/** Codes that can come from a temporary state: the round is run again. */
const TOO_LATE = ['PRICE_STALE', 'DEADLINE']

interface Tally {
  /** Rounds in which one call was answered as the relaying one. */
  relayed: number
  busy: number
  void: number
}

/** The same bytes many times at once, over all servers: one relay, by the sequencer's count. */
async function sendAtOnce(clients: FastTrader[], round: number, tally: Tally): Promise<'once' | 'void'> {
  const pair = round % 2 === 0 ? 'ETH/USDG' : 'USDG/ETH'
  // Most without a simulation: then only the relay itself keeps them apart.
  const simulate = round % 16 === 3
  const { body, hash } = await clients[0]!.build(pair, { usd: 5, body: { simulate } })
  const replies = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, i) => clients[i % clients.length]!.send(body)),
  )
  const codes = replies.flatMap(({ body: answer }) => answer.error?.code ?? [])
  const strange = codes.filter((code) => code !== 'IN_FLIGHT' && ![...BUSY, ...TOO_LATE].includes(code))
  expect(strange).toEqual([])
  const accepted = replies.filter(({ status }) => status === 200)
  expect(accepted.filter(({ body: answer }) => answer.tx_hash !== hash || !answer.relayed)).toEqual([])
  const firsts = accepted.filter(({ body: answer }) => !answer.repeat).length
  expect(firsts).toBeLessThanOrEqual(1)
  tally.busy += codes.filter((code) => BUSY.includes(code)).length
  // If the machine was too busy for all of them, the same bytes are sent until they are accepted.
  for (let tries = 0; tries < 20 && (await seen(hash)) === 0; tries++) {
    const { body: answer } = await clients[tries % clients.length]!.send(body)
    if (TOO_LATE.includes(answer.error?.code ?? '')) break
    await sleep(250)
  }
  const count = await seen(hash)
  expect(count).toBeLessThanOrEqual(1)
  if (count === 0) return 'void'
  await receiptOf(world.devnet, hash, 60_000)
  expect(await seen(hash)).toBe(1)
  tally.relayed += firsts
  return 'once'
}

async function manyRounds(clients: FastTrader[]): Promise<void> {
  const tally: Tally = { relayed: 0, busy: 0, void: 0 }
  for (let round = 0, freshAtMs = Date.now(); round < ROUNDS; ) {
    if (Date.now() - freshAtMs > FRESH_FOR_MS) {
      await freshenFeeds(world.devnet)
      await sleep(900)
      freshAtMs = Date.now()
    }
    if ((await sendAtOnce(clients, round, tally)) === 'once') round += 1
    else tally.void += 1
    expect(tally.void, 'rounds in which nothing was sent').toBeLessThan(20 + ROUNDS / 10)
  }
  console.log(
    `${ROUNDS} rounds of ${AT_ONCE} sends over ${clients.length} servers: one relay each; in ` +
      `${tally.relayed} a call was ` +
      `reported as already relayed; ${tally.busy} busy answers, ${tally.void} void rounds run again`,
  )
  expect(tally.relayed).toBeGreaterThan(0)
}

it(
  'relays the same bytes once, however many calls send them',
  async () => {
    const trader = await openFastTrader(world, 3)
    await trader.approve('USDG')
    await manyRounds([trader])
  },
  PATIENCE_MS,
)

const postgresBin = findPostgres()
describe.skipIf(postgresBin === null || !hasRedis)('over two processes on PostgreSQL and Redis', () => {
  let postgres: PostgresServer
  let redis: RedisProcess
  const servers: ServerProcess[] = []
  beforeAll(async () => {
    ;[postgres, redis] = await Promise.all([startPostgres(postgresBin!), startRedis()])
    const env = {
      ...tradingEnv(world.devnet),
      FAST_ENABLED: '1',
      DATABASE_URL: await postgres.createDatabase(),
      // Processes that share a store have one name.
      PUBLIC_URL: 'http://localhost',
      REDIS_URL: redis.url,
    }
    // The first one starts alone, so that only it writes the tables.
    servers.push(await startServerProcess(env))
    servers.push(await startServerProcess({ ...env, ROLE: 'api' }))
  })
  afterAll(async () => {
    for (const server of servers) await server.stop()
    redis?.stop()
    await postgres?.dispose()
  })

  it(
    'relays the same bytes once, whichever process they reach',
    async () => {
      const clients = await Promise.all(servers.map(({ url }) => openFastTrader(world, 4, url)))
      await clients[0]!.approve('USDG')
      await manyRounds(clients)
    },
    PATIENCE_MS,
  )
})

it(
  `relays the same bytes once while the server is killed ${KILLS} times`,
  async () => {
    const dataDir = await newServerDirectory()
    const env = { ...tradingEnv(world.devnet), FAST_ENABLED: '1', DATA_DIR: dataDir }
    const start = () => startServerProcess(env)
    let server = await start()
    try {
      for (let round = 0; round < KILLS; round++) {
        if (round % 20 === 19) await freshenFeeds(world.devnet)
        const client = await openFastTrader(world, 5, server.url)
        const { body, hash } = await client.build('ETH/USDG', { usd: 5, body: { simulate: false } })
        await world.devnet.rpc('devnet_sequencer', [{ mode: 'slow', delay_ms: 300 }])
        const lost = Promise.allSettled(Array.from({ length: 8 }, () => client.send(body)))
        // Before, during or after the relay.
        await sleep(10 + Math.random() * 60)
        await killHard(server, dataDir)
        await lost
        await world.devnet.rpc('devnet_sequencer', [{ mode: 'ok' }])

        await server.stop()
        server = await start()
        const again = await openFastTrader(world, 5, server.url)
        // The new process looks for the killed one's trade on the chain; then the same bytes return its
        // result.
        const until = Date.now() + 60_000
        for (;;) {
          const { status, body: answer } = await again.send(body)
          if (status === 200) {
            expect(answer.tx_hash).toBe(hash)
            break
          }
          expect(['IN_FLIGHT', 'SUBMIT_REJECTED', 'DEADLINE', 'PRICE_STALE']).toContain(answer.error?.code)
          // Killed before the relay, the trade is abandoned, which is still at most once.
          if (answer.error?.code !== 'IN_FLIGHT' && (await seen(hash)) === 0) break
          if (Date.now() > until) throw new Error(`still ${answer.error?.code}`)
          await sleep(300)
        }
        expect(await seen(hash)).toBeLessThanOrEqual(1)
      }
    } finally {
      await world.devnet.rpc('devnet_sequencer', [{ mode: 'ok' }])
      await server.stop()
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
  180_000 + KILLS * 120_000,
)

async function killHard(running: ServerProcess, dataDir: string): Promise<void> {
  const { pid } = JSON.parse(readFileSync(join(dataDir, 'store.lock'), 'utf8')) as { pid: number }
  process.kill(pid, 'SIGKILL')
  while (running.isAlive()) await sleep(5)
}
