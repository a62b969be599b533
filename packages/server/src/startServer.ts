import { hostname } from 'node:os'
import { createCharge, createHosts, createMemoryLimiter, createRedisLimiter, ratesOf } from '@pit/http'
import { createLeases, createLocalLeases, runJobs } from '@pit/platform/jobs'
import { createLogger, serveMetrics } from '@pit/platform/monitoring'
import { createClosing } from '@pit/platform/process'
import { watchSanctions } from '@pit/platform/sanctions'
import { Redis } from 'ioredis'
import manifest from '../package.json' with { type: 'json' }
import { countrySettings } from './compliance/countrySource.ts'
import { openGeo, placeRules } from './compliance/geo.ts'
import { type Config, configFor } from './config.ts'
import { factsOf } from './fleet/facts.ts'
import { joinFleet } from './fleet/joinFleet.ts'
import { createApi } from './http/createApi.ts'
import { tableOf } from './jobs.ts'
import { openCapabilities } from './openCapabilities.ts'
import { type Ground, openGround, type Start } from './openGround.ts'
import { openAdmin } from './operator/serveAdmin.ts'
import { createRoutes } from './routes/index.ts'
import { examineChain } from './service/examineChain.ts'
import { createHealth } from './service/health.ts'
import { probesOf } from './service/probesOf.ts'
import { guidePages } from './site/guidePages.ts'
import { historyPages } from './site/historyPages.ts'
import { marksPages } from './site/marksPages.ts'
import { openSite } from './site/openSite.ts'
import { recordPages } from './site/recordPages.ts'
import { openStats } from './stats/openStats.ts'
import { createWalletRpc } from './walletRpc/createWalletRpc.ts'

/** Health probe rounds, a second apart. */
const QUIET_ROUNDS = 15

export interface RunningServer {
  url: string
  close(): Promise<void>
}

