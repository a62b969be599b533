import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Answer } from '@pit/protocol'
import { longestWaiting, longestWaitingOfAll, type WaitingTx } from '@pit/relay'
import type { TradeDeps } from '../deps.ts'
import type { WalletState } from '../types.ts'

/** Blocks come ten times a second: a transaction pending for this long is stuck. */
const STUCK_AFTER_MS = 15_000

/** Stuck transactions are rare, so those of all wallets are read together. */
const READ_EVERY_MS = 1_000
const MAX_SIGNERS = 1_000

/** A transaction of the wallet relayed here a while ago and still not mined, or null. */
export type WaitingReader = (wallet: WalletState['wallet']) => Promise<WaitingTx | null>

export function createWaitingReader({ db, clock }: Pick<TradeDeps, 'db' | 'clock'>): WaitingReader {
  const cache = createCache<'all', Map<Address, WaitingTx>>({ max: 1, ttlMs: READ_EVERY_MS, clock })
  const beforeMs = () => clock.nowMs() - STUCK_AFTER_MS
  return async (wallet) => {
    const all = await cache.load('all', () => longestWaitingOfAll(db, beforeMs(), MAX_SIGNERS))
    return all.get(wallet) ?? (all.size < MAX_SIGNERS ? null : longestWaiting(db, wallet, beforeMs()))
  }
}

type Stuck = Extract<Answer<'live.build'>, { execution: unknown }>['wallet_state']['stuck']

/** The nonce that blocks a wallet and how to replace it; null if none does. */
export function stuckJson({ minedNonce }: WalletState, waiting: WaitingTx | null): Stuck {
  // Another transaction used its nonce.
  if (waiting === null || waiting.nonce < minedNonce) return null
  const isItself = waiting.nonce === minedNonce
  const sign =
    `Send a transaction with nonce ${minedNonce}: a step of this plan with that nonce, or 0 ETH to the ` +
    'wallet itself.'
  return {
    nonce: minedNonce,
    tx_hash: isItself ? waiting.hash : null,
    since: Math.floor(waiting.sentAtMs / 1000),
    replace: isItself
      ? `${sign} Its max_fee_per_gas must be above the base fee, and both its fees at least 10% above those ` +
        'of the pending transaction; only one of the two can be mined.'
      : `${sign} ${waiting.hash} with nonce ${waiting.nonce} is waiting for it.`,
  }
}
