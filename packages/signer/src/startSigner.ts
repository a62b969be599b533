import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Crypto, createCrypto } from '@pit/chain'
import { type Clock, systemClock } from '@pit/platform/clock'
import { openDb } from '@pit/platform/db'
import { createActivity, type Job, runJobs } from '@pit/platform/jobs'
import { createLogger, createMetrics, type Logger } from '@pit/platform/monitoring'
import { checkChain, createClosing } from '@pit/platform/process'
import { type AgreeingRpc, agreeOfTwo, createRpc } from '@pit/platform/rpc'
import { openSanctions } from '@pit/platform/sanctions'
import { ownFolder, readProfile, readSecretText, StartRefused } from '@pit/platform/settings'
import type { ChainProfile } from '@pit/protocol'
import { sampleBooks } from './brakes/sampleBooks.ts'
import { type Config, readSecret } from './config.ts'
import { openVault } from './executors/openVault.ts'
import { callRoutes } from './http/callRoutes.ts'
import { createGate } from './http/gate.ts'
import type { Door } from './http/listenAt.ts'
import { createPeerCheck } from './http/peerUser.ts'
import { type CallRoutes, serveCalls } from './http/serveCalls.ts'
import { createCosigner } from './keys/createCosigner.ts'
import { keyFileIn, openKeyFile } from './keys/openKeyFile.ts'
import { openKmsKey } from './keys/openKmsKey.ts'
import { KeyError } from './keys/sealKey.ts'
import type { SigningKey } from './keys/signingKey.ts'
import { createFeeClassReader } from './leaves/readFeeClass.ts'
import { openHome } from './ledger/openHome.ts'
import { migrateLedger, openLedger } from './ledger/openLedger.ts'
import { sweepLedger } from './ledger/sweepLedger.ts'
import { createTriggerReader } from './orders/readTrigger.ts'
import { settleExpired } from './orders/settleExpired.ts'
import { pinsOf } from './pins.ts'
import { createReading } from './prices/createReading.ts'
import { followPrices } from './prices/followPrices.ts'
import { openSessions } from './roots/openSessions.ts'
import { createNonceReader } from './roots/readNonce.ts'

export interface RunningSigner {
  url: string
  cosigner: string
  close(): Promise<void>
}

const PROFILE_WAIT_MS = 60_000
const MIN_SECRET_CHARS = 32
const MIN_PASSPHRASE_CHARS = 16
const PRICES_EVERY_MS = 500
const SWEEP_EVERY_MS = 600_000
const HOME_EVERY_MS = 1_000
/** Intervals while the signer is not called: the next call waits for new readings. */
const PRICES_IDLE_MS = 15_000
const HOME_IDLE_MS = 10_000
const SETTLE_IDLE_MS = 30_000
const SETTLE_EVERY_MS = 5_000
const SAMPLE_EVERY_MS = 60_000

const every = (name: string, ms: number, run: Job['run'], idleMs?: number): Job => ({
  name,
  idleMs,
  intervalMs: ms,
  firstAfterMs: ms,
  maxRetryMs: ms,
  run,
})

/** Files in a server's DATA_DIR. */
const OF_SERVER = ['store', 'server', 'admin.sock']

/**
 * Except on a devnet the signer needs separate files that the server can neither change nor read. Open
 * permissions are refused instead of repaired: the key may have been read already.
 */
function refuseShared({ kind, name }: ChainProfile, { dataDir, ownFiles }: Config): void {
  if (kind === 'devnet') return void ownFolder(dataDir)
  const missing = Object.entries(ownFiles).find(([, isGiven]) => !isGiven)?.[0]
  if (missing) {
    throw new StartRefused(
      `${missing} is not set: on ${name} name the signer’s own copy, which the server cannot write`,
    )
  }
  const above = dirname(dataDir)
  const shared = OF_SERVER.find((file) => existsSync(join(above, file)))
  if (shared !== undefined) {
    throw new StartRefused(
      `DATA_DIR ${above} is a server’s (${shared}): ` +
        `on ${name} give the signer a separate user and DATA_DIR`,
    )
  }
  ownFolder(dataDir, 'refuse')
}

