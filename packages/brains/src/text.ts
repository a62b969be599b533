import { grouped, withoutInvisible } from '@pit/protocol'
import { REASON_MAX_CHARS } from './decisionSchema.ts'

/** Untrusted text for a log or a prompt: one line, bounded, no invisible characters. */
export const plainText = (text: string, maxChars = REASON_MAX_CHARS): string =>
  [...withoutInvisible(text)].slice(0, maxChars).join('').trim()

/** A price for messages, with decimals by its size. */
export function shownPrice(priceE18: bigint): string {
  const usd = Number(priceE18) / 1e18
  return `$${usd >= 1 ? grouped(usd.toFixed(2)) : usd.toPrecision(4)}`
}
