/**
 * Every setting of the devnet: its name, default and meaning. With main.ts the only reader of process.env;
 * the docs table is made from it.
 */
interface Setting {
  default: string
  means: string
}

export const SETTINGS = {
  DEVNET_PORT: {
    default: '8545',
    means: 'Port of the JSON-RPC, HTTP and WebSocket; the sequencer is at /sequencer.',
  },
  DEVNET_VENDOR_PORT: { default: '8546', means: 'Port of the stand-ins: audit, AI gateway, aggregators.' },
  DATA_DIR: { default: '.pit', means: 'The chain and its profile live in DATA_DIR/devnet.' },
  BLOCK_MS: { default: '100', means: 'Milliseconds between blocks.' },
  MARKET: { default: 'on', means: 'off: no feed moves and nobody trades.' },
  MARKET_SEED: { default: 'pit', means: 'The market draws everything from this and the block number.' },
  MARKET_RATE: { default: '4', means: 'Trades a second of the crowd, 0 to 100.' },
  DEVNET_STOCK_SESSION: {
    default: 'hours',
    means: 'hours: stock feeds stop outside Sunday 20:00 to Friday 20:00 New York. always: they never stop.',
  },
  DEVNET_PROVIDER: {
    default: 'open',
    means:
      'strict: the RPC has the habits of the real chain’s public node; without them it is at /open. open: ' +
      'it answers everything it can.',
  },
  DEVNET_ADDRESSES: {
    default: '0',
    means: 'Further RPC addresses on free ports, named in the profile, which devnet_address lets lag or die.',
  },
  DEVNET_LOG_MATCHES: { default: '10000', means: 'Strict: logs in one answer.' },
  DEVNET_LOG_MATCHES_NEAR: { default: '50000', means: 'Strict: the same within 1,001 blocks.' },
  DEVNET_LOG_BLOCKS: { default: '10000', means: 'Strict: blocks in one range of logs.' },
  DEVNET_STATE_BLOCKS: { default: '5000', means: 'Strict: blocks of which the state can be read.' },
  DEVNET_COST_PER_S: {
    default: '1500',
    means: 'Strict: what asking may cost in a second, per address; a plain read is 1, logs are 20.',
  },
  DEVNET_SOCKET_LIFE_S: { default: '20', means: 'Strict: seconds after which a WebSocket is dropped.' },
  DEVNET_AGENT_REGISTRY: {
    default: 'pit',
    means: 'pit: the profile names the registry with a vault. erc8004: the identity registry, same agents.',
  },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
export type Config = ReturnType<typeof readConfig>

export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Parses the environment once; a value that makes no sense stops the start with its name. */
export function readConfig(env: Record<string, string | undefined>) {
  const text = (name: SettingName): string => env[name]?.trim() || SETTINGS[name].default
  const number = (name: SettingName, least: number, most: number): number => {
    const value = Number(text(name))
    if (Number.isFinite(value) && value >= least && value <= most) return value
    throw new ConfigError(`${name} is "${text(name)}": use a number from ${least} to ${most}`)
  }
  const whole = (name: SettingName, least: number, most: number): number => {
    const value = number(name, least, most)
    if (Number.isInteger(value)) return value
    throw new ConfigError(`${name} is "${text(name)}": use a whole number`)
  }
  const oneOf = <const T extends string>(name: SettingName, ...values: T[]): T => {
    const value = values.find((known) => known === text(name))
    if (value !== undefined) return value
    throw new ConfigError(`${name} is "${text(name)}": use ${values.join(' or ')}`)
  }
  return {
    // Whatever HOST says of the API: this chain moves anybody's funds for whoever asks.
    host: '127.0.0.1',
    port: whole('DEVNET_PORT', 0, 65_535),
    vendorPort: whole('DEVNET_VENDOR_PORT', 0, 65_535),
    dataDir: text('DATA_DIR'),
    blockMs: whole('BLOCK_MS', 10, 60_000),
    market: oneOf('MARKET', 'on', 'off'),
    marketSeed: text('MARKET_SEED'),
    tradesPerS: number('MARKET_RATE', 0, 100),
    session: oneOf('DEVNET_STOCK_SESSION', 'hours', 'always'),
    moreAddresses: whole('DEVNET_ADDRESSES', 0, 8),
    strict:
      oneOf('DEVNET_PROVIDER', 'open', 'strict') === 'open'
        ? null
        : {
            logMatches: whole('DEVNET_LOG_MATCHES', 1, 1_000_000),
            logMatchesNear: whole('DEVNET_LOG_MATCHES_NEAR', 1, 1_000_000),
            logBlocks: whole('DEVNET_LOG_BLOCKS', 1, 10_000_000),
            stateBlocks: whole('DEVNET_STATE_BLOCKS', 1, 10_000_000),
            costPerS: whole('DEVNET_COST_PER_S', 1, 1_000_000),
            socketLifeS: whole('DEVNET_SOCKET_LIFE_S', 1, 86_400),
          },
    agentRegistry: oneOf('DEVNET_AGENT_REGISTRY', 'pit', 'erc8004'),
  }
}
