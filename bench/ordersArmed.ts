/**
 * Cost of armed orders while no trigger is met: two servers with equal agents on one devnet with a moving
 * feed, one of them with 10,000 armed orders, by processor time over the same seconds.
 * node scripts/build.mjs && node dist/bench/ordersArmed.js
 */
import { readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCrypto, fromWireOrders, orderId, orderListHash } from '@pit/chain'
import { openDb } from '@pit/platform/db'
import type { ChainProfile } from '@pit/protocol'
import { startDevnetProcess } from '../e2e/devnetProcess.ts'
import { seedAgents } from '../e2e/hosted/seedAgents.ts'
import { sellEth, setEth, when } from '../e2e/orders/orderAgent.ts'
import { listOf } from '../e2e/orders/signedList.ts'
import { startServerProcess } from '../e2e/serverProcess.ts'
import { tradingEnv } from '../e2e/trading/world.ts'
import { insertList } from '../packages/agents/src/signed/store.ts'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { startCpu, untilCalm } from './limits/cpu.ts'

const ORDERS = Number(process.env['ORDERS'] ?? 10_000)
const SECONDS = Number(process.env['SECONDS'] ?? 30)
const ROUNDS = Number(process.env['ROUNDS'] ?? 2)
const PER_AGENT = 50
const PER_LIST = 10
const AGENTS = Math.ceil(ORDERS / PER_AGENT)
const FEED_MS = 500
const TARGET_PERCENT = 5
const BASE_USD = 2_500

const devnet = await startDevnetProcess({ MARKET: 'on' })
const profile = JSON.parse(readFileSync(devnet.profileFile, 'utf8')) as ChainProfile
const core = (symbol: string) =>
  profile.core_tokens.find((one) => one.symbol === symbol)!.address.toLowerCase() as `0x${string}`
const folders = { without: await newServerDirectory(), with: await newServerDirectory() }
try {
  await fill(folders.without, 0)
  await fill(folders.with, PER_AGENT)
  const servers = {
    without: await startServerProcess({ ...tradingEnv(devnet), DATA_DIR: folders.without }),
    with: await startServerProcess({ ...tradingEnv(devnet), DATA_DIR: folders.with }),
  }
  try {
    await measure(servers)
  } finally {
    for (const server of Object.values(servers)) await server.stop()
  }
  console.log(`${await countArmed(folders.with)} of ${ORDERS} orders are still armed`)
} finally {
  await devnet.stop()
  for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true })
}

async function measure(servers: { without: { pid: number }; with: { pid: number } }): Promise<void> {
  const watched = Object.entries(servers).map(([name, { pid }]) => ({ name, pid }))
  await setEth({ devnet }, BASE_USD)
  await untilCalm(watched)
  const differences: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const endCpu = startCpu(watched)
    const untilMs = performance.now() + SECONDS * 1_000
    let moves = 0
    while (performance.now() < untilMs) {
      await setEth({ devnet }, BASE_USD * (1 + Math.sin(moves++) / 100))
      await sleep(FEED_MS)
    }
    const { shares, machine } = endCpu()
    const [without, armed] = shares.map(({ total }) => total) as [number, number]
    differences.push(armed - without)
    console.log(
      `${moves} rounds of the feed in ${SECONDS} s: ${armed.toFixed(1)}% of a core with ${ORDERS} orders, ` +
        `${without.toFixed(1)}% without; machine ${machine.toFixed(0)}%`,
    )
  }
  const mean = differences.reduce((sum, one) => sum + one, 0) / differences.length
  const met = mean < TARGET_PERCENT ? 'met' : 'MISSED'
  console.log(`difference ${mean.toFixed(1)}% of a core (below ${TARGET_PERCENT}% wanted) ${met}`)
}

async function countArmed(dataDir: string): Promise<number> {
  const db = await openDb({ dataDir, databaseUrl: null })
  const [row] = await db.query<{ n: number }>(
    `select count(*) as n from signed_orders where state = 'armed' and met_rounds is null`,
  )
  await db.close()
  return row!.n
}

/** Agents that carry out orders, each with this many far from the price. */
async function fill(dataDir: string, ordersEach: number): Promise<void> {
  const crypto = await createCrypto()
  const db = await openDb({ dataDir, databaseUrl: null })
  await migrateStore(db)
  const nowMs = Date.now()
  const ids = await seedAgents(db, profile, {
    ...{ count: AGENTS, intervalS: 3_600, brains: ['dca'], pairs: ['ETH/USDG'] },
    ...{ nowMs, afterMs: nowMs },
  })
  await db.query(`update hosted_agents set brain = 'orders', params = '{}'`)
  for (const [n, agentId] of ids.entries()) {
    for (let first = 0; first < ordersEach; first += PER_LIST) {
      const orders = Array.from({ length: PER_LIST }, (_, i) => {
        const away = 0.3 + (n * PER_AGENT + first + i) / (4 * ORDERS)
        const isBelow = i % 2 === 0
        const trigger = when(
          isBelow ? 'at_or_below' : 'at_or_above',
          BASE_USD * (isBelow ? 1 - away : 1 + away),
        )
        return sellEth({ core }, 10n ** 16n, { trigger })
      })
      const wire = listOf(`0x${'0'.repeat(64)}`, orders) as unknown as Parameters<
        typeof insertList
      >[1]['wire']
      const hash = orderListHash(crypto, fromWireOrders(wire))
      await insertList(db, {
        ...{ agentId, hash, wire, sessionId: null, signature: null },
        ids: orders.map((_, i) => orderId(crypto, hash, i)),
        registeredAtS: Math.floor(nowMs / 1_000),
        placedAtMs: nowMs,
      })
    }
  }
  const [row] = await db.query<{ n: number }>('select count(*) as n from signed_orders where not ended')
  console.log(`${ids.length} agents, ${row!.n} armed orders`)
  await db.close()
}
