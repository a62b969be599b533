import { readOwnFile } from '@pit/platform/ownFiles'
import { addressesIn } from '@pit/platform/rpc'
import { COSIGNER } from '@pit/protocol'

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/**
 * Every setting of the signer: its name, default and meaning. With main.ts the only reader of process.env;
 * `.env.example` and docs/configuration.md are made from this table.
 */
interface Setting {
  default: string
  means: string
}

export const SETTINGS = {
  SIGNER_PORT: {
    default: '4664',
    means: 'Port the signer listens on, on loopback; every call is authenticated.',
  },
  DATA_DIR: { default: '.pit', means: 'The signer’s key and embedded store live in DATA_DIR/signer.' },
  PROFILE: {
    default: '',
    means: 'Chain profile file; needed with CHAIN_RPC_URL. Empty: the one the devnet writes under DATA_DIR.',
  },
  SIGNER_PROFILE: {
    default: '',
    means:
      'The signer’s own copy of the profile: what it pins, it pins against the server. Empty: PROFILE, ' +
      'on a devnet only.',
  },
  CHAIN_RPC_URL: {
    default: '',
    means: 'JSON-RPC of the chain, one address or several by commas, unless SIGNER_RPC_URL names others.',
  },
  SIGNER_RPC_URL: {
    default: '',
    means:
      'The signer’s own nodes by commas, for prices and token classes. Empty: CHAIN_RPC_URL. Of several, ' +
      'two must agree on whatever it signs by, so name three to outlive one. Whoever runs a single one can ' +
      'lie to the signer.',
  },
  SIGNER_DATABASE_URL: {
    default: '',
    means:
      'PostgreSQL database of the signer, never the server’s. Empty: the embedded store under ' +
      'DATA_DIR/signer.',
  },
  ALLOW_EMBEDDED_STORE: {
    default: '',
    means:
      '1 allows the embedded store on a chain that is not the devnet. It never syncs to disk: a power ' +
      'cut may lose the newest spend.',
  },
  SIGNER_SANCTIONS_FILE: {
    default: 'data/sanctions.txt',
    means:
      'The signer’s own copy of the sanctioned addresses; read again when it changes. Must be set on a ' +
      'chain that is not a devnet.',
  },
  SIGNER_SECRET: {
    default: '',
    means:
      'Shared with the server, which signs its calls with it; at least 32 characters. npm start makes ' +
      'one for the devnet.',
  },
  SIGNER_SECRET_FILE: { default: '', means: 'A file that holds SIGNER_SECRET.' },
  SIGNER_OPERATOR_SECRET: {
    default: '',
    means: 'Lifts a freeze, which the server’s secret cannot. Empty: a freeze can only be set, not lifted.',
  },
  SIGNER_OPERATOR_SECRET_FILE: { default: '', means: 'A file that holds SIGNER_OPERATOR_SECRET.' },
  SIGNER_PASSPHRASE: {
    default: '',
    means:
      'Seals the co-signer’s key at rest; at least 16 characters. A file is better: an environment can ' +
      'be read.',
  },
  SIGNER_PASSPHRASE_FILE: { default: '', means: 'A file that holds SIGNER_PASSPHRASE.' },
  SIGNER_IMPORT_KEY_FILE: {
    default: '',
    means:
      'A file with a private key in hex, taken as the co-signer’s at the first start instead of a new ' +
      'one. Delete it afterwards.',
  },
  SIGNER_MAX_HEAD_AGE_S: {
    default: String(COSIGNER.maxHeadAgeS),
    means:
      'How old the newest block may be, in seconds, before the signer takes the chain for standing ' +
      'still and signs nothing. Blocks of chain 4663 come about every 0.1 s; only a chain that makes ' +
      'none while nobody trades needs more, and then the signer’s clock may be off by as much.',
  },
  SIGNER_MAX_IN_FLIGHT: { default: '512', means: 'Calls under way at once before new ones are BUSY.' },
  DEVNET_STOCK_SESSION: {
    default: 'hours',
    means: 'always: on a devnet stock prices count at any hour, as the devnet’s own setting.',
  },
  LOG_LEVEL: { default: 'info', means: `pino level: ${LOG_LEVELS.join(', ')}.` },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
export type Config = ReturnType<typeof readConfig>
/** A secret that is given, or where it lies. */
export type SecretSetting = { name: SettingName; text: string } | { name: SettingName; file: string }

export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** The secret itself. One that is too short stops the start. */
export function readSecret(setting: SecretSetting, { minChars }: { minChars: number }): string {
  const text = 'text' in setting ? setting.text : readOwnFile(setting.name, setting.file)
  if (text.length >= minChars) return text
  throw new ConfigError(`${setting.name} is too short: use at least ${minChars} characters`)
}

/** Parses the environment once; a value that makes no sense stops the start with its name. */
export function readConfig(env: Record<string, string | undefined>) {
  const text = (name: SettingName): string => env[name]?.trim() || SETTINGS[name].default
  const isGiven = (name: SettingName): boolean => Boolean(env[name]?.trim())
  const optional = (name: SettingName): string | null => text(name) || null
  const whole = (name: SettingName, min: number, max: number): number => {
    const value = Number(text(name))
    if (Number.isInteger(value) && value >= min && value <= max) return value
    throw new ConfigError(`${name} is "${text(name)}": use a whole number from ${min} to ${max}`)
  }
  const flag = (name: SettingName): boolean => {
    const value = text(name).toLowerCase()
    if (['1', 'true', 'yes'].includes(value)) return true
    if (['', '0', 'false', 'no'].includes(value)) return false
    throw new ConfigError(`${name} is "${value}": use 1 or 0`)
  }
  const oneOf = <const T extends string>(name: SettingName, ...values: readonly T[]): T => {
    const value = values.find((known) => known === text(name))
    if (value !== undefined) return value
    throw new ConfigError(`${name} is "${text(name)}": use one of ${values.join(', ')}`)
  }
  const secret = (name: SettingName, file: SettingName): SecretSetting | null => {
    if (text(name) !== '' && text(file) !== '')
      throw new ConfigError(`${name} and ${file} are both set: use one`)
    if (text(name) !== '') return { name, text: text(name) }
    return text(file) === '' ? null : { name: file, file: text(file) }
  }
  const required = (name: SettingName, file: SettingName): SecretSetting => {
    const given = secret(name, file)
    if (given) return given
    throw new ConfigError(`${name} is not set: set it or ${file}`)
  }
  if (optional('CHAIN_RPC_URL') && !optional('PROFILE') && !optional('SIGNER_PROFILE')) {
    throw new ConfigError(
      'SIGNER_PROFILE is not set: ' +
        "with CHAIN_RPC_URL name that chain's profile, such as profiles/mainnet.json",
    )
  }
  return {
    port: whole('SIGNER_PORT', 0, 65_535),
    dataDir: `${text('DATA_DIR')}/signer`,
    profileFile:
      optional('SIGNER_PROFILE') ?? optional('PROFILE') ?? `${text('DATA_DIR')}/devnet/profile.json`,
    /** What somebody chose for the signer itself, and did not just happen to be there. */
    ownFiles: {
      SIGNER_PROFILE: isGiven('SIGNER_PROFILE'),
      SIGNER_SANCTIONS_FILE: isGiven('SIGNER_SANCTIONS_FILE'),
    },
    rpcUrls: addressesIn(text('SIGNER_RPC_URL') || text('CHAIN_RPC_URL')),
    databaseUrl: optional('SIGNER_DATABASE_URL'),
    allowEmbeddedStore: flag('ALLOW_EMBEDDED_STORE'),
    sanctionsFile: text('SIGNER_SANCTIONS_FILE'),
    secret: required('SIGNER_SECRET', 'SIGNER_SECRET_FILE'),
    operatorSecret: secret('SIGNER_OPERATOR_SECRET', 'SIGNER_OPERATOR_SECRET_FILE'),
    passphrase: required('SIGNER_PASSPHRASE', 'SIGNER_PASSPHRASE_FILE'),
    importKeyFile: optional('SIGNER_IMPORT_KEY_FILE'),
    maxHeadAgeS: whole('SIGNER_MAX_HEAD_AGE_S', 5, 3_600),
    maxInFlight: whole('SIGNER_MAX_IN_FLIGHT', 1, 100_000),
    stockSession: oneOf('DEVNET_STOCK_SESSION', 'hours', 'always'),
    logLevel: oneOf('LOG_LEVEL', ...LOG_LEVELS),
  }
}
