import type { Address, Hex } from '../bytes/hex.ts'
import { addressWord, size } from '../router/words.ts'

/** Permit2's `lockdown`: takes back what each spender may move of each token. */
export function encodeLockdown(pairs: readonly { token: Address; spender: Address }[]): Hex {
  let words = size(0x20) + size(pairs.length)
  for (const { token, spender } of pairs) words += addressWord(token) + addressWord(spender)
  return `0xcc53287f${words.toLowerCase()}`
}
