import {
  CLIENT_ERRORS,
  CLIENT_VERIFICATION_RULES,
  type ClientErrorCode,
  type ClientVerificationRule,
  clientCure,
  ERRORS,
  type ErrorCode,
  errorRow,
  httpErrorCode,
  type Retry,
} from '@pit/protocol'
import type { ServerWords } from './serverWords.ts'
import type { Fate } from './verbs/watchBytes.ts'

/**
 * A refusal of the server (`server` has its words) or of the client itself. Code, message, retry and hint are the
 * client's own.
 * @public
 */
export class PitRefusal extends Error {
  /** Branch on this, never on the message; on `fate` to learn what became of a transaction. */
  readonly code: string
  /** The rule that a response broke; only with VERIFICATION_FAILED. */
  readonly rule: ClientVerificationRule | undefined
  readonly retry: Retry
  readonly retryAfterS: number | undefined
  /** What to do next. */
  readonly hint: string | undefined
  /** Facts of the client: `tx_hash`, `live_roots`, `session_id`. */
  readonly details: Readonly<Record<string, unknown>>
  /** The server's words; null if it did not refuse. */
  readonly server: ServerWords | null
  /** Fate of the signed transaction, by the client's own node; null if none was handed over. */
  readonly fate: Fate | null

  constructor(
    code: string,
    message: string,
    about: {
      rule?: ClientVerificationRule | undefined
      retry?: Retry
      retryAfterS?: number | undefined
      hint?: string | undefined
      details?: Readonly<Record<string, unknown>>
      server?: ServerWords | null
      fate?: Fate | null
      cause?: unknown
    } = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause })
    this.name = 'PitRefusal'
    this.code = code
    this.rule = about.rule
    this.retry = about.retry ?? 'no'
    this.retryAfterS = about.retryAfterS
    this.hint = about.hint ?? hintOf(code, about.rule)
    this.details = about.details ?? {}
    this.server = about.server ?? null
    this.fate = about.fate ?? null
  }

  /** HTTP status of the server's refusal; undefined if the client refused. */
  get status(): number | undefined {
    return this.server?.status
  }
}

const isServerCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

const hintOf = (code: string, rule?: ClientVerificationRule): string | undefined =>
  clientCure(code, rule) ?? (isServerCode(code) ? errorRow(code).hint : undefined)

/** A refusal before anything signed left: the server's code, with message and hint of the own table. */
export function serverRefusal(server: ServerWords, unknownRetry: Retry): PitRefusal {
  const { status, retryAfterS } = server
  // A code of the client's own proves nothing when a server sends it.
  const isOwn = server.code !== null && !isServerCode(server.code) && clientCure(server.code) !== null
  const code = server.code === null || isOwn ? httpErrorCode(status) : server.code
  const row = isServerCode(code) ? errorRow(code) : null
  return new PitRefusal(code, row?.message ?? `The server refused the request with status ${status}.`, {
    // A warning that it may have taken effect is always heeded.
    retry: server.retry === 'look_first' ? 'look_first' : (row?.retry ?? unknownRetry),
    retryAfterS: retryAfterS ?? undefined,
    hint: row || isOwn || server.code === null ? undefined : UNKNOWN_CODE_HINT,
    server,
  })
}
const UNKNOWN_CODE_HINT =
  'This version does not know the code. Look it up in the server’s reference at /docs.'

/**
 * Whether an error is a refusal, with this code if one is given.
 * @public
 */
export const isRefusal = (error: unknown, code?: string): error is PitRefusal =>
  error instanceof PitRefusal && (code === undefined || error.code === code)

/** Refuses without calling the server. */
export function refuse(
  code: Exclude<ClientErrorCode, 'VERIFICATION_FAILED'>,
  why: string,
  {
    retry,
    hint,
    fate,
    ...details
  }: { retry?: Retry; hint?: string; fate?: Fate } & Record<string, unknown> = {},
): never {
  throw new PitRefusal(code, `${CLIENT_ERRORS[code]}: ${why}.`, {
    retry: retry ?? 'no',
    hint,
    fate: fate ?? null,
    details,
  })
}

/** Throws because a server response broke a rule, so that nothing is signed. */
export function broken(
  rule: ClientVerificationRule,
  why: string,
  details: Record<string, unknown> = {},
): never {
  throw new PitRefusal(
    'VERIFICATION_FAILED',
    `A check of the server’s response failed, and nothing was signed: ${why}. Rule: ${CLIENT_VERIFICATION_RULES[rule]}.`,
    { rule, retry: 'no', details },
  )
}

export function must(holds: boolean, rule: ClientVerificationRule, why: string, details = {}): asserts holds {
  if (!holds) broken(rule, why, details)
}

/** Treats a malformed response as a failed check. */
export async function readingAnswer<T>(rule: ClientVerificationRule, read: () => Promise<T> | T): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    const isShape = cause instanceof TypeError || cause instanceof RangeError || cause instanceof SyntaxError
    if (!isShape) throw cause
    throw new PitRefusal(
      'VERIFICATION_FAILED',
      'The server’s response is malformed, and nothing was signed.',
      {
        rule,
        cause,
      },
    )
  }
}
