import { isRefusal, PitRefusal } from '../errors.ts'

export interface HandedSignature {
  /** Subject of "may have taken effect": `the session ses_1`. */
  what: string
  /** How the owner ends it. */
  toEnd: string
  details: Readonly<Record<string, unknown>>
}

/**
 * Hands over a signature. A refusal afterwards does not prove that it had no effect, and a new signature could make
 * two of it: anything but the expected confirmation is RECEIPT_MISSING with the way to end it.
 */
export async function handOverSignature<T>(
  { what, toEnd, details }: HandedSignature,
  send: () => Promise<T>,
  isConfirmed: (answer: T) => boolean,
): Promise<T> {
  const unconfirmed = (why: string, cause?: PitRefusal) =>
    new PitRefusal('RECEIPT_MISSING', `${why}, so ${what} may have taken effect.`, {
      retry: 'look_first',
      hint: toEnd,
      details,
      server: cause?.server ?? null,
      cause,
    })
  let answer: T
  try {
    answer = await send()
  } catch (error) {
    if (!isRefusal(error)) throw error
    throw unconfirmed(`The service did not confirm it (${error.code})`, error)
  }
  if (!isConfirmed(answer)) throw unconfirmed('The response confirms something else')
  return answer
}
