import { randomBytes } from 'node:crypto'
import { type Crypto, createCrypto } from '@pit/chain'
import { createSharedTexts, type SharedTexts } from '@pit/platform/cache'
import { systemClock, type Timer } from '@pit/platform/clock'
import { type Db, openDb } from '@pit/platform/db'
import { type Activity, createActivity } from '@pit/platform/jobs'
import { createMetrics, type Logger, type Metrics } from '@pit/platform/monitoring'
import { type Closing, checkChain } from '@pit/platform/process'
import { createPassThrough, createRpc, type PassThrough, type Rpc, watchAddresses } from '@pit/platform/rpc'
import { openSanctions, type Sanctions } from '@pit/platform/sanctions'
import { ownDataDir, readProfile, StartRefused } from '@pit/platform/settings'
import type { ChainProfile } from '@pit/protocol'
import { refuseWithoutCountry } from './compliance/countrySource.ts'
import { refuseSampleList } from './compliance/sampleList.ts'
import { type Config, configFor } from './config.ts'
import { migrateStore } from './migrateStore.ts'
import { watchSequencer } from './service/watchSequencer.ts'

const PROFILE_WAIT_MS = 60_000
/** At most 40 responses of 128 KB are held at once. */
const WALLET_READS = { maxConnections: 8, maxCalls: 40 }

/** Dependencies of nearly every part. */
export interface Ground {
  db: Db
  rpc: Rpc
  /** Reads for browser wallets, separate from the service's own. */
  walletReads: PassThrough
  sequencer: ReturnType<typeof watchSequencer>
  clock: Timer
  activity: Activity
  crypto: Crypto
  logger: Logger
  metrics: Metrics
  profile: ChainProfile
  sanctions: Sanctions
  isSanctioned: Sanctions['isSanctioned']
  /** Shared by every process on this store. */
  shared: SharedTexts
  randomBytes(size: number): Uint8Array
}

/** Progress reports and early abort of a start. */
export interface Start {
  config: Config
  logger: Logger
  closing: Closing
  /** Reports progress; throws if the start is to be aborted. */
  stage(text: string): void
  ending: AbortSignal
}

/** Opens the store and the connections to the chain; rejects setups that are not safe for money. */
export async function openGround({ config, logger, closing, stage, ending }: Start): Promise<Ground> {
  ownDataDir(config.dataDir)
  const sanctions = await openSanctions({ file: config.sanctionsFile, logger })
  closing.add(() => sanctions.close())
  const [crypto, db] = await Promise.all([
    createCrypto(),
    openDb({ dataDir: config.dataDir, databaseUrl: config.databaseUrl, logger }),
  ])
  closing.add(() => db.close())
  const applied = await migrateStore(db)
  stage(`store open (${db.engine}${applied > 0 ? `, ${applied} migrations applied` : ''})`)

  const profile = await readProfile({ file: config.profileFile, waitMs: PROFILE_WAIT_MS, ending })
  // A devnet has no explorer but the dashboard's own page.
  if (profile.kind === 'devnet') profile.explorer_tx = `${new URL(config.publicUrl).origin}/tx/`
  if (profile.kind !== 'devnet' && db.engine === 'pglite' && !config.allowEmbeddedStore) {
    throw new StartRefused(
      `the embedded store never syncs to disk, so a power failure may lose the newest trades: on ` +
        `${profile.name} set DATABASE_URL to a PostgreSQL database, or ALLOW_EMBEDDED_STORE=1 to accept that`,
    )
  }
  refuseSampleList(profile, sanctions)
  if (config.roles.api) refuseWithoutCountry(profile, configFor(config, profile))
  const rpcUrls = config.chainRpcUrls.length > 0 ? config.chainRpcUrls : profile.rpc_urls
  if (rpcUrls.length === 0) throw new StartRefused('no RPC address: set CHAIN_RPC_URL')
  const wsUrl = config.chainWsUrl ?? profile.ws_url
  const metrics = createMetrics()
  const activity = createActivity(systemClock)
  const rpc = createRpc({
    url: rpcUrls,
    chainId: profile.chain_id,
    heads: wsUrl ? { url: wsUrl } : 'probe',
    activity,
    onChange: (health) => logger.warn({ rpc: health }, `RPC address is ${health.state}`),
  })
  closing.add(() => rpc.close())
  watchAddresses(metrics, rpc)
  await checkChain(rpc, profile)
  const walletReads = createPassThrough({ urls: rpcUrls, health: rpc.addresses, ...WALLET_READS })
  closing.add(() => walletReads.close())
  const sequencerUrl = config.sequencerUrl ?? profile.sequencer_url
  // Without a sequencer, transactions go to the nodes, each to one of them.
  const sendsBy = sequencerUrl ? createRpc({ url: sequencerUrl }) : { ...rpc, close: () => {} }
  const sequencer = watchSequencer(sendsBy, systemClock)
  closing.add(() => sequencer.close())
  stage(`profile ${profile.name}, chain at ${rpcUrls.map((url) => new URL(url).host).join(', ')}`)
  return {
    ...{ db, rpc, walletReads, sequencer, crypto, logger, profile, sanctions, randomBytes },
    clock: systemClock,
    activity,
    metrics,
    isSanctioned: sanctions.isSanctioned,
    shared: createSharedTexts({ db, logger }),
  }
}
