/** What a caller can do after a refusal, in the order of hope. */
export const RETRIES = {
  pause: 'Worth retrying after a pause; honour Retry-After.',
  later: 'Passes with time, not with a retry in seconds.',
  fresh_plan: 'Plan the trade again and use the new plan.',
  different_request: 'The same request will be refused again: change it.',
  look_first: 'It may have happened: look for the receipt before signing another with the same nonce.',
  no: 'Retrying does not help: something else has to change first.',
} as const
export type Retry = keyof typeof RETRIES

export const ERROR_GROUPS = [
  'requests',
  'tokens',
  'risk',
  'curve',
  'relay',
  'fast',
  'sessions',
  'cosigner',
  'hosted',
  'league',
] as const
export type ErrorGroup = (typeof ERROR_GROUPS)[number]

/** Every field a refusal may carry beside `code` and `message`. */
export const EXTRAS = {
  unaccepted: 'severe risk codes the request did not accept',
  blocked: 'risk codes a shield policy refuses',
  policy: 'the policy checks that ran, and the policy that refused',
  diffs: 'what differs from the transaction the service built',
  checks: 'session or refund checks, each with its outcome',
  signer_checks: "the co-signer's failed checks, by rule",
  sent: 'what a submit of several transactions already sent',
  tx_hash: 'the transaction that may have arrived',
  failures: 'every fast-mode rule that failed, in order',
  terms: 'the terms that would have passed',
  owner: 'the address on record as owner',
  field: 'the field at fault, as a path: limits.max_trade_usd',
  bucket: 'the rate limit that is used up, by its name under “Rate limits” in the reference',
  risks: 'the disclosures of the tokens involved',
  why: 'the reason in words',
  chain: 'what the chain shows for the nonce',
  simulation: 'the simulation and its checks',
  sign: 'what to sign so that it passes',
} as const
export type ExtraName = keyof typeof EXTRAS

export type ErrorRow = {
  /**
   * All statuses it may have; the first is the default. Empty: a check's name, never answered as a refusal.
   */
  readonly statuses: readonly number[]
  readonly group: ErrorGroup
  readonly extras: readonly ExtraName[]
  /** Carried beside `extras` when live/fast is the one refusing. */
  readonly fastExtras?: readonly ExtraName[]
  readonly retry: Retry
  /** Retry-After when the thrower knows nothing better. */
  readonly retryAfterS?: number
  readonly message: string
  readonly hint: string
  /** Why this server never answers it: the code is the contract's and other implementations may. */
  readonly kept?: string
}

type Draft = Omit<ErrorRow, 'group' | 'extras'> & Partial<Pick<ErrorRow, 'extras'>>

/** The rows of one group. Statuses stay literal, so that a code that is never answered cannot be thrown. */
export const rows = <const T extends Record<string, Draft>>(group: ErrorGroup, table: T) =>
  Object.fromEntries(
    Object.entries(table).map(([code, row]) => [code, { ...row, group, extras: row.extras ?? [] }]),
  ) as { readonly [Code in keyof T]: ErrorRow & { readonly statuses: T[Code]['statuses'] } }
