import { type Setting, settingsReader } from '@pit/platform/settings'

/**
 * Every setting of the devnet: name, default and meaning. With main.ts the only reader of process.env; the
 * docs table is generated from it.
 */
export const SETTINGS = {
  DEVNET_PORT: {
    default: '8545',
    means: 'Port of JSON-RPC over HTTP and WebSocket; the sequencer is at /sequencer.',
  },
  DEVNET_VENDOR_PORT: {
    default: '8546',
    means: 'Port of the vendor stand-ins: audit, AI gateway, aggregators.',
  },
  DATA_DIR: { default: '.pit', means: 'Folder for state: the chain and its profile are in DATA_DIR/devnet.' },
  BLOCK_MS: { default: '100', means: 'Milliseconds between blocks.' },
  MARKET: { default: 'on', means: 'off: feeds do not move and no simulated trades happen.' },
  MARKET_SEED: { default: 'pit', means: 'Seed of the simulated market, combined with the block number.' },
  MARKET_RATE: { default: '1', means: 'Simulated trades per second, 0 to 100.' },
  FEED_STEP_BPS: {
    default: '10000',
    means:
      'Feeds publish once a price has moved this far, if their own deviation is larger, 1 to 10000. The demo of ' +
      'npm start sets 5, so that marks move several times a minute.',
  },
  DEVNET_STOCK_SESSION: {
    default: 'hours',
    means: 'hours: stock feeds stop outside Sunday 20:00 to Friday 20:00 New York. always: they never stop.',
  },
  DEVNET_PROVIDER: {
    default: 'open',
    means: 'strict: the RPC has the limits of the real chain’s public node; /open has none. open: no limits.',
  },
  DEVNET_ADDRESSES: {
    default: '0',
    means:
      'Number of further RPC addresses on free ports, listed in the profile; devnet_address makes them ' +
      'lag or fail.',
  },
  DEVNET_LOG_MATCHES: { default: '10000', means: 'strict: maximum logs per response.' },
  DEVNET_LOG_MATCHES_NEAR: { default: '50000', means: 'strict: the same within 1,001 blocks.' },
  DEVNET_LOG_BLOCKS: { default: '10000', means: 'strict: maximum blocks per log range.' },
  DEVNET_STATE_BLOCKS: {
    default: '5000',
    means: 'strict: number of recent blocks whose state is available.',
  },
  DEVNET_COST_PER_S: {
    default: '1500',
    means: 'strict: request cost per second and address; a plain read costs 1, a log query 20.',
  },
  DEVNET_SOCKET_LIFE_S: { default: '20', means: 'strict: seconds after which a WebSocket is dropped.' },
  DEVNET_AGENT_REGISTRY: {
    default: 'pit',
    means: 'pit: the profile names the registry with a vault. erc8004: the identity registry, same agents.',
  },
} as const satisfies Record<string, Setting>

export type Config = ReturnType<typeof readConfig>

/** Parses the environment once; an invalid value stops the start and names the setting. */
export function readConfig(env: Record<string, string | undefined>) {
  const { text, number, whole, oneOf } = settingsReader(SETTINGS, env)
  return {
    // Loopback only, whatever HOST is: this chain moves anyone's funds for any caller.
    host: '127.0.0.1',
    port: whole('DEVNET_PORT', 0, 65_535),
    vendorPort: whole('DEVNET_VENDOR_PORT', 0, 65_535),
    dataDir: text('DATA_DIR'),
    blockMs: whole('BLOCK_MS', 10, 60_000),
    market: oneOf('MARKET', 'on', 'off'),
    marketSeed: text('MARKET_SEED'),
    tradesPerS: number('MARKET_RATE', 0, 100),
    feedStepBps: whole('FEED_STEP_BPS', 1, 10_000),
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
