import { REASON_MAX_CHARS } from './decisionSchema.ts'

/** Control, direction and broken surrogate characters, which could hide or forge what a reader sees. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Other people's text for a log or a prompt: one line, bounded, nothing unseen. */
export const plainText = (text: string, maxChars = REASON_MAX_CHARS): string =>
  [...text.replace(UNSEEN, ' ')].slice(0, maxChars).join('').trim()

/** For sentences: a price with as many decimals as its size asks for. */
export function shownPrice(priceE18: bigint): string {
  const usd = Number(priceE18) / 1e18
  return `$${usd >= 1 ? usd.toFixed(2) : usd.toPrecision(4)}`
}
