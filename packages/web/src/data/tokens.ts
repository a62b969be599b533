import type { TokenFacts } from '@pit/client'
import { amount, shortHex } from '@pit/ui'

/** Facts about tokens by address, in lower case: pins and the verifying node. */
export type Facts = ReadonlyMap<string, TokenFacts>

/** The pinned symbol; any other one with its address, because anyone can deploy any symbol. */
const labelIn = ({ isPinned, name, symbol, address }: TokenFacts): string => {
  if (isPinned) return name
  return symbol === null ? shortHex(address) : `${symbol} (${shortHex(address)})`
}

export function labelOf(facts: Facts, address: string): string {
  const token = facts.get(address.toLowerCase())
  return token ? labelIn(token) : shortHex(address)
}

/** `0.5 ETH`, to a readable length. */
export const shownAmount = (token: TokenFacts, atoms: bigint | string | null): string =>
  `${amount(atoms, token.decimals)} ${labelIn(token)}`

/** The same of a token by its address; atoms while nothing is known about it. */
export function amountOf(facts: Facts, atoms: string | bigint | null, address: string): string {
  const token = facts.get(address.toLowerCase())
  return token ? shownAmount(token, atoms) : `${amount(atoms, null)} of ${shortHex(address)}`
}
