import type { Address, Crypto, Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Rpc } from '@pit/platform/rpc'
import { fail } from '@pit/protocol'
import type { Cosigner } from '../keys/createCosigner.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { Session } from '../roots/readRoots.ts'
import type { Vault } from './openVault.ts'
import { findExecutor } from './store.ts'
import type { Executor } from './types.ts'

/** Dependencies of the executor calls. */
export interface ExecutorDeps {
  db: Db
  crypto: Crypto
  clock: Clock
  rpc: Pick<Rpc, 'request' | 'batch'>
  pins: Pins
  prices: Pick<Prices, 'isChainRead' | 'baseFeeWei' | 'whyUnread'>
  cosigner: Cosigner
  vault: Vault
  sessions: { find(rootHash: Hex): Session | null | Promise<Session | null> }
  isSanctioned(address: string): boolean
}

export async function needExecutor(sql: ExecutorDeps['db'], address: Address): Promise<Executor> {
  return (await findExecutor(sql, address)) ?? fail('NO_EXECUTOR', { message: 'Unknown executor.' })
}

/** Refuses when the executor or its owner is sanctioned. */
export function refuseSanctioned(
  { isSanctioned }: Pick<ExecutorDeps, 'isSanctioned'>,
  { address, owner }: Pick<Executor, 'address' | 'owner'>,
): void {
  if (isSanctioned(owner))
    fail('SANCTIONED', { field: 'owner', message: 'The executor’s owner is sanctioned.' })
  if (isSanctioned(address)) fail('SANCTIONED', { field: 'executor', message: 'The executor is sanctioned.' })
}
