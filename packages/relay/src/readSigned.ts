import { type Crypto, type Hex, hashTx, parseSignedTx, type SignedTx, senderOf } from '@pit/chain'
import { CHAIN_ID, fail } from '@pit/protocol'
import type { Diff } from './diffs.ts'
import type { Built } from './planHash.ts'
import type { SignedBytes } from './types.ts'

/** A signed transaction that could be one of ours. */
export interface ReadTx {
  signed: SignedBytes
  tx: SignedTx
}

const TX_TYPE = 2
/** Type of the first trade of a plain wallet's session, which delegates the wallet. */
const SET_CODE_TYPE = 4

/** Parses one transaction; refuses unreadable bytes and types, chains or shapes that no plan has. */
export function readSigned(crypto: Crypto, raw: string): ReadTx {
  const parsed = parseSignedTx(raw)
  if (!parsed.ok) {
    fail('SUBMIT_REJECTED', {
      message: `The signed transaction cannot be read: ${parsed.why}.`,
      why: parsed.why,
    })
  }
  const { tx } = parsed
  const diffs = shapeDiffs(tx)
  if (diffs.length > 0) {
    const message = `Only EIP-1559 and set-code transactions of chain ${CHAIN_ID} are supported.`
    fail('NOT_AS_BUILT', { message, diffs })
  }
  const signer = senderOf(crypto, tx)
  if (!signer) fail('SUBMIT_REJECTED', { message: 'The signature is invalid.', why: 'BAD_SIGNATURE' })
  // Lower case, so that one transaction has one text.
  const signed = { raw: raw.toLowerCase() as Hex, hash: hashTx(crypto, tx), signer, nonce: tx.nonce }
  return { signed, tx }
}

/** The fields that must equal a plan. */
export function builtOf({ signed, tx }: ReadTx): Built {
  if (tx.to === null) fail('ROUTER_NOT_ALLOWED', { message: 'Contract creation is not supported.' })
  const built = { from: signed.signer, to: tx.to, valueWei: tx.value, data: tx.data }
  return tx.type === SET_CODE_TYPE ? { ...built, authorizations: tx.authorizationList } : built
}

function shapeDiffs(tx: SignedTx): Diff[] {
  const diffs: Diff[] = []
  if (tx.type !== TX_TYPE && tx.type !== SET_CODE_TYPE)
    diffs.push({ field: 'type', expected: TX_TYPE, got: tx.type })
  if (tx.chainId !== CHAIN_ID) {
    diffs.push({ field: 'chain_id', expected: CHAIN_ID, got: tx.chainId ?? 'any chain' })
  }
  if ('accessList' in tx && tx.accessList.length > 0) {
    diffs.push({ field: 'access_list', expected: [], got: `${tx.accessList.length} entries` })
  }
  return diffs
}
