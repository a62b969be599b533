import { TRADE } from '@pit/protocol'
import { LEASE_MS } from '../relayOnce.ts'
import { SEND_BOUND_MS } from '../sendRaw.ts'

/** Findings about a row without a receipt at one look. */
export interface Look {
  status: 'relaying' | 'pending'
  /** Since it was written. */
  ageMs: number
  /** The node shows the transaction, mined or not. */
  known: boolean
  /** How long every look, including the first and this one, has not found it. */
  unseenForMs: number
  /** How long every look has found the signer's nonce above it. */
  nonceGoneForMs: number
  /** Inserted by a process that has ended since: its bytes cannot be sent any more. */
  leftBehind: boolean
}

/** Clocks of two processes differ a little. */
const MARGIN_MS = 1_000
/** By then the bytes were sent, or never will be. */
export const MUST_HAVE_LEFT_MS = LEASE_MS + SEND_BOUND_MS + MARGIN_MS
/** How long a sent transaction may be invisible to the node. */
const UNSEEN_MS = 5_000
/** A node may count a transaction before it has the receipt, and load-balanced nodes may differ. */
const NONCE_GONE_MS = 1_500

/** Decides about a row without a receipt. */
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

/** Checks become rarer with age. */
export function nextLookMs(ageMs: number): number {
  if (ageMs < 3_000) return 150
  if (ageMs < 15_000) return 400
  if (ageMs < 120_000) return 2_000
  return 15_000
}
