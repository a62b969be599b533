import type { Hex } from '../bytes/hex.ts'
import type { Crypto } from '../crypto/createCrypto.ts'
import type { Hop, Route } from './types.ts'

/**
 * Sixteen bytes of the hash of the pools and directions: enough to tell routes apart, short enough to quote
 * back.
 */
export function routeIdOf(crypto: Pick<Crypto, 'keccakText'>, hops: readonly Hop[]): Hex {
  const path = hops
    .map(({ pool, zeroForOne }) => `${pool.version}:${pool.id}:${zeroForOne ? 0 : 1}`)
    .join('>')
  return shortHash(crypto, path)
}

/** Of a split: the same for the same routes, in whatever order they come and however the trade is divided. */
export function splitIdOf(crypto: Pick<Crypto, 'keccakText'>, legs: readonly Pick<Route, 'id'>[]): Hex {
  const ids = legs.map(({ id }) => id).sort()
  return shortHash(crypto, `split:${ids.join('+')}`)
}

function shortHash(crypto: Pick<Crypto, 'keccakText'>, text: string): Hex {
  return crypto.keccakText(text).slice(0, 34) as Hex
}
