import { createHash } from 'node:crypto'

/** Draws that depend only on the seed, a label and a block. */
export interface Draws {
  /** In [0, 1). */
  unit(): number
  /** Standard normal. */
  normal(): number
  /** A whole number in [0, below). */
  below(bound: number): number
  /** A Poisson count of this mean. */
  poisson(mean: number): number
}

export function drawsFor(seed: string, label: string, block: bigint | number): Draws {
  const digest = createHash('sha256').update(`${seed}\n${label}\n${block}`).digest()
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readUInt32LE(at)) as [number, number, number, number]
  // sfc32: small, fast and well mixed; the hash above is a good seed.
  const unit = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + t) | 0
    return (t >>> 0) / 2 ** 32
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit())
  return {
    unit,
    normal,
    below: (bound) => Math.min(bound - 1, Math.floor(unit() * bound)),
    poisson(mean) {
      const floor = Math.exp(-mean)
      let count = 0
      for (let product = unit(); product > floor && count < 1_000; product *= unit()) count += 1
      return count
    },
  }
}