/** Opens everything; `tell` reports progress. Stops when aborted. */
export async function startServer(
  config: Config,
  tell: (text: string) => void,
  ending: AbortSignal,
): Promise<RunningServer> {
  const logger = createLogger({ level: config.logLevel })
  const closing = createClosing(logger)
  const stage = (text: string) => {
    ending.throwIfAborted()
    tell(text)
  }
  try {
    const url = await open({ config, logger, closing, stage, ending })
    return { url, close: closing.close }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** Opens bottom-up and closes in reverse: the edge first, then the jobs, then what they use. */
async function open(given: Start): Promise<string> {
  const { closing } = given
  const geo = await openGeo(given.config.geoDb)
  const ground = await openGround(given)
  const { db, clock, activity, logger, metrics, sanctions, profile } = ground
  const config = configFor(given.config, profile)
  const start: Start = { ...given, config }
  if (config.authDomain === null) logger.warn('AUTH_DOMAIN is not set: sign-in is off')
  const fleet = await joinFleet({
    ...{ db, clock, tell: start.stage, ending: start.ending },
    name: `${hostname()} ${process.pid}`,
    facts: factsOf(config, profile),
  })
  closing.add(() => fleet.leave())
  const { redis, limiter } = openLimiter(ground, start)
  watchSanctions(metrics, { sanctions, clock })
  const examined = examineChain({
    ...ground,
    // The doctor checks a separate sequencer only; health checks any.
    sequencer: null,
    wsUrl: null,
    sanctions: { ...sanctions.state(), maxAgeS: config.sanctionsMaxAgeH * 3_600 },
    country: config.roles.api ? countrySettings(config) : null,
    nowMs: clock.nowMs,
  })
  const charge = createCharge({ limiter, clock, metrics })
  const capabilities = await openCapabilities(ground, start)
  const { auth, market, tokens, account, relay, trade, sessions, paper, models } = capabilities
  const { hosted, ticks, league, treasury, signer, history, vault } = capabilities

  const health = createHealth({
    // Under one supervisor with the signer, this process is often up first.
    quietRounds: QUIET_ROUNDS,
    probes: probesOf({
      ...{ ...ground, market, redis, fleet },
      checkSigner: sessions.checkSigner,
      checkAudit: tokens.checkAudit,
      checkGateway: models.checkGateway,
    }),
    onChange: (dependency, state, why) =>
      state === 'ok'
        ? logger.info({ dependency }, 'dependency ok')
        : logger.warn({ dependency, why }, 'dependency impaired'),
  })
  const stats = openStats({
    ...{ ...ground, market, health },
    tradableTokens: tokens.tradable,
    aiPool: models.poolNow,
    relays: config.submitEnabled,
  })

  // A first request after a rest is answered from the newest block.
  closing.add(activity.onReturn(market.ready))
  closing.add(() => ticks.close())
  // Before the jobs and the edge start, which can trade.
  await examined.settled()
  const jobs = runJobs(
    {
      ...{ clock, logger, metrics, activity },
      leases: db.engine === 'pglite' ? createLocalLeases() : createLeases({ db, clock }),
    },
    tableOf(
      [
        ...[market, tokens, account, relay, trade, sessions, paper, models, hosted, ticks, league, treasury],
        ...[auth, health, stats, fleet, examined, ground.shared, history],
      ],
      { ...config.roles, isAside: fleet.isClockOff, isAlone: db.engine === 'pglite' },
    ),
  )
  closing.add(() => jobs.stop())
  const admin = await openAdmin({
    ...{ ...ground, treasury, signer, vault },
    jobs: jobs.state,
    dataDir: config.dataDir,
  })
  closing.add(() => admin.close())
  let isListening = false
  /** False from the shutdown request on, though requests are served for DRAIN_S. */
  const isServing = (): boolean =>
    isListening && !given.ending.aborted && health.report().status !== 'down' && !fleet.isClockOff()
  /** False before the market was read, and while it is stale. */
  const isReady = (): boolean => isServing() && health.report().checks['market'] === 'ok'
  if (config.metricsPort > 0) {
    const { metricsPort: port, metricsHost: host } = config
    const isOwnHost = createHosts(config)
    const served = await serveMetrics(metrics, { port, host, isOwnHost, isReady, isServing })
    closing.add(() => served.close())
  }
  await health.refresh()
  isListening = !config.roles.api
  if (!config.roles.api) return ''

  const { version } = manifest
  const site = openSite({
    profile,
    cosigner: sessions.cosigner,
    publicUrl: config.publicUrl,
    walletOrigin: config.walletOrigin,
  })
  const app = createApi({
    ...{ config, clock, activity, limiter, sanctions, geo, logger, metrics, version },
    places: placeRules(profile.countries),
    handlers: createRoutes(ground, capabilities, { settings: config, version, health, stats, charge }),
    authenticate: auth.authenticateKey,
    site: [
      ...site.pages,
      ...guidePages({ version, publicUrl: config.publicUrl }),
      ...marksPages({ sql: db, clock, profile }),
      ...historyPages({ sql: db, clock, profile, market, curves: league.curves }),
      ...recordPages({ sql: db, clock }),
    ],
    notFound: site.notFound,
    walletRpc: createWalletRpc({ node: ground.walletReads, relay, charge, liveKeysOf: auth.liveKeysOf }),
  })
  const { address, port } = await app.listen()
  isListening = true
  closing.add(() => app.close())
  // First to close. /ready tells a proxy to send requests elsewhere before this process stops.
  closing.add(() => {
    app.drain()
    return clock.sleep(config.drainS * 1_000)
  })
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`
}

/** In memory, or shared by all processes on one Redis. */
function openLimiter({ logger, metrics }: Ground, { config, closing }: Start) {
  const rates = ratesOf({ scale: config.rateLimitScale, overallFactor: config.rateOverallFactor })
  const local = createMemoryLimiter({ rates })
  if (!config.redisUrl) return { redis: null, limiter: local }
  const redis = new Redis(config.redisUrl, { maxRetriesPerRequest: 1, enableOfflineQueue: false })
  closing.add(() => redis.disconnect())
  return { redis, limiter: createRedisLimiter({ redis, rates, local, logger, metrics }) }
}
