const BPS = 10_000n

/** Rounded down, as the router itself does for a portion. */
export function feeOf(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps)) / BPS
}

/** The least rate whose fee of `amount` is `fee`; undefined when no whole rate up to 10,000 gives it. */
export function leastBpsOf(amount: bigint, fee: bigint): number | undefined {
  if (amount <= 0n || fee < 0n || fee > amount) return undefined
  const bps = Number((fee * BPS + amount - 1n) / amount)
  return feeOf(amount, bps) === fee ? bps : undefined
}
