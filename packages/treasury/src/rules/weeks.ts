import { DAY_S } from '@pit/protocol'
export const WEEK_S = 7 * DAY_S
/** 1970 began on a Thursday. */
const FIRST_MONDAY_S = 4 * DAY_S

/** Monday 00:00 UTC of the week a time is in. */
export const weekStartOf = (timeS: number): number =>
  timeS - ((((timeS - FIRST_MONDAY_S) % WEEK_S) + WEEK_S) % WEEK_S)

/** End of an interval that begins at a time: the next Monday. */
export const weekEndOf = (startS: number): number => weekStartOf(startS) + WEEK_S

/** ISO 8601: a week belongs to the year its Thursday is in. */
export function isoWeekOf(timeS: number): string {
  const thursdayS = weekStartOf(timeS) + 3 * DAY_S
  const year = new Date(thursdayS * 1000).getUTCFullYear()
  const newYearS = Date.UTC(year, 0, 1) / 1000
  const week = Math.floor((thursdayS - newYearS) / WEEK_S) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** `2026-W05`, or `2026-W05.2` for the second part of a week that was closed early. */
export function labelOf(
  { startS, endS }: { startS: number; endS: number },
  earlier: readonly string[],
): string {
  const name = isoWeekOf(startS)
  if (startS === weekStartOf(startS) && endS === startS + WEEK_S) return name
  return `${name}.${earlier.filter((label) => label.startsWith(`${name}.`)).length + 1}`
}
