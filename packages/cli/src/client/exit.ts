import { isRefusal } from '@pit/client'
import { ERRORS, RETRIES } from '@pit/protocol'
import { CommanderError } from 'commander'
import { CommandRefused } from '../backtest/refused.ts'

/** What a command's exit code says: 0 is success. */
export const EXIT = { failed: 1, usage: 2, transient: 3, inputNeeded: 4, uncertain: 5 } as const

/** The command was called wrongly. */
export class UsageRefused extends Error {}
/** Something only a person or a flag can give. */
export class InputNeeded extends Error {}

/** The fields of `{"error": …}` under --json, and what a person reads. */
export interface Failure {
  exit: number
  code: string
  message: string
  /** What the refusal carries: `field`, `diffs`, `failures`. */
  details?: Readonly<Record<string, unknown>>
  /** What to do next. */
  fix?: string
  /** Where it is described. */
  docs: string
}

const DOCS = { errors: 'docs/errors.md', client: 'docs/client.md', pit: 'docs/pit.md' }

/** Where the command has a shorter way than the table's hint, which is for whoever calls the routes. */
const ADVICE: Readonly<Record<string, string>> = {
  UNAUTHORIZED: 'Run pit login.',
  CONSENT_REQUIRED: 'Add --allow-7702 if your wallet may take this code.',
  WALLET_CODE: 'Grant a session again: a transaction of the owner used up what the wallet had signed.',
  NO_SESSION: 'See pit session list.',
  NOT_CONFIRMED: 'Run it again and confirm, or add --yes.',
}

/** The details a person can use: checks that passed and typed data to sign are left out. */
export function detailText(details: Readonly<Record<string, unknown>>): string {
  const useful = Object.entries(details).flatMap(([name, value]) => {
    if (name === 'sign' || name === 'plan') return []
    if (!Array.isArray(value)) return [[name, value]]
    const kept = value.filter((one: { ok?: unknown } | null) => one?.ok !== true)
    return kept.length === 0 ? [] : [[name, kept]]
  })
  return useful.length === 0 ? '' : json(Object.fromEntries(useful)).slice(0, MAX_DETAIL_CHARS)
}
const MAX_DETAIL_CHARS = 600

/** Atoms are text in JSON. */
export const json = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? one.toString() : one))

/** What to print and how to end, by the kind of refusal. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommanderError)
    return {
      exit: EXIT.usage,
      code: 'USAGE',
      message: error.code === 'commander.help' ? 'Which command?' : error.message.replace(/^error: /, ''),
      fix: 'Run it with --help.',
      docs: DOCS.pit,
    }
  if (error instanceof UsageRefused)
    return { exit: EXIT.usage, code: 'USAGE', message: error.message, docs: DOCS.pit }
  if (error instanceof InputNeeded)
    return { exit: EXIT.inputNeeded, code: 'INPUT_NEEDED', message: error.message, docs: DOCS.pit }
  if (error instanceof CommandRefused)
    return { exit: EXIT.failed, code: 'REFUSED', message: error.message, docs: DOCS.pit }
  if (!isRefusal(error))
    return {
      exit: EXIT.failed,
      code: 'FAILED',
      message: String((error as Error)?.message ?? error),
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
    fix: ADVICE[error.code] ?? error.hint ?? RETRIES[error.retry],
    docs: isServers ? DOCS.errors : DOCS.client,
  }
}

function exitOf({ code, retry }: { code: string; retry: keyof typeof RETRIES }): number {
  // Only the owner can give these.
  if (code === 'CONSENT_REQUIRED' || code === 'NOT_CONFIRMED') return EXIT.inputNeeded
  if (retry === 'look_first') return EXIT.uncertain
  return retry === 'pause' || retry === 'fresh_plan' ? EXIT.transient : EXIT.failed
}
