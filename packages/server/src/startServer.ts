import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { hostname } from 'node:os'
import {
  executorOwner,
  isExecutorOf,
  openBrains,
  openHosted,
  openPaper,
  openTicks,
  sessionsInUse,
} from '@pit/agents'
import { createCrypto } from '@pit/chain'
import { isInLeague, openLeague, readStart } from '@pit/league'
import { createAgentRegistry, createAgentVault, openMarket, openTokens, watchMarket } from '@pit/market'
import { checkChain, StartRefused } from '@pit/platform/checkChain'
import { systemClock } from '@pit/platform/clock'
import { openDb } from '@pit/platform/db'
import { runJobs } from '@pit/platform/jobs'
import { createLogger } from '@pit/platform/logger'
import { createMetrics, serveMetrics } from '@pit/platform/metrics'
import { readProfile } from '@pit/platform/readProfile'
import { createRpc } from '@pit/platform/rpc'
import { openSanctions } from '@pit/platform/sanctions'
import { withinMs } from '@pit/platform/withinMs'
import { openAccount, openRelay } from '@pit/relay'
import { createSessionGate, createSwitches, openSessions } from '@pit/sessions'
import { openFast, openTrade } from '@pit/trading'
import { openTreasury } from '@pit/treasury'
import { Redis } from 'ioredis'
import { divisionOf, openAuth } from './auth/index.ts'
import { openGeo } from './compliance/geo.ts'
import type { Config } from './config.ts'
import { createApp } from './http/createApp.ts'
import { createCharge } from './http/rates/charge.ts'
import { ratesOf } from './http/rates/limiter.ts'
import { createMemoryLimiter } from './http/rates/memoryLimiter.ts'
import { createRedisLimiter } from './http/rates/redisLimiter.ts'
import type { Handlers } from './http/types.ts'
import { migrateStore } from './migrateStore.ts'
import { openAiTerms, openSealKey } from './openSecrets.ts'
import { openSigner } from './openSigner.ts'
import { openAdmin } from './operator/openAdmin.ts'
import { accountRoutes } from './routes/account.ts'
import { describeStanding } from './routes/describeAgent.ts'
import { fastRoutes } from './routes/fast.ts'
import { hostedRoutes } from './routes/hosted.ts'
import { hostedAiRoutes } from './routes/hostedAi.ts'
import { leagueRoutes } from './routes/league.ts'
import { relayRoutes } from './routes/relay.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { tradingRoutes } from './routes/trading.ts'
import { createServiceHandlers, probesOf, watchHealth } from './service/index.ts'
import { createStatsHandler, watchLatency } from './stats/index.ts'
import { VERSION } from './version.ts'

export interface RunningServer {
  url: string
  close(): Promise<void>
}

const PROFILE_WAIT_MS = 60_000
const SWEEP_EVERY_MS = 60_000
const MARKET_WAIT_MS = 10_000
const REFUND_WAIT_MS = 10_000
const TREASURY_EVERY_MS = 10_000