/** A single node is trusted; of several, two must agree on every reading. */
function openNodes(urls: readonly string[], logger: Logger): AgreeingRpc {
  const [only] = urls
  if (only === undefined) throw new StartRefused('no chain to read: set SIGNER_RPC_URL or CHAIN_RPC_URL')
  if (urls.length === 1) {
    logger.info('only one RPC address: its responses are not cross-checked')
    return { ...createRpc({ url: only }), trouble: () => null }
  }
  return agreeOfTwo({
    urls,
    alarm: (what) =>
      logger.error({ alarm: 'rpc_disagreement', ...what }, 'two nodes disagree: nothing is signed'),
  })
}

/** The co-signer's key from a file or a KMS, and a note on its origin for the log. */
async function openKey(
  { dataDir, importKeyFile, kms }: Config,
  { passphrase, crypto, clock }: { passphrase: string; crypto: Crypto; clock: Clock },
): Promise<{ key: SigningKey; from: string }> {
  if (kms === null) {
    const key = await openKeyFile({ dataDir, passphrase, importKeyFile, crypto })
    return { key, from: key.isNew ? ' (new)' : '' }
  }
  const file = keyFileIn(dataDir)
  if (existsSync(file))
    throw new KeyError(`there is a co-signer’s key in ${file}: unset SIGNER_KMS_KEY_ID, or move it away`)
  const { secretKey, sessionToken, accessKeyId, ...where } = kms
  const readCredentials = () => ({
    accessKeyId,
    secretKey: readSecretText(secretKey),
    sessionToken: sessionToken && readSecretText(sessionToken),
  })
  return { key: await openKmsKey({ ...where, crypto, clock, readCredentials }), from: ' (in a KMS)' }
}

function doorOf(listen: Config['listen']): Door {
  if (listen.kind !== 'tls') return listen
  const { cert, key, clientCa, ...rest } = listen
  return {
    ...rest,
    cert: readSecretText(cert),
    key: readSecretText(key),
    ca: readSecretText(clientCa),
  }
}

/** The ledger is small: counters and leaves of the last days. */
const LEDGER_BUFFER_MB = 16

