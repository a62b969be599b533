import type { Address } from '@pit/chain'
import type { Timer } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, lower, NATIVE_TOKEN } from '@pit/protocol'
import type { TokenText } from './types.ts'

export interface TreasuryDeps {
  db: Db
  rpc: Rpc
  clock: Timer
  logger: Pick<Logger, 'info' | 'warn' | 'error'>
  profile: ChainProfile
}

/** The recipient of all fees; null if the chain's profile has none. */
export const platformWalletOf = ({ fee_recipient }: ChainProfile): Address | null =>
  fee_recipient === null ? null : lower(fee_recipient)

/**
 * Tokens whose transfers are read from the chain: the profile's. Anyone can deploy a token that logs false
 * transfers, so for all others only the ledger counts.
 */
export function readTokensOf(profile: ChainProfile): Map<Address, TokenText> {
  const texts = [...profile.core_tokens, ...profile.listed_stocks].map(({ symbol, address, decimals }) => ({
    token: lower(address),
    symbol,
    decimals,
  }))
  return new Map(texts.map((text) => [text.token, text]))
}

export const isEther = (token: Address): boolean => token === NATIVE_TOKEN
