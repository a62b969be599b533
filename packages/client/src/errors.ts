import {
  CLIENT_ERRORS,
  CLIENT_VERIFICATION_RULES,
  type ClientErrorCode,
  type ClientVerificationRule,
  clientCure,
  type Retry,
} from '@pit/protocol'

/**
 * An error of the server (its own code, or HTTP_<status>) or of the client itself.
 * @public
 */
export class PitRefusal extends Error {
  /** Branch on this, never on the message. */
  readonly code: string
  /** The rule that a response broke; only with VERIFICATION_FAILED. */
  readonly rule: ClientVerificationRule | undefined
  /** HTTP status of the server's response; undefined if the client refused. */
  readonly status: number | undefined
  readonly retry: Retry
  readonly retryAfterS: number | undefined
  /** What to do next. */
  readonly hint: string | undefined
  /** Extra fields of the error: `field`, `diffs`, `failures`, `signer_checks`. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    about: {
      rule?: ClientVerificationRule
      status?: number
      retry?: Retry
      retryAfterS?: number
      hint?: string
      details?: Record<string, unknown>
      cause?: unknown
    } = {},
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause })
    this.name = 'PitRefusal'
    this.code = code
    this.rule = about.rule
    this.status = about.status
    this.retry = about.retry ?? 'no'
    this.retryAfterS = about.retryAfterS
    const isOwn = about.status === undefined || code.startsWith('HTTP_')
    this.hint = about.hint ?? (isOwn ? (clientCure(code, about.rule) ?? undefined) : undefined)
    this.details = about.details ?? {}
  }
}

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
  { retry = 'no', hint, ...details }: { retry?: Retry; hint?: string } & Record<string, unknown> = {},
): never {
  throw new PitRefusal(code, `${CLIENT_ERRORS[code]}: ${why}.`, {
    retry,
    details,
    ...(hint !== undefined && { hint }),
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
