/** One dollar. */
export const DOLLAR = 1_000_000n
/** The smallest order, as for any trade. */
export const MIN_ORDER_MICRO_USD = 1_000_000n

/** A number of dollars as micro-dollars, to the nearest: 0.29 is 290,000 although 0.29 × 1e6 falls short. */
export const microOf = (usd: number): bigint => BigInt(Math.round(usd * 1e6))

/** Dollars per token times 1e18. Nine decimals are kept: a double holds no more. */
export const priceE18Of = (usd: number): bigint => BigInt(Math.round(usd * 1e9)) * 1_000_000_000n

export function least(first: bigint, ...others: bigint[]): bigint {
  let found = first
  for (const value of others) if (value < found) found = value
  return found
}
export function most(first: bigint, ...others: bigint[]): bigint {
  let found = first
  for (const value of others) if (value > found) found = value
  return found
}
export const atLeastZero = (value: bigint): bigint => (value < 0n ? 0n : value)

/** For sentences: $12.34, cut to cents. */
export function dollars(microUsd: bigint): string {
  const sign = microUsd < 0n ? '-' : ''
  const abs = microUsd < 0n ? -microUsd : microUsd
  return `${sign}$${abs / DOLLAR}.${String((abs % DOLLAR) / 10_000n).padStart(2, '0')}`
}

/** For sentences: a price with as many decimals as its size asks for. */
export function shownPrice(priceE18: bigint): string {
  const usd = Number(priceE18) / 1e18
  return `$${usd >= 1 ? usd.toFixed(2) : usd.toPrecision(4)}`
}

/** How far `now` is from `then` in basis points, rounded towards zero. */
export const changeBps = (now: bigint, then: bigint): bigint => ((now - then) * 10_000n) / then

/** The largest integer whose square is not above the value. */
export function squareRoot(value: bigint): bigint {
  if (value < 2n) return value < 0n ? 0n : value
  let guess = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (;;) {
    const next = (guess + value / guess) >> 1n
    if (next >= guess) return guess
    guess = next
  }
}
