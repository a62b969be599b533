import type { Pins } from '@pit/client'
import type { TokenNames } from './tokens.ts'

/** Names that this browser's pins vouch for. */
export const pinnedNames = ({ tokens }: Pick<Pins, 'tokens'>): TokenNames =>
  new Map([...tokens].map(([address, { symbol, decimals }]) => [address, { symbol, decimals }]))
