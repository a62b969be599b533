import { highestAtOrBelow, lowestAtOrAbove } from './tickBitmap.ts'
import { MAX_TICK, MIN_TICK } from './tickMath.ts'
import type { Concentrated } from './types.ts'

/**
 * The next step of the contract's loop: the next initialized tick within this word of the bitmap, or the word's end.
 * The ends matter because every step rounds. Returned as a number: initialized ticks have USED added.
 */
export const USED = 1 << 24

export function nextTickDown(pool: Concentrated, tick: number): number {
  const { tickSpacing } = pool
  const compressed = Math.floor(tick / tickSpacing)
  const bit = compressed & 255
  const word = pool.bitmap.get(compressed >> 8)
  const bitIndex = word ? highestAtOrBelow(word, bit) : -1
  if (bitIndex >= 0) return (compressed - bit + bitIndex) * tickSpacing + USED
  return Math.max(MIN_TICK, (compressed - bit) * tickSpacing)
}

export function nextTickUp(pool: Concentrated, tick: number): number {
  const { tickSpacing } = pool
  const compressed = Math.floor(tick / tickSpacing) + 1
  const bit = compressed & 255
  const word = pool.bitmap.get(compressed >> 8)
  const bitIndex = word ? lowestAtOrAbove(word, bit) : -1
  if (bitIndex >= 0) return (compressed - bit + bitIndex) * tickSpacing + USED
  return Math.min(MAX_TICK, (compressed - bit + 255) * tickSpacing)
}

/**
 * With no liquidity steps move nothing, so the next tick in use can be gone to at once; undefined when none
 * is left.
 */
export function nextUsedTick(pool: Concentrated, tick: number, zeroForOne: boolean): number | undefined {
  const { tickSpacing, bitmap } = pool
  const compressed = Math.floor(tick / tickSpacing) + (zeroForOne ? 0 : 1)
  const own = compressed >> 8
  const here = bitmap.get(own)
  if (here) {
    const bit = zeroForOne
      ? highestAtOrBelow(here, compressed & 255)
      : lowestAtOrAbove(here, compressed & 255)
    if (bit >= 0) return (own * 256 + bit) * tickSpacing
  }
  let best: number | undefined
  for (const position of bitmap.keys()) {
    if (zeroForOne ? position >= own : position <= own) continue
    if (best === undefined || (zeroForOne ? position > best : position < best)) best = position
  }
  if (best === undefined) return undefined
  const word = bitmap.get(best)!
  return (best * 256 + (zeroForOne ? highestAtOrBelow(word, 255) : lowestAtOrAbove(word, 0))) * tickSpacing
}
