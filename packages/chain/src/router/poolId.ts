import type { Hex } from '../bytes/hex.ts'
import type { Crypto } from '../crypto/createCrypto.ts'
import { encodePoolKey } from './encodeAction.ts'
import type { PoolKey } from './types.ts'

/** A v4 pool's id: the hash of its key. */
export function poolIdOf(crypto: Crypto, key: PoolKey): Hex {
  return crypto.keccak256(`0x${encodePoolKey(key)}`)
}
