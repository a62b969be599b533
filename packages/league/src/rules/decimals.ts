/** Millionths as text with six decimals: the score. */
export function scoreText(microUsd: bigint): string {
  const digits = (microUsd < 0n ? -microUsd : microUsd).toString().padStart(7, '0')
  return `${microUsd < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Dollars on the wire: the number whose text is that score. */
export const dollarsOf = (microUsd: bigint): number => Number(scoreText(microUsd))

/** Per cent on the wire. */
export const percentOf = (bps: number): number => Number((bps / 100).toFixed(2))
