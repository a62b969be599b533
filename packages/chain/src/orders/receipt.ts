import type { LedgerState, ReceiptKind } from '@pit/protocol'
import type { Hex } from '../bytes/hex.ts'

/** The co-signer's word on its ledger: one change of it, or how an order stands. Times in unix seconds. */
export interface Receipt {
  what: ReceiptKind
  /** Hash of the main root under which it is registered; if it is not, of the session that the request named. */
  session: Hex
  /** The list, the order or, of a revocation, the session. */
  id: Hex
  before: LedgerState
  after: LedgerState
  at: number
  /** Input of an order's budget that was sent or may still be; 0 for lists and sessions. */
  spent: string
  /**
   * Of that, what was co-signed and may still be sent; of a list, by the orders it replaced; of a session, in
   * micro-dollars.
   */
  outstanding: string
  /** When the last of that expires; `at` if there is none. */
  until: number
  /** 32 bytes the client chose, so that an old receipt does not pass for a new one. */
  challenge: Hex
}

/** The text that the co-signer signs (EIP-191). It has exactly one spelling. */
export const receiptText = (receipt: Receipt): string =>
  [
    'Pit receipt',
    '',
    `What: ${receipt.what}`,
    `Session: ${receipt.session.toLowerCase()}`,
    `Id: ${receipt.id.toLowerCase()}`,
    `Before: ${receipt.before}`,
    `After: ${receipt.after}`,
    `At: ${receipt.at}`,
    `Spent: ${receipt.spent}`,
    `Outstanding: ${receipt.outstanding}`,
    `Until: ${receipt.until}`,
    `Challenge: ${receipt.challenge.toLowerCase()}`,
  ].join('\n')
