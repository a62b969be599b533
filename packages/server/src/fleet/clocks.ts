/** A signer refuses calls that are 30 s off; NTP keeps machines within milliseconds. */
const FAR_MS = 10_000

/**
 * Whether this clock is the wrong one: most of all clocks are far from it. Each is given as how far it is
 * ahead of the store's, whose own counts too. Of two that differ nobody can tell which is wrong: then both go
 * on.
 */
export function isClockOff(ownMs: number, othersMs: readonly number[]): boolean {
  const store = 0
  const far = [store, ...othersMs].filter((otherMs) => Math.abs(otherMs - ownMs) > FAR_MS).length
  const all = othersMs.length + 2
  return far > all / 2
}