/** Builds everything and hands it in; `tell` says to a waiting person what happens. Told to end, it gives up. */
export async function startServer(
  config: Config,
  tell: (text: string) => void,
  ending: AbortSignal,
): Promise<RunningServer> {
  const stage = (text: string) => {
    ending.throwIfAborted()
    tell(text)
  }
  const clock = systemClock
  const logger = createLogger({ level: config.logLevel })
  const metrics = createMetrics()
  const workerId = `${hostname()} ${process.pid}`
  /** What was opened, closed in the opposite order. */
  const opened: (() => Promise<unknown> | unknown)[] = []
  const close = async () => {
    for (const end of opened.reverse().splice(0)) {
      // One that cannot end must not keep the store from being closed.
      await Promise.resolve()
        .then(end)
        .catch((error) => logger.warn({ err: error }, 'a part did not end cleanly'))
    }
  }

  try {
    const sanctions = await openSanctions({ file: config.sanctionsFile, logger })
    opened.push(() => sanctions.close())
    const [crypto, geo, db] = await Promise.all([
      createCrypto(),
      openGeo(config.geoDb),
      openDb({ dataDir: config.dataDir, databaseUrl: config.databaseUrl, logger }),
    ])
    opened.push(() => db.close())
    const applied = await migrateStore(db)
    stage(`store open (${db.engine}${applied > 0 ? `, ${applied} migrations applied` : ''})`)

    const profile = await readProfile({ file: config.profileFile, waitMs: PROFILE_WAIT_MS, ending })
    if (profile.kind !== 'devnet' && db.engine === 'pglite' && !config.allowEmbeddedStore) {
      throw new StartRefused(
        `the embedded store never syncs to disk, so a power cut may lose the newest trades: on ${profile.name} set DATABASE_URL to a PostgreSQL, or ALLOW_EMBEDDED_STORE=1 to accept that`,
      )
    }
    const rpcUrl = config.chainRpcUrl ?? profile.rpc_url
    if (!rpcUrl) throw new StartRefused('no chain to talk to: set CHAIN_RPC_URL')
    const rpc = createRpc({ url: rpcUrl })
    opened.push(() => rpc.close())
    await checkChain(rpc, profile)
    stage(`profile ${profile.name}, chain at ${new URL(rpcUrl).host}`)
    /** What nearly every part stands on. */
    const ground = { db, rpc, clock, crypto, logger, metrics, profile }
    const { isSanctioned } = sanctions

    const rates = ratesOf({ scale: config.rateLimitScale, overallFactor: config.rateOverallFactor })
    const memoryLimiter = createMemoryLimiter({ rates })
    const redis = config.redisUrl
      ? new Redis(config.redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false })
      : null
    if (redis) opened.push(() => redis.disconnect())
    const limiter = redis
      ? createRedisLimiter({ redis, rates, local: memoryLimiter, logger, metrics })
      : memoryLimiter

    const registry = profile.contracts.agent_registry
    const vault = registry === null ? null : createAgentVault({ rpc, registry: registry as `0x${string}` })
    const auth = await openAuth({
      db,
      clock,
      crypto,
      config,
      isSanctioned,
      ...(registry === null
        ? {}
        : { registry: createAgentRegistry({ rpc, registry: registry as `0x${string}` }) }),
    })
    opened.push(() => auth.close())

    const market = await openMarket({ ...ground, writes: config.roles.jobs })
    opened.push(() => market.close())
    watchMarket(metrics, { market, clock })
    // A chain that does not answer delays the market, not the start: what needs it says so.
    const inTime = await withinMs(
      MARKET_WAIT_MS,
      Promise.race([market.ready(), ending.aborted || once(ending, 'abort')]),
      () => new Error('late'),
    ).then(
      () => true,
      () => false,
    )
    const head = market.head()
    stage(
      inTime && head
        ? `market at block ${head.number}: ${market.poolCount()} pools and curves`
        : 'market still catching up with the chain',
    )

    const account = openAccount({ ...ground, market })
    opened.push(() => account.close())
    const charge = createCharge({ limiter, clock, metrics })
    const tokens = await openTokens({
      ...ground,
      market,
      majorBps: account.tierBps,
      background: config.roles.jobs,
    })
    opened.push(() => tokens.close())

    const sequencerUrl = config.sequencerUrl ?? profile.sequencer_url ?? rpcUrl
    const sequencer = createRpc({ url: sequencerUrl })
    opened.push(() => sequencer.close())
    const gate = createSessionGate({ db, clock })
    const relay = openRelay({
      ...ground,
      sequencer,
      market,
      isSanctioned,
      submitEnabled: config.submitEnabled,
      writes: config.roles.jobs,
      isPlainToken: tokens.isPlain,
      executorOf: gate.executorOf,
      sessionOpen: gate.isOpen,
    })
    opened.push(() => relay.close())
    const trade = openTrade({
      ...ground,
      market,
      tokens,
      tierBps: account.tierBps,
      storePlan: relay.storePlan,
      storeRevocation: relay.storeRevocation,
      recordRefusal: account.recordRefusal,
      devFields: config.devFields,
    })
    const signer = openSigner(config.signer, clock)
    const switches = createSwitches({ db, clock })
    const sessions = openSessions({
      ...ground,
      market,
      tokens,
      trade,
      randomBytes,
      tierBps: account.tierBps,
      isSanctioned,
      storePlan: relay.storePlan,
      storeOwnerTxs: relay.storeRevocation,
      recordRefusal: account.recordRefusal,
      signer,
      hosted: { executorOwner, isExecutorOf, sessionsInUse },
    })
    opened.push(() => sessions.close())
    const { everywhere, worker } = sessions.jobs
    const jobs = runJobs({ clock, logger, metrics }, [...everywhere, ...(config.roles.jobs ? worker : [])])
    opened.push(() => jobs.stop())
    const fast = openFast({
      ...ground,
      market,
      account,
      simulator: trade.simulator,
      relayOnce: relay.relayOnce,
      enabled: config.fastEnabled && config.submitEnabled,
    })
    opened.push(() => fast.close())

    const brains = openBrains({
      ...ground,
      randomBytes,
      sealKey: openSealKey(config.sealKey),
      ai: openAiTerms(config.ai),
    })

    const paper = openPaper({ db, clock, profile, market, quoteTrade: trade.quoteTrade })
    const league = openLeague({
      ...ground,
      firstSeasonS: await readStart({ db, clock, profile, setting: config.leagueFirstSeason }),
      vault,
      isSanctioned,
      hosted: { agentOf: (id) => hosted.agentOf(id) },
      accounts: { divisionOf },
      paper,
      domain: config.authDomain ?? new URL(config.publicUrl).host,
      randomBytes,
      background: config.roles.jobs,
      workerId,
    })
    opened.push(() => league.close())
    const hosted = openHosted({
      ...ground,
      sequencer,
      market,
      tokens,
      brains,
      switches,
      signer,
      sessions,
      cosigner: sessions.cosigner,
      paper,
      leaveLeague: league.leaveHosted,
      isInLeague,
      submitEnabled: config.submitEnabled,
      refundWaitMs: REFUND_WAIT_MS,
      randomBytes,
    })

    const runEveryMs = config.roles.jobs ? TREASURY_EVERY_MS : null
    const treasury = openTreasury({ ...ground, prizePayouts: league.prizePayouts, runEveryMs })
    opened.push(() => treasury.close())
    const admin = await openAdmin({
      ...ground,
      treasury,
      signer,
      vault,
      isSanctioned,
      dataDir: config.dataDir,
    })
    opened.push(() => admin.close())

    const ticks = openTicks({
      ...ground,
      market,
      tokens,
      brains,
      paper,
      sessions,
      signer,
      submitBytes: relay.submitBytes,
      submitEnabled: config.submitEnabled,
      switches,
      isSanctioned,
      tierBps: account.tierBps,
      practiceGate: league.practiceGate,
      workerId,
    })

    const health = watchHealth({
      onChange: (dependency, state, why) =>
        state === 'ok'
          ? logger.info({ dependency }, 'dependency ok')
          : logger.warn({ dependency, why }, 'dependency impaired'),
      probes: probesOf({ db, rpc, clock, sanctions, market, redis, checkSigner: sessions.checkSigner }),
    })
    opened.push(() => health.stop())

    const rpcLatency = watchLatency(rpc, 'eth_blockNumber')
    const sequencerLatency = watchLatency(sequencer, 'eth_chainId')
    opened.push(() => {
      rpcLatency.stop()
      sequencerLatency.stop()
    })

    const handlers: Handlers = {
      ...createStatsHandler({
        market,
        crypto,
        profile,
        clock,
        health,
        latency: { rpc: rpcLatency.latest, sequencer: sequencerLatency.latest },
        tradableTokens: tokens.tradable,
        aiPool: brains.poolNow,
        relays: config.submitEnabled,
      }),
      ...createServiceHandlers({
        profile,
        settings: config,
        version: VERSION,
        health,
        cosigner: sessions.cosigner,
      }),
      ...auth.handlers,
      ...tokenRoutes({ tokens, crypto, profile, charge }),
      ...tradingRoutes({ trade, crypto, profile, charge }),
      ...relayRoutes(relay),
      ...accountRoutes(account),
      ...fastRoutes({ fast, charge }),
      ...sessionRoutes({
        sessions,
        crypto,
        profile,
        charge,
        logger,
        readHosted: async (wallet) => (await hosted.standing(wallet)).map(describeStanding),
      }),
      treasury: async () => ({ serialised: await treasury.record() }),
      ...hostedAiRoutes(brains),
      ...hostedRoutes({ hosted, profile, charge }),
      ...leagueRoutes(league),
    }
    if (config.roles.jobs) {
      const sweep = setInterval(() => {
        auth.sweep().catch((error) => logger.warn({ err: error }, 'sweeping old challenges failed'))
        account.sweep().catch((error) => logger.warn({ err: error }, 'sweeping refused calls failed'))
        trade.sweep().catch((error) => logger.warn({ err: error }, 'sweeping asked permits failed'))
        hosted.sweep().catch((error) => logger.warn({ err: error }, 'sweeping hosted agents failed'))
        paper.sweep().catch((error) => logger.warn({ err: error }, 'thinning out paper equity failed'))
        brains.sweep().catch((error) => logger.warn({ err: error }, 'sweeping AI spending failed'))
        ticks.sweep().catch((error) => logger.warn({ err: error }, 'sweeping hosted orders failed'))
      }, SWEEP_EVERY_MS)
      opened.push(() => clearInterval(sweep))
      await ticks.start()
      opened.push(() => ticks.stop())
    }
    if (config.metricsPort > 0) {
      const served = await serveMetrics(metrics, { port: config.metricsPort })
      opened.push(() => served.close())
    }
    await health.refresh()
    if (!config.roles.api) return { url: '', close }

    const app = await createApp({
      config,
      clock,
      handlers,
      authenticate: auth.authenticateKey,
      limiter,
      sanctions,
      geo,
      logger,
      metrics,
      version: VERSION,
    })
    const { address, port } = await app.listen()
    opened.push(() => app.close())
    return { url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`, close }
  } catch (error) {
    await close()
    throw error
  }
}
