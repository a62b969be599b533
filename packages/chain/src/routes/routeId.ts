import type { Hex } from '../bytes/hex.ts'
import type { Crypto } from '../crypto/createCrypto.ts'
import type { Hop } from './types.ts'

/** Sixteen bytes of the hash of the pools and directions: enough to tell routes apart, short enough to quote back. */
export function routeIdOf(crypto: Pick<Crypto, 'keccakText'>, hops: readonly Hop[]): Hex {
  const path = hops
    .map(({ pool, zeroForOne }) => `${pool.version}:${pool.id}:${zeroForOne ? 0 : 1}`)
    .join('>')
  return crypto.keccakText(path).slice(0, 34) as Hex
}
