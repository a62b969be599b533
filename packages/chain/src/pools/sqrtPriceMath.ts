const Q96 = 1n << 96n
const MAX_UINT256 = (1n << 256n) - 1n

/**
 * Amounts between two prices. Lower price first; rounding is named, because it decides who is owed the last
 * wei.
 */

export function amount0Down(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return ((liquidity << 96n) * (upper - lower)) / upper / lower
}

export function amount0Up(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  // Rounding up twice is rounding the whole quotient up once.
  const denominator = upper * lower
  return ((liquidity << 96n) * (upper - lower) + denominator - 1n) / denominator
}

export function amount1Down(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower)) >> 96n
}

export function amount1Up(lower: bigint, upper: bigint, liquidity: bigint): bigint {
  return (liquidity * (upper - lower) + Q96 - 1n) >> 96n
}

/** Price after token0 came in: down, and rounded up so as not to pass the target. */
export function priceAfterAmount0In(price: bigint, liquidity: bigint, amount: bigint): bigint {
  if (amount === 0n) return price
  const scaled = liquidity << 96n
  const product = amount * price
  // Where 256 bits overflow the contract takes a coarser formula, and so must we.
  if (product <= MAX_UINT256 && scaled + product <= MAX_UINT256)
    return divideUp(scaled * price, scaled + product)
  return divideUp(scaled, scaled / price + amount)
}

/** Price after token1 came in: up, rounded down. */
export function priceAfterAmount1In(price: bigint, liquidity: bigint, amount: bigint): bigint {
  return price + (amount << 96n) / liquidity
}

/** Price after token0 went out: up; undefined when the liquidity does not have so much. */
export function priceAfterAmount0Out(price: bigint, liquidity: bigint, amount: bigint): bigint | undefined {
  if (amount === 0n) return price
  const scaled = liquidity << 96n
  const product = amount * price
  if (product > MAX_UINT256 || scaled <= product) return undefined
  return divideUp(scaled * price, scaled - product)
}

/** Price after token1 went out: down; undefined when the liquidity does not have so much. */
export function priceAfterAmount1Out(price: bigint, liquidity: bigint, amount: bigint): bigint | undefined {
  const quotient = divideUp(amount << 96n, liquidity)
  return price > quotient ? price - quotient : undefined
}

export function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
