import { TRADE } from '@pit/protocol'
import { LEASE_MS } from '../relayOnce.ts'
import { SEND_BOUND_MS } from '../sendRaw.ts'

/** What is known of a row without a receipt, at one look. */
export interface Look {
  status: 'relaying' | 'pending'
  /** Since it was written. */
  ageMs: number
  /** The node shows the transaction, mined or not. */
  known: boolean
  /** How long every look, the first and this one among them, found nothing of it. */
  unseenForMs: number
  /** How long every look found the signer's nonce past it. */
  nonceGoneForMs: number
  /** Written by a process that has ended since: its bytes cannot leave any more. */
  leftBehind: boolean
}

/** Clocks of two processes differ a little. */
const MARGIN_MS = 1_000
/** By then the bytes have left, or never will. */
export const MUST_HAVE_LEFT_MS = LEASE_MS + SEND_BOUND_MS + MARGIN_MS
/** So long a transaction may be on its way without the node showing it. */
const UNSEEN_MS = 5_000
/** A node may count a transaction before it has the receipt, and nodes behind one name may differ. */
const NONCE_GONE_MS = 1_500

/** What becomes of a row the chain has no receipt of. */
export function decide(look: Look): 'wait' | 'seen' | 'dropped' {
  const { status, ageMs, known } = look
  if (status === 'relaying') {
    if (known) return 'seen'
    const cannotLeave = look.leftBehind || ageMs > MUST_HAVE_LEFT_MS
    return cannotLeave && look.unseenForMs >= UNSEEN_MS ? 'dropped' : 'wait'
  }
  if (ageMs > TRADE.pendingDroppedAfterS * 1000) return 'dropped'
  return !known && look.nonceGoneForMs >= NONCE_GONE_MS ? 'dropped' : 'wait'
}

/** The longer nothing came, the rarer it is looked for. */
export function nextLookMs(ageMs: number): number {
  if (ageMs < 3_000) return 150
  if (ageMs < 15_000) return 400
  if (ageMs < 120_000) return 2_000
  return 15_000
}
