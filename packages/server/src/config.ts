import { createHosts, createNetworks } from '@pit/http'
import { readFirstSeason } from '@pit/league/rules'
import { addressesIn } from '@pit/platform/rpc'
import {
  type SecretSetting,
  StartRefused,
  secretSetting,
  settingsReader,
  withSecretsRead,
} from '@pit/platform/settings'
import type { ChainProfile } from '@pit/protocol'
import { type SignerWay, signerWayOf } from '@pit/signer-wire'
import { LOG_LEVELS, SETTINGS, type SettingName } from './settings.ts'

export type Config = ReturnType<typeof readConfig>

/** Defaults for a devnet only: on a real chain the operator has to choose them. */
const DEVNET_DEFAULTS = ['TRUSTED_PROXIES', 'AUTH_DOMAIN', 'GEO_HEADER'] as const

/** The settings that apply on this chain. */
export function configFor(config: Config, { kind }: Pick<ChainProfile, 'kind'>): Config {
  if (kind === 'devnet') return config
  return {
    ...config,
    ...(!config.chosen.TRUSTED_PROXIES && { trustedProxies: [] }),
    ...(!config.chosen.AUTH_DOMAIN && { authDomain: null }),
  }
}

/** Addresses that may contain a password or a key: each can come from a file. */
const SECRET_ADDRESSES = ['DATABASE_URL', 'REDIS_URL', 'CHAIN_RPC_URL', 'SEQUENCER_URL'] as const

/**
 * The only reader of the environment. Parses it once; an invalid value stops the start and names the setting.
 */
