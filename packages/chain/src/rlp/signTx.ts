import { type Address, type Hex, hexToBytes, tryHexToBytes } from '../bytes/hex.ts'
import type { Bytes, Crypto } from '../crypto/createCrypto.ts'
import { type Signature, serializeSignature } from '../crypto/signature.ts'
import type { Authorization, SignedAuthorization, SignedTx, UnsignedTx } from './types.ts'
import { address, integer, integerOfWord, item, list, listHeader } from './write.ts'

/** The bytes ready to be sent, and the hash they will have. */
export function signTx(crypto: Crypto, tx: UnsignedTx, privateKey: Bytes): { raw: Hex; hash: Hex } {
  const fields = unsignedFields(tx)
  const signature = crypto.sign(crypto.keccakBytes(hexToBytes(`0x0${tx.type}${list(fields)}`)), privateKey)
  const raw = joinSignature(tx.type, fields, signature)
  return { raw, hash: crypto.keccak256(raw) }
}

/** The same for a signature made elsewhere, by a wallet for instance. */
export function serializeTx(tx: UnsignedTx, signature: Signature): Hex {
  const raw = joinSignature(tx.type, unsignedFields(tx), signature)
  if (!tryHexToBytes(raw)) throw new TypeError('a field is not hex')
  return raw
}

/** The signed payload: the type and the fields without a signature. */
export function serializeUnsignedTx(tx: UnsignedTx): Hex {
  return `0x0${tx.type}${list(unsignedFields(tx))}`
}

export function hashTx(crypto: Crypto, tx: SignedTx): Hex {
  return crypto.keccak256(tx.source.bytes)
}

/** The hash the sender signed, taken from the bytes that were read: canonical bytes need no encoding anew. */
export function signingHash(crypto: Crypto, tx: SignedTx): Uint8Array {
  const { bytes, fieldsStart, fieldsEnd } = tx.source
  const tail = tx.type === 0 && tx.chainId !== undefined ? hexToBytes(`0x${integer(tx.chainId)}8080`) : EMPTY
  const size = fieldsEnd - fieldsStart + tail.length
  const head = hexToBytes(`0x${tx.type === 0 ? '' : `0${tx.type}`}${listHeader(size)}`)
  const preimage = new Uint8Array(head.length + size)
  preimage.set(head)
  preimage.set(bytes.subarray(fieldsStart, fieldsEnd), head.length)
  preimage.set(tail, head.length + fieldsEnd - fieldsStart)
  return crypto.keccakBytes(preimage)
}

/** The signer; undefined if the signature is invalid. */
export function senderOf(crypto: Crypto, tx: SignedTx): Address | undefined {
  return crypto.recoverParts(signingHash(crypto, tx), tx.source.rs, tx.yParity)
}

export function authorizationHash(crypto: Crypto, authorization: Authorization): Uint8Array {
  const { chainId, address: delegate, nonce } = authorization
  return crypto.keccakBytes(hexToBytes(`0x05${list(integer(chainId) + address(delegate) + integer(nonce))}`))
}

export function signAuthorization(
  crypto: Crypto,
  authorization: Authorization,
  key: Bytes,
): SignedAuthorization {
  return { ...authorization, ...crypto.sign(authorizationHash(crypto, authorization), key) }
}

/** The account an authorization delegates. */
export function authorityOf(crypto: Crypto, authorization: SignedAuthorization): Address | undefined {
  return crypto.recover(authorizationHash(crypto, authorization), serializeSignature(authorization))
}

const EMPTY = new Uint8Array(0)

function unsignedFields(tx: UnsignedTx): string {
  let accessList = ''
  for (const entry of tx.accessList) {
    let keys = ''
    for (const key of entry.storageKeys) keys += item(key.slice(2))
    accessList += list(address(entry.address) + list(keys))
  }
  const fields =
    integer(tx.chainId) +
    integer(tx.nonce) +
    integer(tx.maxPriorityFeePerGas) +
    integer(tx.maxFeePerGas) +
    integer(tx.gas) +
    address(tx.to) +
    integer(tx.value) +
    item(tx.data.slice(2)) +
    list(accessList)
  if (tx.type === 2) return fields
  let authorizations = ''
  for (const one of tx.authorizationList) {
    authorizations += list(
      integer(one.chainId) + address(one.address) + integer(one.nonce) + signatureFields(one),
    )
  }
  return fields + list(authorizations)
}

function signatureFields({ r, s, yParity }: Signature): string {
  return integer(yParity) + integerOfWord(r) + integerOfWord(s)
}

function joinSignature(type: 2 | 4, fields: string, signature: Signature): Hex {
  return `0x0${type}${list(fields + signatureFields(signature))}`.toLowerCase() as Hex
}