/** Builds and connects all parts. `report` receives the progress; `ending` aborts the start. */
export async function startSigner(
  config: Config,
  report: (text: string) => void,
  ending: AbortSignal,
): Promise<RunningSigner> {
  // An aborted start closes what it has opened, so that the next one finds no stale lock.
  const stage = (text: string): void => {
    ending.throwIfAborted()
    report(text)
  }
  const clock = systemClock
  const startedAtMs = clock.nowMs()
  const logger = createLogger({ level: config.logLevel })
  const closing = createClosing(logger)

  try {
    const secrets = {
      server: readSecret(config.secret, { minChars: MIN_SECRET_CHARS }),
      operator: config.operatorSecret && readSecret(config.operatorSecret, { minChars: MIN_SECRET_CHARS }),
    }
    if (secrets.server === secrets.operator) {
      throw new StartRefused('SIGNER_OPERATOR_SECRET is the server’s secret: use another one')
    }
    const sanctions = await openSanctions({
      file: config.sanctionsFile,
      setting: 'SIGNER_SANCTIONS_FILE',
      logger,
    })
    closing.add(() => sanctions.close())
    const crypto = await createCrypto()
    const { dataDir, databaseUrl } = config
    const passphrase = readSecret(config.passphrase, { minChars: MIN_PASSPHRASE_CHARS })
    // Deriving the key takes half a second of another thread: the ledger opens meanwhile.
    const keyOpening = openKey(config, { passphrase, crypto, clock })
    keyOpening.catch(() => {})
    const db = await openDb({ dataDir, databaseUrl, bufferMb: LEDGER_BUFFER_MB, logger })
    closing.add(() => db.close())
    const applied = await migrateLedger(db)
    stage(`ledger open (${db.engine}${applied > 0 ? `, ${applied} migrations applied` : ''})`)
    const { key, from } = await keyOpening
    const cosigner = createCosigner({ key, crypto })
    closing.add(() => cosigner.close())
    stage(`co-signer ${cosigner.address}${from}`)

    const [vault, profile] = await Promise.all([
      openVault({ db, crypto, cosigner: cosigner.address, passphrase }),
      readProfile({ file: config.profileFile, waitMs: PROFILE_WAIT_MS }),
    ])
    closing.add(() => vault.close())
    ending.throwIfAborted()
    refuseShared(profile, config)
    if (profile.kind !== 'devnet' && db.engine === 'pglite' && !config.allowEmbeddedStore) {
      throw new StartRefused(
        'the embedded store never syncs to disk, so a power cut may lose the newest spend: ' +
          `on ${profile.name} set SIGNER_DATABASE_URL to a PostgreSQL, ` +
          'or ALLOW_EMBEDDED_STORE=1 to accept that',
      )
    }
    if (profile.cosigner !== null && profile.cosigner.toLowerCase() !== cosigner.address) {
      throw new StartRefused(
        `profile ${profile.name} pins the co-signer ${profile.cosigner}, this key is ${cosigner.address}`,
      )
    }
    const pins = pinsOf(profile, cosigner.address)
    const rpcUrls = config.rpcUrls.length > 0 ? config.rpcUrls : profile.rpc_urls
    const rpc = openNodes(rpcUrls, logger)
    closing.add(() => rpc.close())
    await checkChain(rpc, profile)
    const always = profile.kind === 'devnet' && config.stockSession === 'always'
    const followed = followPrices({
      rpc,
      clock,
      profile,
      maxHeadAgeS: config.maxHeadAgeS,
      ...(always && { stockSession: () => true }),
    })
    const prices = { ...followed, whyUnread: rpc.trouble }
    // It starts without the chain too, and refuses calls until the chain was read.
    await prices.read().catch(() => {})
    stage(
      prices.isChainRead()
        ? `profile ${profile.name}, prices from ${rpcUrls.map((url) => new URL(url).host).join(', ')}`
        : 'the chain cannot be read yet',
    )

    const home = await openHome({ db, clock, folder: config.dataDir, logger })
    if (home.trouble() !== null) stage(`${home.trouble()}: nothing is signed until its operator accepts it`)
    const ledger = openLedger({ db, clock })
    closing.add(() => ledger.close())
    const sessions = openSessions({ crypto, pins, ledger })
    const triggers = createTriggerReader({ rpc, profile, prices })
    const settling = { db, crypto, clock, rpc, pins, prices, sessions }
    const activity = createActivity(clock)
    const priced = createReading(prices.read, { maxAgeMs: 2 * PRICES_EVERY_MS })
    const housed = createReading(home.check, { maxAgeMs: 2 * HOME_EVERY_MS })
    const jobs = runJobs({ clock, logger, activity, metrics: createMetrics({ withProcess: false }) }, [
      every('read prices', PRICES_EVERY_MS, priced.run, PRICES_IDLE_MS),
      every('check the ledger’s database', HOME_EVERY_MS, housed.run, HOME_IDLE_MS),
      every('sweep ledger', SWEEP_EVERY_MS, () => sweepLedger(db, clock.nowMs())),
      every('settle expired leaves', SETTLE_EVERY_MS, () => settleExpired(settling), SETTLE_IDLE_MS),
      every('sample books', SAMPLE_EVERY_MS, () => sampleBooks(settling)),
    ])
    closing.add(() => jobs.stop())
    const { isSanctioned } = sanctions
    const routes = callRoutes({
      db,
      vault,
      crypto,
      clock,
      rpc,
      pins,
      prices,
      ledger,
      cosigner,
      sanctions,
      home,
      isSanctioned,
      feeClasses: createFeeClassReader({ rpc, pins }),
      sessions,
      triggers,
      walletNonce: createNonceReader({ rpc, pins }),
      controls: { db, clock, pins, prices, triggers },
    })
    const gate = createGate({ secrets, clock, startedAtMs })
    const { maxInFlight } = config
    const current = async (): Promise<void> => {
      activity.note()
      await Promise.all([priced.current(), housed.current()])
    }
    const served = await serveCalls({
      ...{ door: doorOf(config.listen), routes: afterReading(routes, current), gate, logger, maxInFlight },
      ...(profile.kind !== 'devnet' && { sharesUser: createPeerCheck() }),
    })
    closing.add(() => served.close())
    return { url: served.url, cosigner: cosigner.address, close: closing.close }
  } catch (error) {
    await closing.close()
    throw error
  }
}

/** A health check is not a use of the signer. */
const afterReading = (routes: CallRoutes, current: () => Promise<void>): CallRoutes =>
  routes.map(({ handle, ...route }) => ({
    ...route,
    async handle(params) {
      if (route.path !== '/health') await current()
      return handle(params)
    },
  }))