export function readConfig(environment: Record<string, string | undefined>) {
  const env = withSecretsRead(environment, SECRET_ADDRESSES)
  const { isSet, text, optional, flag, number, oneOf, list } = settingsReader(SETTINGS, env)
  const percent = (name: SettingName): number => {
    const value = number(name)
    if (!Number.isInteger(value) || value > 100) throw new StartRefused(`${name} is "${value}": use 0 to 100`)
    return value
  }
  const port = (name: SettingName): number => {
    const value = number(name)
    if (!Number.isInteger(value) || value > 65_535)
      throw new StartRefused(`${name} is "${value}": not a port`)
    return value
  }
  /** A secret as text, or the file that holds it; null if neither is set. */
  const secret = (name: SettingName): SecretSetting | null => secretSetting(environment, name)
  const roles = list('ROLE')
  if (roles.length === 0 || roles.some((role) => role !== 'api' && role !== 'jobs')) {
    throw new StartRefused(`ROLE is "${text('ROLE')}": use api, jobs or both`)
  }
  if (optional('CHAIN_RPC_URL') && !optional('PROFILE')) {
    throw new StartRefused(
      "PROFILE is not set: with CHAIN_RPC_URL set it to that chain's profile, such as profiles/mainnet.json",
    )
  }
  if (!['', 'none'].includes(text('GEO'))) {
    throw new StartRefused(`GEO is "${text('GEO')}": use none, or leave it empty`)
  }
  const authDomain = optional('AUTH_DOMAIN')
  if (authDomain !== null && !isHost(authDomain)) {
    throw new StartRefused(
      `AUTH_DOMAIN is "${authDomain}": use a host such as pit.example, or one with a port`,
    )
  }
  const listenPort = port('PORT')
  const publicUrl = originOf(
    'PUBLIC_URL',
    optional('PUBLIC_URL') ?? ownUrl(authDomain ?? 'localhost', listenPort),
  )
  const walletOrigin = walletOriginOf(optional('WALLET_ORIGIN'), publicUrl)
  const walletHosts = walletOrigin === null ? [] : [new URL(walletOrigin).host]
  const allowedHosts = [...list('ALLOWED_HOSTS'), ...walletHosts]
  const trustedProxies = list('TRUSTED_PROXIES')
  settled(() => createNetworks(trustedProxies))
  settled(() => createHosts({ publicUrl, allowedHosts }))
  return {
    host: text('HOST'),
    port: listenPort,
    metricsPort: port('METRICS_PORT'),
    metricsHost: text('METRICS_HOST'),
    drainS: number('DRAIN_S'),
    treasuryCloseDelayH: number('TREASURY_CLOSE_DELAY_H'),
    roles: { api: roles.includes('api'), jobs: roles.includes('jobs') },
    dataDir: text('DATA_DIR'),
    profileFile: optional('PROFILE') ?? `${text('DATA_DIR')}/devnet/profile.json`,
    chainRpcUrls: addressesIn(text('CHAIN_RPC_URL')),
    chainWsUrl: optional('CHAIN_WS_URL'),
    sequencerUrl: optional('SEQUENCER_URL'),
    databaseUrl: optional('DATABASE_URL'),
    allowEmbeddedStore: flag('ALLOW_EMBEDDED_STORE'),
    redisUrl: optional('REDIS_URL'),
    /** Whether the operator set them. */
    chosen: Object.fromEntries(DEVNET_DEFAULTS.map((name) => [name, isSet(name)])) as Record<
      (typeof DEVNET_DEFAULTS)[number],
      boolean
    >,
    authDomain,
    publicUrl,
    walletOrigin,
    allowedHosts,
    requirePartnerAgent: flag('REQUIRE_PARTNER_AGENT'),
    caps: {
      signupsPerAddressDay: number('SIGNUPS_PER_ADDRESS_DAY'),
      signupsPerHour: number('SIGNUPS_PER_HOUR'),
      keysPerAddressDay: number('KEYS_PER_ADDRESS_DAY'),
      keysPerHour: number('KEYS_PER_HOUR'),
    },
    rateLimitScale: number('RATE_LIMIT_SCALE', 0.001),
    rateOverallFactor: number('RATE_OVERALL_FACTOR', 1),
    trustedProxies,
    geoHeader: text('GEO_HEADER').toLowerCase(),
    geoRegionHeader: text('GEO_REGION_HEADER').toLowerCase(),
    geoDb: optional('GEO_DB'),
    geo: optional('GEO'),
    sanctionsFile: text('SANCTIONS_FILE'),
    sanctionsMaxAgeH: number('SANCTIONS_MAX_AGE_H', 1),
    maxConnectionsPerAddress: number('MAX_CONNECTIONS_PER_ADDRESS', 1),
    maxInFlight: number('MAX_IN_FLIGHT', 1),
    maxLoopDelayMs: number('MAX_LOOP_DELAY_MS', 1),
    submitEnabled: flag('SUBMIT_ENABLED'),
    fastEnabled: flag('FAST_ENABLED'),
    /** Null: this server has no signer. */
    signer: signerOf(secret('SIGNER_SECRET'), signerWayOf(environment, text('SIGNER_URL'))),
    sealKey: secret('SEAL_KEY'),
    ai: {
      poolKey: secret('AI_POOL_KEY'),
      poolUsdDay: number('AI_POOL_USD_DAY'),
      livePct: percent('AI_POOL_LIVE_PCT'),
      liveUsd: number('AI_POOL_LIVE_USD'),
      liveMinUsd: number('AI_POOL_LIVE_MIN_USD'),
      trialUsd: number('AI_POOL_TRIAL_USD'),
      trialDays: number('AI_POOL_TRIAL_DAYS'),
      trialsOpen: flag('AI_POOL_TRIALS'),
      trialsPerDay: number('AI_POOL_TRIALS_DAY'),
      trialsPerAddress: number('AI_POOL_TRIALS_ADDRESS'),
      modelUsd: number('AI_POOL_MODEL_USD'),
      ownUsdDay: number('AI_OWN_USD_DAY'),
    },
    screenPauseMs: number('SCREEN_PAUSE_MS', 1),
    vendorKeys: secret('VENDOR_KEYS'),
    leagueFirstSeason: mondayNamed(optional('LEAGUE_FIRST_SEASON')),
    devFields: flag('DEV_FIELDS'),
    logLevel: oneOf('LOG_LEVEL', ...LOG_LEVELS),
  }
}

function mondayNamed(date: string | null): string | null {
  try {
    if (date !== null) readFirstSeason(date)
    return date
  } catch (error) {
    throw new StartRefused(`LEAGUE_FIRST_SEASON: ${(error as Error).message}`)
  }
}

const hasPort = (host: string): boolean => /:\d+$/.test(host)
const ownUrl = (host: string, port: number): string => `http://${hasPort(host) ? host : `${host}:${port}`}`

const isHost = (text: string): boolean =>
  URL.canParse(`http://${text}`) && /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d+)?$/i.test(text)

/** An origin only: browsers and wallets compare it as a whole. */
function originOf(name: SettingName, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (!isOrigin) throw new StartRefused(`${name} is "${text}": use an origin such as https://pit.example`)
  return url.origin
}

/** Another origin than the site's: the same one would separate nothing. */
function walletOriginOf(text: string | null, publicUrl: string): string | null {
  if (text === null) return null
  const origin = originOf('WALLET_ORIGIN', text)
  if (origin === publicUrl) throw new StartRefused('WALLET_ORIGIN is PUBLIC_URL: use another origin')
  return origin
}

const signerOf = (secret: SecretSetting | null, way: SignerWay) => secret && { ...way, secret }

/** Their messages name the setting. */
function settled(build: () => unknown): void {
  try {
    build()
  } catch (error) {
    throw new StartRefused((error as Error).message)
  }
}
