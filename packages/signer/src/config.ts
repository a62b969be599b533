import { addressesIn } from '@pit/platform/rpc'
import {
  readSecretText,
  type SecretSetting,
  type Setting,
  StartRefused,
  secretFile,
  secretSetting,
  settingsReader,
  withSecretsRead,
} from '@pit/platform/settings'
import { COSIGNER } from '@pit/protocol'
import { socketOf } from '@pit/signer-wire'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Every setting of the signer: its name, default and meaning. With main.ts the only reader of process.env;
 * `.env.example` and docs/reference/configuration.md are made from this table.
 */
export const SETTINGS = {
  SIGNER_PORT: {
    default: '4664',
    means: 'Loopback port of the signer; every call is authenticated.',
  },
  SIGNER_LISTEN: {
    default: '',
    means:
      'Other listen address: unix:/run/pit-signer/signer.sock (a socket file for its user and group), or ' +
      'https://0.0.0.0:4664 for a server on another machine, with the three files below. Empty: ' +
      'SIGNER_PORT on loopback.',
  },
  SIGNER_TLS_CERT_FILE: { default: '', means: 'For https: the signer’s certificate (PEM).' },
  SIGNER_TLS_KEY_FILE: {
    default: '',
    means: 'For https: private key (PEM) of that certificate, readable only by its user (mode 0600).',
  },
  SIGNER_TLS_CLIENT_CA_FILE: {
    default: '',
    means: 'For https: the only authority (PEM) whose clients are accepted; use a dedicated one.',
  },
  DATA_DIR: {
    default: '.pit',
    means: 'Folder for state: the signer’s key and embedded store are in DATA_DIR/signer.',
  },
  PROFILE: {
    default: '',
    means: 'Chain profile file; required with CHAIN_RPC_URL. Empty: the devnet’s profile under DATA_DIR.',
  },
  SIGNER_PROFILE: {
    default: '',
    means:
      'The signer’s own copy of the profile, independent of the server’s. Empty: PROFILE, on a devnet ' +
      'only.',
  },
  CHAIN_RPC_URL: {
    default: '',
    means: 'JSON-RPC addresses of the chain, comma-separated, unless SIGNER_RPC_URL is set.',
  },
  CHAIN_RPC_URL_FILE: { default: '', means: 'File that contains CHAIN_RPC_URL, which may include a key.' },
  SIGNER_RPC_URL: {
    default: '',
    means:
      'The signer’s own nodes, comma-separated. Empty: CHAIN_RPC_URL. Of several, two must agree, so use ' +
      'three to tolerate one failure. The operator of a single node can lie to the signer.',
  },
  SIGNER_RPC_URL_FILE: { default: '', means: 'File that contains SIGNER_RPC_URL, which may include a key.' },
  SIGNER_DATABASE_URL: {
    default: '',
    means:
      'PostgreSQL database of the signer, never the server’s. Empty: the embedded store under ' +
      'DATA_DIR/signer.',
  },
  SIGNER_DATABASE_URL_FILE: {
    default: '',
    means: 'File that contains SIGNER_DATABASE_URL, which may include a password.',
  },
  ALLOW_EMBEDDED_STORE: {
    default: '',
    means:
      '1 allows the embedded store on a chain other than the devnet. It never syncs to disk: a power cut ' +
      'may lose the latest spend.',
  },
  SIGNER_SANCTIONS_FILE: {
    default: 'data/sanctions.txt',
    means:
      'The signer’s own copy of the sanctioned addresses; reloaded when it changes. Required on a chain ' +
      'other than a devnet.',
  },
  SIGNER_SECRET: {
    default: '',
    means:
      'Secret shared with the server, which signs its calls with it; at least 32 characters. npm start ' +
      'creates one for the devnet.',
  },
  SIGNER_SECRET_FILE: { default: '', means: 'File that contains SIGNER_SECRET.' },
  SIGNER_OPERATOR_SECRET: {
    default: '',
    means:
      'Secret that lifts a freeze; the server’s secret can only set one. Empty: a freeze cannot be ' +
      'lifted.',
  },
  SIGNER_OPERATOR_SECRET_FILE: { default: '', means: 'File that contains SIGNER_OPERATOR_SECRET.' },
  SIGNER_PASSPHRASE: {
    default: '',
    means:
      'Encrypts the co-signer’s key at rest; at least 16 characters. Prefer a file: an environment can be ' +
      'read.',
  },
  SIGNER_PASSPHRASE_FILE: { default: '', means: 'File that contains SIGNER_PASSPHRASE.' },
  SIGNER_IMPORT_KEY_FILE: {
    default: '',
    means:
      'File with a private key in hex, imported as the co-signer’s key at the first start. Delete it ' +
      'afterwards.',
  },
  SIGNER_KMS_KEY_ID: {
    default: '',
    means:
      'The co-signer’s key in AWS KMS (id or ARN; ECC_SECG_P256K1, SIGN_VERIFY) instead of a file. The ' +
      'passphrase still protects the executors’ keys. Empty: a file under DATA_DIR/signer/keys.',
  },
  SIGNER_KMS_REGION: { default: '', means: 'Region of that key, such as eu-central-1.' },
  SIGNER_KMS_URL: {
    default: '',
    means: 'Address of the KMS. Empty: https://kms.<region>.amazonaws.com.',
  },
  SIGNER_KMS_ACCESS_KEY_ID: {
    default: '',
    means: 'Access key for the KMS; it needs kms:Sign and kms:GetPublicKey.',
  },
  SIGNER_KMS_SECRET_KEY: { default: '', means: 'Secret of that access key. Prefer a file.' },
  SIGNER_KMS_SECRET_KEY_FILE: { default: '', means: 'File that contains SIGNER_KMS_SECRET_KEY.' },
  SIGNER_KMS_SESSION_TOKEN: {
    default: '',
    means: 'Session token of temporary credentials. Empty: the credentials are permanent.',
  },
  SIGNER_KMS_SESSION_TOKEN_FILE: { default: '', means: 'File that contains SIGNER_KMS_SESSION_TOKEN.' },
  SIGNER_MAX_HEAD_AGE_S: {
    default: String(COSIGNER.maxHeadAgeS),
    means:
      'Maximum age of the newest block in seconds; beyond it the signer signs nothing. Chain 4663 makes a ' +
      'block about every 0.1 s. Raise it only for a chain that makes none without trades; the signer’s ' +
      'clock may then be off by as much.',
  },
  SIGNER_MAX_IN_FLIGHT: { default: '512', means: 'Concurrent calls after which new ones are BUSY.' },
  DEVNET_STOCK_SESSION: {
    default: 'hours',
    means: 'always: on a devnet stock prices are valid at any hour, like the devnet’s own setting.',
  },
  LOG_LEVEL: { default: 'info', means: `pino level: ${LOG_LEVELS.join(', ')}.` },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
export type Config = ReturnType<typeof readConfig>

/** The secret itself. One that is too short stops the start. */
export function readSecret(setting: SecretSetting, { minChars }: { minChars: number }): string {
  const text = readSecretText(setting)
  if (text.length >= minChars) return text
  throw new StartRefused(`${setting.name} is too short: use at least ${minChars} characters`)
}

/** Addresses that may contain a password or a key: each can also be read from a file. */
const SECRET_ADDRESSES = ['SIGNER_DATABASE_URL', 'SIGNER_RPC_URL', 'CHAIN_RPC_URL'] as const

/** Parses the environment once; a value that makes no sense stops the start with its name. */
export function readConfig(environment: Record<string, string | undefined>) {
  const env = withSecretsRead(environment, SECRET_ADDRESSES)
  const { isSet, text, optional, whole, flag, oneOf } = settingsReader(SETTINGS, env)
  const secret = (name: SettingName): SecretSetting | null => secretSetting(environment, name)
  const required = (name: SettingName): SecretSetting => {
    const setting = secret(name)
    if (setting) return setting
    throw new StartRefused(`${name} is not set: set it or ${name}_FILE`)
  }
  if (optional('CHAIN_RPC_URL') && !optional('PROFILE') && !optional('SIGNER_PROFILE')) {
    throw new StartRefused(
      'SIGNER_PROFILE is not set: ' +
        "with CHAIN_RPC_URL name that chain's profile, such as profiles/mainnet.json",
    )
  }
  return {
    listen: listenOf(optional('SIGNER_LISTEN'), whole('SIGNER_PORT', 0, 65_535), environment),
    dataDir: `${text('DATA_DIR')}/signer`,
    profileFile:
      optional('SIGNER_PROFILE') ?? optional('PROFILE') ?? `${text('DATA_DIR')}/devnet/profile.json`,
    /** Files that were set for the signer explicitly. */
    ownFiles: {
      SIGNER_PROFILE: isSet('SIGNER_PROFILE'),
      SIGNER_SANCTIONS_FILE: isSet('SIGNER_SANCTIONS_FILE'),
    },
    rpcUrls: addressesIn(text('SIGNER_RPC_URL') || text('CHAIN_RPC_URL')),
    databaseUrl: optional('SIGNER_DATABASE_URL'),
    allowEmbeddedStore: flag('ALLOW_EMBEDDED_STORE'),
    sanctionsFile: text('SIGNER_SANCTIONS_FILE'),
    secret: required('SIGNER_SECRET'),
    operatorSecret: secret('SIGNER_OPERATOR_SECRET'),
    passphrase: required('SIGNER_PASSPHRASE'),
    importKeyFile: optional('SIGNER_IMPORT_KEY_FILE'),
    kms: kmsOf(),
    maxHeadAgeS: whole('SIGNER_MAX_HEAD_AGE_S', 5, 3_600),
    maxInFlight: whole('SIGNER_MAX_IN_FLIGHT', 1, 100_000),
    stockSession: oneOf('DEVNET_STOCK_SESSION', 'hours', 'always'),
    logLevel: oneOf('LOG_LEVEL', ...LOG_LEVELS),
  }

  /** Null: the key is in a file. */
  function kmsOf(): KmsSettings | null {
    const keyId = optional('SIGNER_KMS_KEY_ID')
    if (keyId === null) return null
    if (optional('SIGNER_IMPORT_KEY_FILE'))
      throw new StartRefused('SIGNER_IMPORT_KEY_FILE is set, but SIGNER_KMS_KEY_ID keeps the key in a KMS')
    const region = optional('SIGNER_KMS_REGION')
    const accessKeyId = optional('SIGNER_KMS_ACCESS_KEY_ID')
    if (region === null)
      throw new StartRefused('SIGNER_KMS_REGION is not set: name the region of the KMS key')
    if (accessKeyId === null)
      throw new StartRefused('SIGNER_KMS_ACCESS_KEY_ID is not set: set the access key for the KMS')
    const url = optional('SIGNER_KMS_URL') ?? `https://kms.${region}.amazonaws.com`
    if (!URL.canParse(url)) throw new StartRefused(`SIGNER_KMS_URL is "${url}": use an address`)
    return {
      ...{ keyId, region, accessKeyId, url },
      secretKey: required('SIGNER_KMS_SECRET_KEY'),
      sessionToken: secret('SIGNER_KMS_SESSION_TOKEN'),
    }
  }
}

/** Key and access settings of a KMS that holds the co-signer's key. */
export interface KmsSettings {
  url: string
  keyId: string
  region: string
  accessKeyId: string
  secretKey: SecretSetting
  sessionToken: SecretSetting | null
}

/** The listen address. */
export type Listen =
  | { kind: 'loopback'; port: number }
  | { kind: 'socket'; path: string }
  | {
      kind: 'tls'
      host: string
      port: number
      cert: SecretSetting
      key: SecretSetting
      clientCa: SecretSetting
    }

const TLS_FILES = ['SIGNER_TLS_CERT_FILE', 'SIGNER_TLS_KEY_FILE', 'SIGNER_TLS_CLIENT_CA_FILE'] as const

function listenOf(listen: string | null, port: number, env: Record<string, string | undefined>): Listen {
  const files = TLS_FILES.map((name) => secretFile(env, name))
  const url = listen !== null && URL.canParse(listen) ? new URL(listen) : null
  if (url?.protocol === 'https:') {
    const missing = TLS_FILES.find((_, i) => files[i] === null)
    if (missing !== undefined)
      throw new StartRefused(
        `${missing} is not set: over https the signer needs all of ${TLS_FILES.join(', ')}`,
      )
    const [cert, key, clientCa] = files as [SecretSetting, SecretSetting, SecretSetting]
    const host = url.hostname.replace(/^\[|\]$/g, '')
    return { kind: 'tls', host, port: url.port === '' ? port : Number(url.port), cert, key, clientCa }
  }
  const extra = TLS_FILES.find((_, i) => files[i] !== null)
  if (extra !== undefined) throw new StartRefused(`${extra} is set, but SIGNER_LISTEN is not https`)
  if (listen === null) return { kind: 'loopback', port }
  const path = socketOf(listen)
  if (path !== undefined) return { kind: 'socket', path }
  throw new StartRefused(
    `SIGNER_LISTEN is "${listen}": use unix:/run/pit-signer/signer.sock or https://0.0.0.0:4664; ` +
      'without TLS the signer listens on loopback only',
  )
}
