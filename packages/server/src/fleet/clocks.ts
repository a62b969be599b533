/** A signer rejects calls that are 30 s off; NTP keeps machines within milliseconds. */
const FAR_MS = 10_000

/**
 * Whether this clock is wrong: most of the others are far from it. Each is given as its lead over the store's
 * clock, which counts too. If only two differ, neither can be judged wrong and both continue.
 */
export function isClockOff(ownMs: number, othersMs: readonly number[]): boolean {
  const store = 0
  const far = [store, ...othersMs].filter((otherMs) => Math.abs(otherMs - ownMs) > FAR_MS).length
  const all = othersMs.length + 2
  return far > all / 2
}
