import type { Chain } from './engine/types.ts'

export interface Pace {
  /** Milliseconds between recent blocks. */
  read(): { mean: number; p50: number; p99: number; max: number; blocks: number }
  close(): void
}

const REMEMBERED = 1_200

/** Regularity of blocks while they are awaited. */
export function createPace(
  chain: Pick<Chain, 'onBlock' | 'isAwaited'>,
  now: () => number = () => performance.now(),
): Pace {
  const gaps: number[] = []
  let last: number | undefined
  const unsubscribe = chain.onBlock(() => {
    const at = now()
    if (last !== undefined && chain.isAwaited()) gaps.push(at - last)
    last = at
    if (gaps.length > REMEMBERED) gaps.shift()
  })
  const rounded = (ms: number | undefined) => Math.round((ms ?? 0) * 10) / 10
  return {
    read() {
      const sorted = [...gaps].sort((a, b) => a - b)
      const at = (part: number) =>
        rounded(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))])
      const mean = rounded(gaps.reduce((sum, gap) => sum + gap, 0) / Math.max(1, gaps.length))
      return { mean, p50: at(0.5), p99: at(0.99), max: at(1), blocks: gaps.length }
    },
    close: unsubscribe,
  }
}
