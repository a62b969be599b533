/** The scope of a bucket. `caller`: the key, or the client address without a key. */
export type BucketPer = 'address' | 'key' | 'overall' | 'caller'

export type Bucket = {
  readonly what: string
  readonly per: BucketPer
  readonly burst: number
  readonly ratePerS: number
  /** Returned instead of the computed wait. */
  readonly retryAfterS?: number
}

const bucket = <const B extends Bucket>(row: B): Bucket & { per: B['per'] } => row

/**
 * Token buckets: `burst`, then `ratePerS`. An `overall` row has the numbers of its address twin; the server
 * multiplies them by RATE_OVERALL_FACTOR, because the table gives one pair of numbers for both.
 */
export const BUCKETS = {
  // Separate and per address only, so that other clients cannot block a monitor.
  'health.address': bucket({ what: 'health', per: 'address', burst: 60, ratePerS: 2 }),
  'public.address': bucket({
    what: 'config, stats, treasury, league reads',
    per: 'address',
    burst: 60,
    ratePerS: 2,
  }),
  'public.overall': bucket({
    what: 'config, stats, treasury, league reads',
    per: 'overall',
    burst: 60,
    ratePerS: 2,
  }),
  'auth.address': bucket({
    what: 'auth/challenge, auth/verify, auth/revoke-all',
    per: 'address',
    burst: 10,
    ratePerS: 0.1,
  }),
  'auth.overall': bucket({
    what: 'auth/challenge, auth/verify, auth/revoke-all',
    per: 'overall',
    burst: 10,
    ratePerS: 0.1,
  }),
  key: bucket({ what: 'any request with an API key', per: 'key', burst: 30, ratePerS: 10 }),
  live_heavy: bucket({
    what: 'live/quote, live/build, live/simulate',
    per: 'key',
    burst: 6,
    ratePerS: 0.5,
  }),
  live_plan: bucket({
    what: 'live/prepare, live/revoke, live/session/*',
    per: 'key',
    burst: 20,
    ratePerS: 4,
  }),
  fast_sim: bucket({
    what: 'live/fast with simulation or check_only',
    per: 'key',
    burst: 20,
    ratePerS: 4,
  }),
  'token_get.key': bucket({ what: 'tokens/<address>', per: 'key', burst: 20, ratePerS: 0.5 }),
  'token_get.address': bucket({ what: 'tokens/<address>', per: 'address', burst: 40, ratePerS: 1 }),
  'token_search.key': bucket({ what: 'tokens (search)', per: 'key', burst: 30, ratePerS: 2 }),
  'token_search.address': bucket({ what: 'tokens (search)', per: 'address', burst: 40, ratePerS: 1 }),
  'hosted.address': bucket({ what: 'hosted/*', per: 'address', burst: 60, ratePerS: 5 }),
  'hosted.key': bucket({ what: 'hosted/*', per: 'key', burst: 20, ratePerS: 2 }),
  me_reads: bucket({ what: 'me/trades, me/sessions', per: 'key', burst: 20, ratePerS: 2 }),
  'me_portfolio.key': bucket({ what: 'me/portfolio', per: 'key', burst: 6, ratePerS: 0.5 }),
  'me_portfolio.overall': bucket({ what: 'me/portfolio', per: 'overall', burst: 6, ratePerS: 0.5 }),
  // Not in the contract's table: a page loads dozens of files at once, which must not use up the API's buckets.
  'page.address': bucket({
    what: 'pages, their files, the guide, history and other files beside the API',
    per: 'address',
    burst: 300,
    ratePerS: 20,
  }),
  'page.overall': bucket({
    what: 'pages, their files, the guide, history and other files beside the API',
    per: 'overall',
    burst: 300,
    ratePerS: 20,
  }),
  // Nor are reads of browser wallets through this server.
  'wallet_rpc.address': bucket({ what: '/rpc', per: 'address', burst: 100, ratePerS: 20 }),
  'wallet_rpc.overall': bucket({ what: '/rpc', per: 'overall', burst: 100, ratePerS: 20 }),
  failed_auth: bucket({ what: 'failed authentications', per: 'address', burst: 20, ratePerS: 0.2 }),
  // The contract gives screening a separate limit without numbers; these are ours.
  'screen.caller': bucket({
    what: 'screening a token not seen before',
    per: 'caller',
    burst: 10,
    ratePerS: 1 / 12,
    retryAfterS: 60,
  }),
  'screen.overall': bucket({
    what: 'screening a token not seen before',
    per: 'overall',
    burst: 40,
    ratePerS: 1,
    retryAfterS: 60,
  }),
} as const
export type BucketId = keyof typeof BUCKETS

/**
 * Sign-in caps, counted per client address and day and for the whole service per hour; defaults of settings.
 */
export const CAPS = {
  signup: { code: 'SIGNUP_CAPPED', what: 'new accounts', perAddressPerDay: 20, overallPerHour: 2_000 },
  keys: { code: 'KEYS_CAPPED', what: 'new keys', perAddressPerDay: 50, overallPerHour: 5_000 },
} as const
