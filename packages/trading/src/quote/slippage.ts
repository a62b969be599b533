import { type FeeClass, TRADE } from '@pit/protocol'

/** Default and cap by size and class; a size nobody can tell is held to the tightest row. */
export function slippageOf(
  cls: FeeClass,
  notionalMicroUsd: bigint | null,
): { defaultBps: number; capBps: number } {
  const rows = TRADE.slippageToleranceBySize
  const row =
    (notionalMicroUsd === null
      ? undefined
      : rows.find(({ up_to_usd }) => notionalMicroUsd <= BigInt(up_to_usd) * 1_000_000n)) ??
    rows[rows.length - 1]!
  return { defaultBps: row[cls].default_bps, capBps: row[cls].cap_bps }
}
