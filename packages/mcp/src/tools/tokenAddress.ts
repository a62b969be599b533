import type { Address } from '@pit/chain'
import { type Pins, tokenNamed } from '@pit/client'
import { ToolRefusal } from '../refusal.ts'

/** Resolves a core symbol or an address. Other symbols are not unique, so they are rejected. */
export function tokenAddress(pins: Pins, name: string): Address {
  const address = tokenNamed(pins, name)
  if (address) return address
  const core = [...pins.tokens.values()].flatMap((token) => token.core ?? [])
  throw new ToolRefusal(
    'UNKNOWN_TOKEN',
    'The token is neither an address nor a core symbol.',
    `Use ${core.join(', ')} exactly as written, or the 0x address from find_tokens.`,
  )
}
