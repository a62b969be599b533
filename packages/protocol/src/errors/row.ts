/** Retry advice after a refusal, the most promising first. */
export const RETRIES = {
  pause: 'Retry the same request after a pause; honour Retry-After.',
  later: 'Retry later; a retry within seconds does not help.',
  fresh_plan: 'Plan the trade again and use the new plan.',
  different_request: 'Change the request; the same one will be refused again.',
  look_first:
    'The request may have taken effect: look for the receipt before you sign another with the same nonce.',
  no: 'Do not retry the same request. Fix the cause named in the message and hint first.',
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

/** Fields that an error response may have besides `code` and `message`. */
export const EXTRAS = {
  unaccepted: 'severe risk codes that the request did not accept',
  blocked: 'risk codes that a shield policy blocks',
  policy: 'the policy checks that ran, and the policy that blocked the trade',
  diffs: 'differences from the transaction that the service built',
  checks: 'session or refund checks, each with its result',
  signer_checks: "the co-signer's failed checks, by rule",
  sent: 'transactions of this submit that were already sent',
  tx_hash: 'the transaction that may have arrived',
  failures: 'all failed fast-mode rules, in order',
  terms: 'the terms that would pass',
  owner: 'the recorded owner’s address',
  field: 'path of the invalid field, such as limits.max_trade_usd',
  bucket: 'name of the exceeded rate limit, listed under “Rate limits” in the reference',
  risks: 'risk disclosures of the tokens',
  why: 'the reason as text',
  chain: 'state of the nonce on chain',
  simulation: 'the simulation with its checks',
  sign: 'data to sign so that the request passes',
  orders: 'the list of orders that the owner may sign so that the trade passes',
} as const
export type ExtraName = keyof typeof EXTRAS

export type ErrorRow = {
  /** Possible HTTP statuses; the first is the default. Empty: the name of a check, never an error response. */
  readonly statuses: readonly number[]
  readonly group: ErrorGroup
  readonly extras: readonly ExtraName[]
  /** Additional extras of a live/fast refusal. */
  readonly fastExtras?: readonly ExtraName[]
  readonly retry: Retry
  /** Default for Retry-After. */
  readonly retryAfterS?: number
  readonly message: string
  readonly hint: string
  /** Why this server never returns it, although the contract defines it. */
  readonly unusedBecause?: string
}

type Draft = Omit<ErrorRow, 'group' | 'extras'> & Partial<Pick<ErrorRow, 'extras'>>

/** The rows of one group. Statuses stay literal types, so that codes without a status cannot be thrown. */
export const rows = <const T extends Record<string, Draft>>(group: ErrorGroup, table: T) =>
  Object.fromEntries(
    Object.entries(table).map(([code, row]) => [code, { ...row, group, extras: row.extras ?? [] }]),
  ) as { readonly [Code in keyof T]: ErrorRow & { readonly statuses: T[Code]['statuses'] } }
