export const MIN_TICK = -887272
export const MAX_TICK = 887272
export const MIN_SQRT_PRICE = 4295128739n
export const MAX_SQRT_PRICE = 1461446703485210103287273052203988822378723970342n

/** 2^128 / sqrt(1.0001)^(2^i), for each bit of a tick's size. */
const FACTORS = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]
const ONE_X128 = 1n << 128n
const MAX_UINT256 = (1n << 256n) - 1n

/**
 * Word boundaries and a pool's own ticks come again and again; the rest is computed in a few microseconds.
 */
const remembered = new Map<number, bigint>()
const REMEMBERED_MAX = 32_768

/** sqrt(1.0001^tick) × 2^96, rounded up as the contract rounds. */
export function sqrtPriceAtTick(tick: number): bigint {
  const cached = remembered.get(tick)
  if (cached !== undefined) return cached
  const price = computeSqrtPrice(tick)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(tick, price)
  return price
}

function computeSqrtPrice(tick: number): bigint {
  const size = tick < 0 ? -tick : tick
  if (!(size <= MAX_TICK)) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = ONE_X128
  for (let bit = 0; bit < 20; bit++) {
    if (size & (1 << bit)) ratio = (ratio * FACTORS[bit]!) >> 128n
  }
  if (tick > 0) ratio = MAX_UINT256 / ratio
  const price = ratio >> 32n
  return price << 32n === ratio ? price : price + 1n
}

/** The greatest tick whose price is not above this one. */
export function tickAtSqrtPrice(sqrtPriceX96: bigint): number {
  if (sqrtPriceX96 < MIN_SQRT_PRICE || sqrtPriceX96 >= MAX_SQRT_PRICE)
    throw new RangeError('price is out of range')
  // A float logarithm lands within a tick or two; the exact prices around it decide.
  let tick = Math.floor((2 * (log2(sqrtPriceX96) - 96)) / Math.log2(1.0001))
  tick = Math.max(MIN_TICK, Math.min(MAX_TICK - 1, tick))
  while (computeSqrtPrice(tick) > sqrtPriceX96) tick--
  while (tick < MAX_TICK && computeSqrtPrice(tick + 1) <= sqrtPriceX96) tick++
  return tick
}

function log2(value: bigint): number {
  const bits = value.toString(16).length * 4
  const shift = Math.max(0, bits - 64)
  return Math.log2(Number(value >> BigInt(shift))) + shift
}
