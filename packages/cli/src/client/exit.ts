import { isRefusal } from '@pit/client'

/** What a command's exit code says: 0 is success. */
export const EXIT = { failed: 1, usage: 2, transient: 3, inputNeeded: 4, uncertain: 5 } as const

/** The command was called wrongly. */
export class UsageRefused extends Error {}
/** Something only a person or a flag can give. */
export class InputNeeded extends Error {}

export interface Failure {
  exit: number
  code: string
  message: string
  fix?: string
}

/** What to print and how to end, by the kind of refusal. */
export function failureOf(error: unknown): Failure {
  if (error instanceof UsageRefused) return { exit: EXIT.usage, code: 'USAGE', message: error.message }
  if (error instanceof InputNeeded)
    return { exit: EXIT.inputNeeded, code: 'INPUT_NEEDED', message: error.message }
  if (!isRefusal(error))
    return { exit: EXIT.failed, code: 'FAILED', message: String((error as Error)?.message ?? error) }
  const exit =
    error.retry === 'look_first'
      ? EXIT.uncertain
      : error.retry === 'pause' || error.retry === 'fresh_plan'
        ? EXIT.transient
        : EXIT.failed
  const rule = error.rule ? ` (${error.rule})` : ''
  return {
    exit,
    code: error.code,
    message: `${error.message}${rule}`,
    ...(error.hint !== undefined && { fix: error.hint }),
  }
}
