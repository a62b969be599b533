import type { Setting } from '@pit/platform/settings'
import { CAPS } from '@pit/protocol'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Every setting of the server. `.env.example` and docs/reference/configuration.md are made from this table. */
export const SETTINGS = {
  HOST: { default: '127.0.0.1', means: 'Address the API listens on.' },
  PORT: { default: '4663', means: 'Port of the API.' },
  METRICS_PORT: {
    default: '4665',
    means: 'Private port of Prometheus metrics, /live and /ready; 0 turns it off.',
  },
  METRICS_HOST: {
    default: '127.0.0.1',
    means:
      'Address of METRICS_PORT. If a proxy in another container checks /ready, use 0.0.0.0 in a private ' +
      'network.',
  },
  DRAIN_S: {
    default: '0',
    means:
      'Seconds an API process keeps serving after SIGTERM while /ready returns 503, so that a proxy stops ' +
      'sending requests first.',
  },
  ROLE: { default: 'api,jobs', means: 'Roles of this process: api, jobs or both.' },
  DATA_DIR: { default: '.pit', means: 'Folder for state: the embedded store, the chain, the profile.' },
  PROFILE: {
    default: '',
    means: 'Chain profile file; required with CHAIN_RPC_URL. Empty: the devnet’s profile under DATA_DIR.',
  },
  CHAIN_RPC_URL: {
    default: '',
    means:
      'JSON-RPC addresses of the chain, comma-separated, the preferred one first; reads fail over to the ' +
      'next. Empty: the profile’s. If set, no devnet starts.',
  },
  CHAIN_RPC_URL_FILE: { default: '', means: 'File that contains CHAIN_RPC_URL, which may include a key.' },
  CHAIN_WS_URL: {
    default: '',
    means:
      'WebSocket that announces new blocks. Empty: the profile’s, else the preferred address if it has ' +
      'one.',
  },
  SEQUENCER_URL: {
    default: '',
    means: 'Address that signed transactions are relayed to. Empty: the chain RPC.',
  },
  SEQUENCER_URL_FILE: { default: '', means: 'File that contains SEQUENCER_URL.' },
  DATABASE_URL: { default: '', means: 'PostgreSQL. Empty: the embedded store (PGlite) under DATA_DIR.' },
  DATABASE_URL_FILE: { default: '', means: 'File that contains DATABASE_URL, which may include a password.' },
  ALLOW_EMBEDDED_STORE: {
    default: '',
    means:
      '1 allows the embedded store on a chain other than the devnet. It never syncs to disk: a power cut ' +
      'may lose the latest writes.',
  },
  REDIS_URL: { default: '', means: 'Redis for the rate limits of several processes. Empty: in memory.' },
  REDIS_URL_FILE: { default: '', means: 'File that contains REDIS_URL, which may include a password.' },
  AUTH_DOMAIN: {
    default: 'localhost',
    means:
      'Domain in sign-in messages, never taken from the Host header. The default is for a devnet: ' +
      'elsewhere sign-in fails (AUTH_DOMAIN_UNSET) until it is set. Empty: sign-in is off.',
    whenEmpty: 'sign-in is off',
  },
  PUBLIC_URL: {
    default: '',
    means: 'Origin of the API (sign-in URI, CSRF). Empty: http://AUTH_DOMAIN, with PORT unless it names one.',
  },
  ALLOWED_HOSTS: {
    default: '',
    means: 'Comma-separated Host names to accept besides PUBLIC_URL and loopback names; * accepts any.',
  },
  WALLET_ORIGIN: {
    default: '',
    means:
      'Separate origin for the trading wallet’s key, such as https://wallet.pit.example, which a proxy leads ' +
      'to this server (docs/how-to/trading-wallet.md). Empty: the key stays on PUBLIC_URL’s origin.',
  },
  REQUIRE_PARTNER_AGENT: { default: '', means: '1: only wallets and owners of registry agents may sign in.' },
  SIGNUPS_PER_ADDRESS_DAY: {
    default: String(CAPS.signup.perAddressPerDay),
    means: 'New accounts per client address and day.',
  },
  SIGNUPS_PER_HOUR: {
    default: String(CAPS.signup.overallPerHour),
    means: 'New accounts per hour for the whole service.',
  },
  KEYS_PER_ADDRESS_DAY: {
    default: String(CAPS.keys.perAddressPerDay),
    means: 'New keys per client address and day.',
  },
  KEYS_PER_HOUR: {
    default: String(CAPS.keys.overallPerHour),
    means: 'New keys per hour for the whole service.',
  },
  RATE_LIMIT_SCALE: { default: '1', means: 'Multiplies every rate limit, for load tests.' },
  RATE_OVERALL_FACTOR: { default: '50', means: 'An overall limit is this many times the limit per address.' },
  TRUSTED_PROXIES: {
    default: '127.0.0.0/8,::1',
    means:
      'Networks whose X-Forwarded-For and geo headers are trusted. The default is for a devnet: elsewhere ' +
      'none is trusted until it is set (docs/how-to/operate/proxy-and-countries.md). Empty: none.',
    whenEmpty: 'none',
  },
  GEO_HEADER: {
    default: 'cf-ipcountry',
    means:
      'Country header set by a trusted proxy. Off a devnet it is a country source only if it is set ' +
      'explicitly, because only the operator knows what the proxy sets. Empty: none.',
    whenEmpty: 'none',
  },
  GEO_REGION_HEADER: {
    default: 'cf-region-code',
    means: 'Region header set by a trusted proxy. Empty: none.',
    whenEmpty: 'none',
  },
  GEO_DB: {
    default: '',
    means: 'MaxMind database file. It blocks independently of a proxy’s header. Empty: none.',
  },
  GEO: {
    default: '',
    means:
      'none: serve without a country source. Off a devnet the server starts only with GEO_DB, GEO_HEADER ' +
      'with TRUSTED_PROXIES, or this.',
  },
  SANCTIONS_FILE: {
    default: 'data/sanctions.txt',
    means:
      'Sanctioned addresses; reloaded when it changes. The default is a sample that is rejected on a ' +
      'chain other than a devnet.',
  },
  SANCTIONS_MAX_AGE_H: {
    default: '168',
    means:
      'Maximum age of the sanctions list in hours for a start on a chain other than a devnet. Health is ' +
      'degraded after 48 hours.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    default: '256',
    means:
      'Maximum open connections from one client address (IPv6: a /64; eight times as many from a /48); ' +
      'more are closed. Trusted proxies have no limit.',
  },
  MAX_IN_FLIGHT: { default: '1000', means: 'Concurrent requests after which new ones are shed with 503.' },
  MAX_LOOP_DELAY_MS: {
    default: '500',
    means: 'Event-loop delay in milliseconds after which new requests are shed with 503.',
  },
  SUBMIT_ENABLED: {
    default: '1',
    means: '0: nothing is relayed; plans are still made and simulated.',
  },
  FAST_ENABLED: {
    default: '',
    means: '1: live/fast checks and relays trades that clients built. Off if SUBMIT_ENABLED is 0.',
  },
  SIGNER_URL: {
    default: 'http://127.0.0.1:4664',
    means:
      'Address of the signer: http://127.0.0.1:4664 on this machine, unix:/run/pit-signer/signer.sock for ' +
      'a socket file, or https://signer.example:4664 on another machine, with the three files below.',
  },
  SIGNER_CA_FILE: {
    default: '',
    means: 'For https: certificate (PEM) of the only authority that may issue the signer’s certificate.',
  },
  SIGNER_CLIENT_CERT_FILE: {
    default: '',
    means: 'For https: this server’s certificate (PEM), which the signer requires.',
  },
  SIGNER_CLIENT_KEY_FILE: {
    default: '',
    means: 'For https: private key (PEM) of that certificate, readable only by its user (mode 0600).',
  },
  SIGNER_SECRET: {
    default: '',
    means: 'Secret shared with the signer; npm start creates one for the devnet. Empty: no sessions.',
  },
  SIGNER_SECRET_FILE: { default: '', means: 'File that contains SIGNER_SECRET.' },
  SEAL_KEY: {
    default: '',
    means:
      '32 bytes of hex that encrypt webhook secrets and owners’ AI keys in the store; npm start creates ' +
      'one for the devnet. Empty: neither is accepted.',
  },
  SEAL_KEY_FILE: { default: '', means: 'File that contains SEAL_KEY.' },
  AI_POOL_KEY: {
    default: '',
    means: 'The service’s key at the AI gateway; npm start uses the devnet’s. Empty: the pool pays nothing.',
  },
  AI_POOL_KEY_FILE: { default: '', means: 'File that contains AI_POOL_KEY.' },
  AI_POOL_USD_DAY: { default: '50', means: 'Dollars the AI pool pays per UTC day in total.' },
  AI_POOL_LIVE_PCT: {
    default: '50',
    means: 'Percentage of the pool reserved for owners whose agents trade live.',
  },
  AI_POOL_LIVE_USD: {
    default: '2',
    means: 'Pool dollars per day for an owner whose wallet trades here, for live agents.',
  },
  AI_POOL_LIVE_MIN_USD: {
    default: '100',
    means: 'Mined 30-day volume in dollars, with fees paid, required for the live share.',
  },
  AI_POOL_TRIAL_USD: { default: '0.25', means: 'Pool dollars per day for any other owner during the trial.' },
  AI_POOL_TRIAL_DAYS: {
    default: '7',
    means: 'Days of an owner’s trial, from the first call paid by the pool.',
  },
  AI_POOL_TRIALS: { default: '1', means: '0: no new trials start.' },
  AI_POOL_TRIALS_DAY: { default: '100', means: 'Maximum trials that start per UTC day in total.' },
  AI_POOL_TRIALS_ADDRESS: {
    default: '3',
    means:
      'Maximum trials that start per UTC day for agents created from one client address (IPv6: one /64).',
  },
  AI_POOL_MODEL_USD: {
    default: '1',
    means: 'Maximum price of a model paid by the pool, in dollars per million tokens.',
  },
  AI_OWN_USD_DAY: {
    default: '25',
    means: 'Maximum dollars charged to an owner’s own AI key per UTC day.',
  },
  SCREEN_PAUSE_MS: {
    default: '100',
    means: 'Pause in milliseconds between two background screens of new tokens. More loads the node less.',
  },
  VENDOR_KEYS: {
    default: '',
    means:
      'Keys of aggregators as comma-separated kind=key pairs, such as 0x=…,uniswap=… ' +
      '(docs/reference/vendors.md). An aggregator that needs a key and has none is off.',
  },
  VENDOR_KEYS_FILE: { default: '', means: 'File that contains VENDOR_KEYS, one pair per line.' },
  LEAGUE_FIRST_SEASON: {
    default: '',
    means:
      'Monday on which the first league season starts, such as 2026-01-05. Empty: the profile’s, or on a ' +
      'devnet the week its store first ran.',
  },
  TREASURY_CLOSE_DELAY_H: {
    default: '0',
    means:
      'Hours the job waits before it records an ended treasury week, so that an operator can record it ' +
      'together with its transfers (pit-admin week close --transfer).',
  },
  DEV_FIELDS: { default: '', means: '1 allows development-only request fields.' },
  LOG_LEVEL: { default: 'info', means: `pino level: ${LOG_LEVELS.join(', ')}.` },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
