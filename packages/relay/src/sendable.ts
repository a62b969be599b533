import type { Address, Hex } from '@pit/chain'
import { askCallOrRevert, askNonce, readAll } from '@pit/platform/reads'
import { fail } from '@pit/protocol'
import type { RelayDeps } from './deps.ts'
import type { Item } from './feeFirst.ts'
import type { ReadTx } from './readSigned.ts'
import { hasApproved, relayedAmong } from './tradeRows.ts'

type Deps = Pick<RelayDeps, 'db' | 'rpc' | 'market'>

const READ_MS = 2_000

/** Refuses a fee cap below the base fee: it would block every later nonce of its signer. */
export async function checkFeeCaps({ db, market }: Deps, read: readonly ReadTx[]): Promise<void> {
  const baseFeeWei = market.head()?.baseFeeWei ?? 0n
  for (const { signed, tx } of read) {
    if (!('maxFeePerGas' in tx) || tx.maxFeePerGas >= baseFeeWei) continue
    if (await wasRelayed(db, signed.hash)) continue
    fail('SUBMIT_REJECTED', {
      message:
        `Its max_fee_per_gas of ${tx.maxFeePerGas} wei is below the base fee of ${baseFeeWei}: ` +
        'no block can take it. Sign it again with a higher one; the plan suggests twice the base fee.',
      why: 'FEE_CAP',
      sent: [],
    })
  }
}

/** Refuses a transaction whose plan has an earlier approval that was neither included nor sent. */
export async function checkApprovals(
  deps: Deps,
  items: readonly Item[],
  read: readonly ReadTx[],
): Promise<void> {
  for (const [i, { signed, planned }] of items.entries()) {
    if (!planned || planned.approvalsBefore === 0) continue
    if (items.slice(0, i).some((before) => before.planned?.kind === 'approve')) continue
    if (await hasApproved(deps.db, planned.wallet, planned.createdAtS * 1000)) continue
    const reason = await whyNotYet(deps, signed.signer, read[i]!)
    if (reason === null || (await wasRelayed(deps.db, signed.hash))) continue
    fail('SUBMIT_REJECTED', {
      message:
        'The approve step of this plan must go first, but was neither sent nor included: on the current chain ' +
        `state this transaction fails (${reason}). Send both as raw_txs, in the order of \`steps\`, or send ` +
        'the approve alone first.',
      why: 'APPROVE_FIRST',
      sent: [],
    })
  }
}

const wasRelayed = async (db: Deps['db'], hash: Hex): Promise<boolean> =>
  (await relayedAmong(db, [hash])).size > 0

/**
 * Why the call would fail on the current chain state; null if it would succeed, or if that is unknown: the signer
 * has pending transactions sent elsewhere, or the node does not respond.
 */
async function whyNotYet({ rpc }: Deps, signer: Address, { tx }: ReadTx): Promise<string | null> {
  const { to, data, value: valueWei } = tx
  if (to === null) return null
  const call = askCallOrRevert({ to, data }, { from: signer, valueWei })
  const reads = [askNonce(signer), askNonce(signer, 'pending'), call] as const
  const answers = await readAll(rpc, reads, { timeoutMs: READ_MS }).catch(() => null)
  const [mined, next, ran] = answers ?? []
  if (mined === undefined || next === undefined || next > mined) return null
  return ran?.reverted ? ran.reason : null
}
