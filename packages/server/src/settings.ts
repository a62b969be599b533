import { CAPS } from '@pit/protocol'

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

export interface Setting {
  default: string
  means: string
  /** What the empty text stands for, where that is not the default. Elsewhere empty is as good as not set. */
  whenEmpty?: string
}

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
      'Address of METRICS_PORT. A proxy in another container asks /ready there: then 0.0.0.0, in a network ' +
      'that nobody else is in.',
  },
  DRAIN_S: {
    default: '0',
    means:
      'Seconds an API process goes on serving after SIGTERM while /ready says no, so that a proxy has ' +
      'stopped sending before it stops listening.',
  },
  ROLE: { default: 'api,jobs', means: 'What this process does: api, jobs or both.' },
  DATA_DIR: { default: '.pit', means: 'Where state lives: the embedded store, the chain, the profile.' },
  PROFILE: {
    default: '',
    means: 'Chain profile file; needed with CHAIN_RPC_URL. Empty: the one the devnet writes under DATA_DIR.',
  },
  CHAIN_RPC_URL: {
    default: '',
    means:
      'JSON-RPC of the chain, several addresses separated by commas, the preferred one first: reads go on ' +
      'to the next when one fails. Empty: the profile’s. Set: no devnet starts.',
  },
  CHAIN_RPC_URL_FILE: { default: '', means: 'A file that holds CHAIN_RPC_URL, which may carry a key.' },
  CHAIN_WS_URL: {
    default: '',
    means:
      'WebSocket that tells of new blocks. Empty: the profile’s, else the preferred address is asked ' +
      'whether it has one.',
  },
  SEQUENCER_URL: { default: '', means: 'Where signed transactions are relayed. Empty: the chain RPC.' },
  SEQUENCER_URL_FILE: { default: '', means: 'A file that holds SEQUENCER_URL.' },
  DATABASE_URL: { default: '', means: 'PostgreSQL. Empty: the embedded store (PGlite) under DATA_DIR.' },
  DATABASE_URL_FILE: { default: '', means: 'A file that holds DATABASE_URL, which may carry a password.' },
  ALLOW_EMBEDDED_STORE: {
    default: '',
    means:
      '1 allows the embedded store on a chain that is not the devnet. It never syncs to disk: a power cut ' +
      'may lose the tail.',
  },
  REDIS_URL: { default: '', means: 'Redis for the rate limits of several processes. Empty: in memory.' },
  REDIS_URL_FILE: { default: '', means: 'A file that holds REDIS_URL, which may carry a password.' },
  AUTH_DOMAIN: {
    default: 'localhost',
    means:
      'Domain named in sign-in messages, never taken from the Host header. The default is a devnet’s: ' +
      'elsewhere nobody signs in (AUTH_DOMAIN_UNSET) until it is set. Empty: sign-in is off.',
    whenEmpty: 'sign-in is off',
  },
  PUBLIC_URL: {
    default: '',
    means:
      "The API's own origin (sign-in URI, CSRF). Empty: http://AUTH_DOMAIN, with PORT unless it names one.",
  },
  ALLOWED_HOSTS: {
    default: '',
    means:
      'Comma-separated hosts this server answers for, beyond PUBLIC_URL and loopback names; * answers any.',
  },
  REQUIRE_PARTNER_AGENT: { default: '', means: '1: only wallets and owners of registry agents may sign in.' },
  SIGNUPS_PER_ADDRESS_DAY: {
    default: String(CAPS.signup.perAddressPerDay),
    means: 'New accounts per client address and day.',
  },
  SIGNUPS_PER_HOUR: {
    default: String(CAPS.signup.overallPerHour),
    means: 'New accounts an hour for the whole service.',
  },
  KEYS_PER_ADDRESS_DAY: {
    default: String(CAPS.keys.perAddressPerDay),
    means: 'New keys per client address and day.',
  },
  KEYS_PER_HOUR: {
    default: String(CAPS.keys.overallPerHour),
    means: 'New keys an hour for the whole service.',
  },
  RATE_LIMIT_SCALE: { default: '1', means: 'Multiplies every rate bucket, for load tests.' },
  RATE_OVERALL_FACTOR: { default: '50', means: "An overall bucket is this many times the address's." },
  TRUSTED_PROXIES: {
    default: '127.0.0.0/8,::1',
    means:
      'Networks whose X-Forwarded-For and geo headers count. The default is a devnet’s: elsewhere none is ' +
      'trusted until it is set (docs/reference/pit-admin.md, “Behind a proxy”). Empty: none.',
    whenEmpty: 'none',
  },
  GEO_HEADER: {
    default: 'cf-ipcountry',
    means:
      'Header a trusted proxy names the country in. Off a devnet it counts as a country source only if it is ' +
      'set, because only the operator knows what the proxy sets. Empty: none.',
    whenEmpty: 'none',
  },
  GEO_REGION_HEADER: {
    default: 'cf-region-code',
    means: 'Header a trusted proxy names the region in. Empty: none.',
    whenEmpty: 'none',
  },
  GEO_DB: {
    default: '',
    means: 'MaxMind database file. What it blocks stays blocked, whatever a proxy says. Empty: none.',
  },
  GEO: {
    default: '',
    means:
      'none: serve without a country source on purpose. Off a devnet the server does not start with neither ' +
      'GEO_DB, nor GEO_HEADER with TRUSTED_PROXIES, nor this.',
  },
  SANCTIONS_FILE: {
    default: 'data/sanctions.txt',
    means:
      'Sanctioned addresses; read again when it changes. The default is a sample, which is refused on ' +
      'a chain that is not a devnet.',
  },
  SANCTIONS_MAX_AGE_H: {
    default: '168',
    means:
      'Hours since the sanctions list was taken past which no server starts on a chain that is not a devnet. ' +
      'Health and a metric tell of 48 hours.',
  },
  MAX_CONNECTIONS_PER_ADDRESS: {
    default: '256',
    means:
      'Connections open at once from one client address (IPv6: a /64, and eight times as many from a /48); ' +
      'more are closed unanswered. Trusted proxies are not counted.',
  },
  MAX_IN_FLIGHT: { default: '1000', means: 'Requests under way at once before new ones are shed with 503.' },
  MAX_LOOP_DELAY_MS: { default: '500', means: 'Event-loop delay at which new requests are shed with 503.' },
  SUBMIT_ENABLED: {
    default: '1',
    means: '0: nothing is relayed here; plans are still made and simulated.',
  },
  FAST_ENABLED: {
    default: '',
    means:
      '1: live/fast checks and relays trades that clients built themselves. Off where SUBMIT_ENABLED is 0.',
  },
  SIGNER_URL: {
    default: 'http://127.0.0.1:4664',
    means:
      'Where the signer listens: http://127.0.0.1:4664 on this machine, unix:/run/pit-signer/signer.sock ' +
      'for a socket file, or https://signer.example:4664 for another machine, with the three files below.',
  },
  SIGNER_CA_FILE: {
    default: '',
    means: 'Over https: the certificate (PEM) of the authority that alone may vouch for the signer.',
  },
  SIGNER_CLIENT_CERT_FILE: {
    default: '',
    means: 'Over https: this server’s own certificate (PEM), which the signer asks for.',
  },
  SIGNER_CLIENT_KEY_FILE: {
    default: '',
    means: 'Over https: the private key (PEM) of that certificate, its user’s alone (mode 0600).',
  },
  SIGNER_SECRET: {
    default: '',
    means:
      'Shared with the signer; npm start makes one for the devnet. Empty: no sessions are granted or traded.',
  },
  SIGNER_SECRET_FILE: { default: '', means: 'A file that holds SIGNER_SECRET.' },
  SEAL_KEY: {
    default: '',
    means:
      '32 bytes of hex that seal webhook secrets and owners’ AI keys in the store; npm start makes one for ' +
      'the devnet. Empty: neither is taken.',
  },
  SEAL_KEY_FILE: { default: '', means: 'A file that holds SEAL_KEY.' },
  AI_POOL_KEY: {
    default: '',
    means:
      'The service’s own key at the AI gateway of the profile; npm start uses the devnet’s. Empty: the ' +
      'pool pays for nobody.',
  },
  AI_POOL_KEY_FILE: { default: '', means: 'A file that holds AI_POOL_KEY.' },
  AI_POOL_USD_DAY: { default: '50', means: 'Dollars the AI pool pays a UTC day, for everyone together.' },
  AI_POOL_LIVE_PCT: {
    default: '50',
    means: 'Percent of them that trials leave to owners whose agents trade live.',
  },
  AI_POOL_LIVE_USD: {
    default: '2',
    means: 'Of them for one owner a day whose wallet trades here, for live agents.',
  },
  AI_POOL_LIVE_MIN_USD: {
    default: '100',
    means: 'Mined volume of 30 days, with fees paid, that the live share asks for.',
  },
  AI_POOL_TRIAL_USD: { default: '0.25', means: 'Of them for any other owner a day, while on trial.' },
  AI_POOL_TRIAL_DAYS: {
    default: '7',
    means: 'Days of an owner’s trial, from the first call that the pool paid.',
  },
  AI_POOL_TRIALS: { default: '1', means: '0: no new trials begin.' },
  AI_POOL_TRIALS_DAY: { default: '100', means: 'Trials that may begin a UTC day, in all.' },
  AI_POOL_TRIALS_ADDRESS: {
    default: '3',
    means: 'Trials that may begin a UTC day for agents made from one client address (IPv6: one /64).',
  },
  AI_POOL_MODEL_USD: {
    default: '1',
    means: 'The pool pays models up to this price, in dollars per million tokens.',
  },
  AI_OWN_USD_DAY: {
    default: '25',
    means: 'Dollars an owner’s own AI key is charged through here a UTC day, at most.',
  },
  VENDOR_KEYS: {
    default: '',
    means:
      'Keys of aggregators, as kind=key pairs with commas between, such as 0x=…,uniswap=… (docs/reference/vendors.md). ' +
      'An aggregator of the profile that needs one and has none is off.',
  },
  VENDOR_KEYS_FILE: { default: '', means: 'A file that holds VENDOR_KEYS, one pair a line.' },
  LEAGUE_FIRST_SEASON: {
    default: '',
    means:
      'Monday the league’s first season starts, such as 2026-01-05. Empty: the profile’s, or on a devnet ' +
      'the week its store first ran.',
  },
  TREASURY_CLOSE_DELAY_H: {
    default: '0',
    means:
      'Hours the job waits after a treasury week has ended before it records the week, so that an operator ' +
      'can record it together with the transfers of its shares (pit-admin week close --transfer).',
  },
  DEV_FIELDS: { default: '', means: '1 allows the development-only request fields.' },
  LOG_LEVEL: { default: 'info', means: `pino level: ${LOG_LEVELS.join(', ')}.` },
} as const satisfies Record<string, Setting>

export type SettingName = keyof typeof SETTINGS
