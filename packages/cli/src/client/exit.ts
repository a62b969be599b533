import { type Fate, isRefusal, type PitRefusal, type ServerWords } from '@pit/client'
import { ERRORS, type ErrorCode, markInvisible, type Retry } from '@pit/protocol'
import { CommanderError } from 'commander'
import { CommandRefused } from '../backtest/refused.ts'

/** Exit codes; 0 is success. */
export const EXIT = { failed: 1, usage: 2, transient: 3, inputNeeded: 4, uncertain: 5 } as const

/** Invalid usage. */
export class UsageRefused extends Error {}
/** Input is needed from the user or a flag. */
export class InputNeeded extends Error {}

/** The fields of `{"error": …}` with --json; also printed as text. */
export interface Failure {
  exit: number
  code: string
  message: string
  /** Facts of the client, such as `tx_hash` and `live_roots`. */
  details?: Readonly<Record<string, unknown>>
  /** The server's words; null if it did not refuse. */
  server?: ServerWords | null
  /** Fate of a signed transaction, by your own node; null if none was handed over. */
  fate?: Fate | null
  /** What to do next. */
  fix: string
  /** The document that describes it. */
  docs: string
}

const DOCS = {
  errors: 'docs/reference/errors.md',
  client: 'docs/reference/client.md',
  pit: 'docs/reference/pit.md',
}

/** Fixes for the command's own codes. */
export const COMMAND_FIXES = {
  USAGE: 'Run it with --help.',
  INPUT_NEEDED: 'Add what the message names. pit --help lists the flags, pit doctor checks your settings.',
  REFUSED: 'Change what the message names, then run it again.',
  FAILED: 'Run pit doctor. If it finds nothing, report this message as a bug.',
} as const

/** Replaces hints that name API fields. */
const ADVICE: Readonly<
  Partial<Record<ErrorCode | 'CONSENT_REQUIRED' | 'RISK_NOT_ACCEPTED' | 'SERVER_UNREACHABLE', string>>
> = {
  UNAUTHORIZED: 'Run pit login.',
  SERVER_UNREACHABLE:
    'Check that the server runs and that its address is right. A local one: start it with pit devnet, and name it ' +
    'in PIT_URL if it has another PORT.',
  CONSENT_REQUIRED: 'Add --allow-7702 to allow EIP-7702 delegation of your wallet.',
  WALLET_CODE:
    'Grant a new session: the wallet’s authorization is no longer valid after another transaction of the owner.',
  NO_SESSION: 'See pit session list.',
  RISK_NOT_ACCEPTED: 'Read the risks with pit token. Add --accept CODE for each risk you accept.',
  GEOFENCE: 'Add --non-us, only if you are not a US person.',
  MAX_SLIPPAGE: 'Use a smaller --slippage-bps.',
  FEE_BPS: 'Raise --max-fee-bps, or omit it.',
  LIMIT_NOT_REACHABLE: 'Lower --min-out, or wait for the price.',
  NO_MARK: 'Use --amount instead of --usd, or try again in a minute.',
  SESSION_SETUP: 'Grant the session again without --no-setup, so that its token approvals are sent.',
  STOP_FIRST: 'Run pit agent stop first.',
  FAST_DISABLED: 'Use pit trade.',
  ADDRESS_REQUIRED: 'Use the token’s address: only core symbols are unique.',
}

/** Details useful to a person: omits passed checks and typed data. */
export function detailText(details: Readonly<Record<string, unknown>>): string {
  const useful = Object.entries(details).flatMap(([name, value]) => {
    if (name === 'sign' || name === 'plan') return []
    if (!Array.isArray(value)) return [[name, value]]
    const failures = value.filter((one: { ok?: unknown } | null) => one?.ok !== true)
    return failures.length === 0 ? [] : [[name, failures]]
  })
  return useful.length === 0 ? '' : json(Object.fromEntries(useful)).slice(0, MAX_DETAIL_CHARS)
}
const MAX_DETAIL_CHARS = 600

/** The server's message and fields, marked as its own words. */
export function quoteOf({ code, message, fields }: ServerWords): string {
  const words = [code, message && `“${message}”`, detailText(fields)].filter(Boolean)
  return `The server said: ${words.length === 0 ? 'nothing readable' : words.join(' ')}`
}

/** JSON in visible characters, the others escaped; bigint values are strings. */
export const json = (value: unknown): string => {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one))
  return markInvisible(text ?? 'null', (char) => (char === '\n' ? char : escaped(char)))
}
/** By UTF-16 units, as JSON has them. */
const escaped = (char: string): string =>
  Array.from(
    { length: char.length },
    (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('')

/** Maps an error to its printed fields and exit code. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError)
    return {
      exit: EXIT.usage,
      code: 'USAGE',
      message: error.code === 'commander.help' ? 'Which command?' : error.message.replace(/^error: /, ''),
      fix: COMMAND_FIXES.USAGE,
      docs: DOCS.pit,
    }
  const own = ownCodeOf(error)
  if (own) return { ...own, message: messageOf(error), fix: COMMAND_FIXES[own.code], docs: DOCS.pit }
  if (!isRefusal(error))
    return {
      exit: EXIT.failed,
      code: 'FAILED',
      message: messageOf(error),
      fix: COMMAND_FIXES.FAILED,
      docs: DOCS.pit,
    }
  const rule = error.rule ? ` (${error.rule})` : ''
  const isServers = Object.hasOwn(ERRORS, error.code)
  const details = Object.keys(error.details).length > 0 ? { details: error.details } : {}
  return {
    exit: exitOf(error),
    code: error.code,
    message: `${error.message}${rule}`,
    ...details,
    server: error.server,
    fate: error.fate,
    fix: fixOf(error),
    docs: isServers ? DOCS.errors : DOCS.client,
  }
}

const messageOf = (error: unknown): string => String((error as Error)?.message ?? error)

function ownCodeOf(error: unknown): { exit: number; code: keyof typeof COMMAND_FIXES } | null {
  if (error instanceof UsageRefused) return { exit: EXIT.usage, code: 'USAGE' }
  if (error instanceof InputNeeded) return { exit: EXIT.inputNeeded, code: 'INPUT_NEEDED' }
  if (error instanceof CommandRefused) return { exit: EXIT.failed, code: 'REFUSED' }
  return null
}

/** A hint for every code; an unknown code may come from a newer server. */
function fixOf({ code, hint, rule, retry }: PitRefusal): string {
  // The outcome is unknown: the hint says how to find it, or to repeat the call safely.
  if (retry === 'look_first' && hint) return hint
  const name = rule && Object.hasOwn(ADVICE, rule) ? rule : code
  return (
    ADVICE[name as keyof typeof ADVICE] ??
    hint ??
    `Unknown error code ${code}. Look it up in the server’s reference at /docs.`
  )
}

function exitOf({ code, retry }: { code: string; retry: Retry }): number {
  // Only the owner can consent.
  if (code === 'CONSENT_REQUIRED' || code === 'NOT_CONFIRMED') return EXIT.inputNeeded
  if (retry === 'look_first') return EXIT.uncertain
  return retry === 'pause' || retry === 'fresh_plan' ? EXIT.transient : EXIT.failed
}
