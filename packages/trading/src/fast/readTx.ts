import {
  type Address,
  type Crypto,
  type Hex,
  hashTx,
  parseSignedTx,
  type SignedTx,
  senderOf,
} from '@pit/chain'

/**
 * The parsed `raw_tx`. Bytes that do not start like a transaction are BAD_REQUEST; bytes that do but are not
 * the canonical encoding of one are TX_ENCODING; an unsupported type is TX_TYPE only.
 */
export interface TxReading {
  /** Null: not a transaction. Legacy transactions are type 0. */
  type: number | null
  /** Why it is not a canonical signed transaction without access list; null if it is, or if its type is unknown. */
  fault: string | null
  /** Null when its fields could not be read. */
  tx: SignedTx | null
  sender: Address | null
  hash: Hex | null
}

const READ_TYPES = [0, 1, 2, 4]
/** A first byte below TYPE_END is an EIP-2718 type, from LIST_START on a legacy list; others are neither. */
const TYPE_END = 0x80
const LIST_START = 0xc0

export function readTx(crypto: Crypto, raw: string): TxReading {
  const first = Number.parseInt(raw.slice(2, 4), 16)
  const type = first >= LIST_START ? 0 : first < TYPE_END ? first : null
  const nothing = { type, tx: null, sender: null, hash: null }
  // EIP-2718 never assigned a typed 0x00.
  if (type === null || first === 0) return { ...nothing, type: null, fault: null }
  if (!READ_TYPES.includes(type)) return { ...nothing, fault: null }
  const parsed = parseSignedTx(raw)
  if (!parsed.ok) return { ...nothing, fault: parsed.why }
  const { tx } = parsed
  const sender = senderOf(crypto, tx) ?? null
  const listed = 'accessList' in tx && tx.accessList.length > 0
  const fault = sender === null ? 'BAD_SIGNATURE' : listed ? 'ACCESS_LIST' : null
  return { type, fault, tx, sender, hash: hashTx(crypto, tx) }
}
