import type { Hex } from '../bytes/hex.ts'
import { addressWord, int24, MAX_UINT24, uintOfNumber } from '../bytes/words.ts'
import type { Crypto } from '../crypto/createCrypto.ts'
import type { PoolKey } from './types.ts'

/** A v4 pool's id: the hash of its key. */
export function poolIdOf(crypto: Crypto, key: PoolKey): Hex {
  return crypto.keccak256(`0x${encodePoolKey(key)}`)
}

/** The five words a pool's id is the hash of. */
export function encodePoolKey(key: PoolKey): string {
  return (
    addressWord(key.currency0) +
    addressWord(key.currency1) +
    uintOfNumber(key.fee, MAX_UINT24) +
    int24(key.tickSpacing) +
    addressWord(key.hooks)
  )
}
