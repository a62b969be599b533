import type { Crypto } from '@pit/chain'
import type { Charge } from '@pit/http'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Config } from '../config.ts'
import type { Keys } from './keys.ts'
import type { PartnerLookup } from './partner.ts'
import type { Wallet } from './rules.ts'

/** Dependencies of sign-in. */
export interface AuthDeps {
  db: Db
  clock: Clock
  crypto: Crypto
  randomBytes(size: number): Uint8Array
  keys: Pick<Keys, 'forget'>
  charge: Charge
  findPartner: PartnerLookup
  isSanctioned(address: Wallet): boolean
  config: Pick<Config, 'authDomain' | 'publicUrl' | 'requirePartnerAgent' | 'caps'>
}
