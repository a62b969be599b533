import type { Address } from '@pit/chain'
import { type Pins, tokenNamed } from '@pit/client'
import { ToolRefusal } from '../refusal.ts'

/** The token a caller names; symbols that are not core are anybody's, so they name nothing. */
export function tokenAddress(pins: Pins, name: string): Address {
  const address = tokenNamed(pins, name)
  if (address) return address
  const core = [...pins.tokens.values()].flatMap((token) => token.core ?? [])
  throw new ToolRefusal(
    'UNKNOWN_TOKEN',
    'Only core symbols name a token, exactly as written.',
    `Use one of ${core.join(', ')}, or the 0x address that find_tokens shows.`,
  )
}
