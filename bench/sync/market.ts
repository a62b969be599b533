import { createCrypto } from '@pit/chain'
import { openMarket } from '@pit/market'
import { systemClock } from '@pit/platform/clock'
import { openDb } from '@pit/platform/db'
import { createLeases, runJobs } from '@pit/platform/jobs'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { createRpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'
import { comparePools } from '../../packages/market/test/comparePools.ts'
import { CONTRACTS, LAUNCHPADS } from '../../packages/market/test/syntheticChain.ts'
import { BARE_PROFILE } from '../../packages/platform/test/bareProfile.ts'
import { migrateStore } from '../../packages/server/src/migrateStore.ts'

/** One process that follows the pools of a node, reports progress to its parent, and compares on request. */
export async function syncMarket({
  url,
  dataDir,
  databaseUrl,
}: {
  url: string
  dataDir: string
  databaseUrl: string | null
}): Promise<void> {
  const startedMs = performance.now()
  const rpc = createRpc({ url })
  const db = await openDb({ dataDir, databaseUrl })
  await migrateStore(db)
  const logger = createLogger({ level: 'warn' })
  const profile = {
    ...BARE_PROFILE,
    contracts: { ...BARE_PROFILE.contracts, ...CONTRACTS },
    launchpads: LAUNCHPADS,
  } as ChainProfile
  const openedMs = performance.now()
  const heapBefore = process.memoryUsage().heapUsed
  const market = await openMarket({
    rpc,
    db,
    clock: systemClock,
    crypto: await createCrypto(),
    profile,
    logger,
  })
  const metrics = createMetrics({ withProcess: false })
  const { everywhere, worker } = market.jobs
  const leases = createLeases({ db, clock: systemClock })
  const jobs = runJobs({ clock: systemClock, logger, metrics, leases }, [...everywhere, ...worker])
  let most = 0
  setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 100)
  while (true) {
    const isReady = await market.ready().then(
      () => market.head() !== null,
      () => false,
    )
    if (isReady) break
  }
  const report = () => ({
    readyS: (performance.now() - startedMs) / 1_000,
    storeS: (openedMs - startedMs) / 1_000,
    pools: market.poolCount(),
    head: market.head()!.number,
    peakMb: Math.max(most, process.resourceUsage().maxRSS * 1_024) / 1e6,
    heapMb: (process.memoryUsage().heapUsed - heapBefore) / 1e6,
  })
  process.send!({ kind: 'ready', ...report() })
  process.on('message', async (params: { kind: 'compare' | 'cost' | 'close' }) => {
    if (params.kind === 'cost') {
      const { user, system } = process.cpuUsage()
      process.send!({ kind: 'cost', cpuMs: (user + system) / 1_000, head: market.head()!.number })
      return
    }
    if (params.kind === 'close') {
      await jobs.stop()
      await market.close()
      await db.close()
      process.send!({ kind: 'closed' }, () => process.exit(0))
      return
    }
    for (let tries = 0; ; tries++) {
      const head = market.head()!.number
      const living = await rpc.request<{ id: string; state: string }[]>('synthetic_living', [head], {
        timeoutMs: 60_000,
      })
      // A block may have arrived during the answer: the comparison needs a single block.
      if (market.head()!.number !== head && tries < 200) continue
      process.send!({ kind: 'compared', head, ...comparePools(market.pools(), living) })
      return
    }
  })
}
