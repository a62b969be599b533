import type { Address } from 'viem'

/** A token in a pool plan. */
export interface Asset {
  symbol: string
  address: Address
  decimals: number
  /** Micro-dollars for one whole token. */
  priceMicroUsd: bigint
}

/** Atoms for this many whole dollars. */
export const atomsOf = (asset: Asset, usd: bigint): bigint =>
  (usd * 1_000_000n * 10n ** BigInt(asset.decimals)) / asset.priceMicroUsd

export function isqrt(n: bigint): bigint {
  if (n < 2n) return n
  let root = 1n << BigInt((n.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** The pool price at which these two amounts have equal value. */
export const sqrtPriceX96 = (amount0: bigint, amount1: bigint): bigint => isqrt((amount1 << 192n) / amount0)

/** Pools order their tokens by address. */
export const sorted = <T extends { address: Address }>(a: T, b: T): [T, T] =>
  BigInt(a.address) < BigInt(b.address) ? [a, b] : [b, a]
