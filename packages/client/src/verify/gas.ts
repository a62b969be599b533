import type { OwnReading } from './ownReading.ts'

/** The fees are the client's own, never the service's: twice the base fee it read, and a twentieth as a tip. */
export function feesOf({ baseFeeWei }: Pick<OwnReading, 'baseFeeWei'>) {
  const maxPriorityFeePerGas = baseFeeWei / 20n
  return { maxPriorityFeePerGas, maxFeePerGas: 2n * baseFeeWei + maxPriorityFeePerGas }
}

/** A limit under what the client's own trial used would only burn gas. */
export const triedGas = ({ trial }: Pick<OwnReading, 'trial'>, i: number): bigint =>
  trial.ok ? ((trial.gasUsed[i] ?? 0n) * 5n) / 4n : 0n
