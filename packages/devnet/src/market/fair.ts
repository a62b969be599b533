import type { Asset, Pool } from './types.ts'

const Q96 = 2 ** 96

/** The square-root price (X96) at which a pool of these two is fair: the ratio of their dollar prices. */
export function fairSqrtX96(asset0: Asset, asset1: Asset, usd0: number, usd1: number): bigint {
  const atomsPerAtom = (usd0 / usd1) * 10 ** (asset1.decimals - asset0.decimals)
  return BigInt(Math.floor(Math.sqrt(atomsPerAtom) * Q96))
}

/** The price of a square root, in whole tokens of currency1 per whole token of currency0. */
export const priceOfSqrtX96 = (sqrtX96: bigint, decimals0: number, decimals1: number): number =>
  (Number(sqrtX96) / Q96) ** 2 * 10 ** (decimals0 - decimals1)

/** Assumed fee of a hooked pool, which may set its own. */
const DYNAMIC_FEE = 0x800000
export const feePips = (pool: Pool): number => (pool.fee === DYNAMIC_FEE ? 3_000 : pool.fee)

/** No arbitrage pays inside the pool's fee; a few basis points more avoid tiny trades. */
export function bandOf(pool: Pool, fair: bigint, slackBps: number): { low: bigint; high: bigint } {
  const part = feePips(pool) / 1_000_000 + slackBps / 10_000
  const scaled = (factor: number) => (fair * BigInt(Math.round(Math.sqrt(factor) * 1e9))) / 1_000_000_000n
  return { low: scaled(1 - part), high: scaled(1 + part) }
}
