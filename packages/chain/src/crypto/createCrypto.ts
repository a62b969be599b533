import { createKeccak } from 'hash-wasm'
import { hashTypedData as viemHashTypedData } from 'viem'
import { type Address, bytesToHex, type Hex, hexToBytes, tryHexToBytes } from '../bytes/hex.ts'
import { parseAddress, publicKeyToAddress, toChecksum } from './address.ts'
import { type CurveName, loadCurve } from './curve.ts'
import { type Signature, splitSignature, toSignature } from './signature.ts'

export type Bytes = Uint8Array | Hex

/** Everything of hashing and secp256k1, synchronous once made. */
export type Crypto = Awaited<ReturnType<typeof createCrypto>>

/** The part that hashing needs. */
export type Hashing = Pick<Crypto, 'keccak256' | 'keccakText'>

const MESSAGE_PREFIX = '\x19Ethereum Signed Message:\n'
const encoder = new TextEncoder()

/** Created once at startup and passed in, so that nothing can be used before the wasm is ready. */
export async function createCrypto(options: { curve?: CurveName } = {}) {
  const [hasher, curve] = await Promise.all([createKeccak(256), loadCurve(options.curve)])

  const keccakBytes = (bytes: Uint8Array): Uint8Array => hasher.init().update(bytes).digest('binary')
  const keccak256 = (data: Bytes): Hex => `0x${hasher.init().update(toBytes(data)).digest('hex')}`

  /**
   * Lower-case address that signed `hash`; undefined for any malformed signature. High-s passes: see isLowS.
   */
  function recover(hash: Bytes, signature: Bytes): Address | undefined {
    const bytes = typeof signature === 'string' ? tryHexToBytes(signature) : signature
    const parts = bytes && splitSignature(bytes)
    return parts && recoverParts(toHash(hash), parts.rs, parts.yParity)
  }

  /** The same for a signature already taken apart and range-checked, as a transaction's is. */
  function recoverParts(hash: Uint8Array, rs: Uint8Array, yParity: 0 | 1): Address | undefined {
    const publicKey = curve.recoverPublicKey(hash, rs, yParity)
    return publicKey && publicKeyToAddress(keccakBytes, publicKey)
  }

  function sign(hash: Bytes, privateKey: Bytes): Signature {
    const { rs, yParity } = curve.sign(toHash(hash), toKey(privateKey))
    return toSignature(rs, yParity)
  }

  /** EIP-191 version 0x45. A text is hashed as UTF-8, bytes as they are. */
  const hashMessage = (message: string | Uint8Array): Hex => bytesToHex(messageHash(message))

  function messageHash(message: string | Uint8Array): Uint8Array {
    if (typeof message === 'string') {
      const prefix = MESSAGE_PREFIX + message.length
      const whole = encoder.encode(prefix + message)
      // As long in bytes as in characters, so the length that stands in it is right.
      if (whole.length === prefix.length + message.length) return keccakBytes(whole)
    }
    const body = typeof message === 'string' ? encoder.encode(message) : message
    return hasher
      .init()
      .update(encoder.encode(MESSAGE_PREFIX + body.length))
      .update(body)
      .digest('binary')
  }

  /** Who signed this text (EIP-191); as `recover` of `hashMessage`, without the way over hex. */
  const recoverMessage = (message: string, signature: Bytes): Address | undefined =>
    recover(messageHash(message), signature)

  return {
    curve: curve.name,
    keccak256,
    keccakBytes,
    recover,
    recoverParts,
    sign,
    hashMessage,
    recoverMessage,
    hashTypedData: viemHashTypedData,
    publicKeyToAddress: (publicKey: Bytes): Address => publicKeyToAddress(keccakBytes, toBytes(publicKey)),
    addressOf: (privateKey: Bytes): Address =>
      publicKeyToAddress(keccakBytes, curve.publicKeyOf(toKey(privateKey))),
    parseAddress: (text: string): Address | undefined => parseAddress(keccakBytes, text),
    toChecksum: (address: Address): Address => toChecksum(keccakBytes, address),
    /** Hash of a text as UTF-8, for role names and canonical JSON. */
    keccakText: (text: string): Hex => bytesToHex(keccakBytes(encoder.encode(text))),
  }
}

function toBytes(data: Bytes): Uint8Array {
  return typeof data === 'string' ? hexToBytes(data) : data
}

function toHash(hash: Bytes): Uint8Array {
  const bytes = toBytes(hash)
  if (bytes.length !== 32) throw new TypeError('expected a hash of 32 bytes')
  return bytes
}

function toKey(privateKey: Bytes): Uint8Array {
  const bytes = toBytes(privateKey)
  if (bytes.length !== 32) throw new TypeError('expected a private key of 32 bytes')
  return bytes
}
