import type { ReceiptKind } from '@pit/protocol'
import type { Hex } from '../bytes/hex.ts'

/** The co-signer's word on one change of its ledger. Times in unix seconds. */
export interface Receipt {
  what: ReceiptKind
  /** Hash of the session's main root. */
  session: Hex
  /** The list, the order or, of a revocation, the session. */
  id: Hex
  at: number
  /** Input of this order (or session: in micro-dollars) that was co-signed before and may still be sent. */
  outstanding: string
  /** When the last of that expires; `at` if there is none. */
  until: number
  /** 32 bytes the client chose, so that an old receipt does not pass for a new one. */
  challenge: Hex
}

/** The text that the co-signer signs (EIP-191). It has exactly one spelling. */
export const receiptText = ({ what, session, id, at, outstanding, until, challenge }: Receipt): string =>
  [
    'Pit receipt',
    '',
    `What: ${what}`,
    `Session: ${session.toLowerCase()}`,
    `Id: ${id.toLowerCase()}`,
    `At: ${at}`,
    `Outstanding: ${outstanding}`,
    `Until: ${until}`,
    `Challenge: ${challenge.toLowerCase()}`,
  ].join('\n')
