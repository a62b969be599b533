/** Ticks in use, by compressed tick (tick / spacing): word `compressed >> 8`, bit `compressed & 255`. */
export type Bitmap = Map<number, Uint32Array>

export function flipTick(bitmap: Bitmap, compressed: number): void {
  const position = compressed >> 8
  let word = bitmap.get(position)
  if (!word) {
    word = new Uint32Array(8)
    bitmap.set(position, word)
  }
  const bit = compressed & 255
  word[bit >> 5] = (word[bit >> 5] as number) ^ (1 << (bit & 31))
  // An empty word is dropped, so that the map's size is the pool's size.
  if (word.every((part) => part === 0)) bitmap.delete(position)
}

/** Highest bit in use at or below `bit`, or -1. */
export function highestAtOrBelow(word: Uint32Array, bit: number): number {
  let part = bit >> 5
  const shift = 31 - (bit & 31)
  let bits = ((word[part] as number) << shift) >>> shift
  while (bits === 0) {
    if (part === 0) return -1
    part--
    bits = word[part] as number
  }
  return (part << 5) + 31 - Math.clz32(bits)
}

/** Lowest bit in use at or above `bit`, or -1. */
export function lowestAtOrAbove(word: Uint32Array, bit: number): number {
  let part = bit >> 5
  const shift = bit & 31
  let bits = ((word[part] as number) >>> shift) << shift
  while (bits === 0) {
    if (part === 7) return -1
    part++
    bits = word[part] as number
  }
  return (part << 5) + 31 - Math.clz32(bits & -bits)
}

/** A word as the contract stores it, for comparing with the chain. */
export function wordToBigInt(word: Uint32Array | undefined): bigint {
  let value = 0n
  if (word) for (let part = 7; part >= 0; part--) value = (value << 32n) | BigInt(word[part] as number)
  return value
}

/** A word as the contract stores it, for starting from the chain. */
export function bigIntToWord(value: bigint): Uint32Array {
  const word = new Uint32Array(8)
  for (let part = 0; part < 8; part++) word[part] = Number((value >> BigInt(32 * part)) & 0xffffffffn)
  return word
}
