import type { Answer } from '@pit/protocol'
import { longestWaiting, type WaitingTx } from '@pit/relay'
import type { WalletState } from '../types.ts'
import type { PlanDeps } from './deps.ts'

/** Blocks come ten times a second: what waits for so long does not come by itself. */
const STUCK_AFTER_MS = 15_000

/** What of a wallet was relayed here a while ago and is not mined; null without anything. */
export const readWaiting = (
  { db, clock }: Pick<PlanDeps, 'db' | 'clock'>,
  wallet: WalletState['wallet'],
): Promise<WaitingTx | null> => longestWaiting(db, wallet, clock.nowMs() - STUCK_AFTER_MS)

type Stuck = Extract<Answer<'live.build'>, { execution: unknown }>['wallet_state']['stuck']

/** The nonce that holds a wallet up, and how it is replaced; null where nothing does. */
export function stuckJson({ minedNonce }: WalletState, waiting: WaitingTx | null): Stuck {
  // Another transaction took its nonce.
  if (waiting === null || waiting.nonce < minedNonce) return null
  const isItself = waiting.nonce === minedNonce
  const sign =
    `Sign a transaction with nonce ${minedNonce} and send it: a step of this plan with that nonce, or 0 ` +
    'ETH to ' +
    'the wallet itself.'
  return {
    nonce: minedNonce,
    tx_hash: isItself ? waiting.hash : null,
    since: Math.floor(waiting.sentAtMs / 1000),
    replace: isItself
      ? `${sign} Its max_fee_per_gas has to be above the base fee, and both its fees at least 10% above ` +
        'the ' +
        'waiting one’s; only one of the two can be mined.'
      : `${sign} ${waiting.hash} with nonce ${waiting.nonce} waits for it.`,
  }
}
