import type { Crypto, Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Cosigner } from '../keys/createCosigner.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { NonceReader } from '../roots/readNonce.ts'
import type { Session } from '../roots/readRoots.ts'
import type { TriggerReader } from './readTrigger.ts'

export interface OrderDeps {
  db: Db
  crypto: Crypto
  clock: Clock
  pins: Pins
  prices: Prices
  cosigner: Cosigner
  triggers: TriggerReader
  walletNonce: NonceReader
  sessions: { find(rootHash: Hex): Session | null | Promise<Session | null> }
  isSanctioned(address: string): boolean
}
