import type { Crypto } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Keys } from './keys.ts'
import type { PartnerLookup } from './partner.ts'
import type { Caps, Wallet } from './rules.ts'

export interface AuthConfig {
  /** Null: sign-in is off. */
  authDomain: string | null
  publicUrl: string
  requirePartnerAgent: boolean
  caps: Caps
}

/** Dependencies of sign-in. */
export interface AuthDeps {
  db: Db
  clock: Clock
  crypto: Crypto
  randomBytes(size: number): Uint8Array
  keys: Pick<Keys, 'forget'>
  findPartner: PartnerLookup
  isSanctioned(address: Wallet): boolean
  config: AuthConfig
}
