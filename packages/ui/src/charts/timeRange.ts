/** Half of a label on the time axis, such as `19 Nov 25` in the chart's font. */
export const LABEL_HALF_PX = 28

/** All bars with room for half a label at both ends, as logical indexes of the time axis. */
export function timeRange(
  bars: number,
  widthPx: number,
  /** The library's default: a bar is at most half the width. */
  maxBarPx: number = Math.max(widthPx / 2, 1),
): { from: number; to: number } {
  const free = Math.max(widthPx - 2 * LABEL_HALF_PX, LABEL_HALF_PX)
  const room = LABEL_HALF_PX / Math.min(maxBarPx, free / Math.max(bars - 1, 1))
  return { from: -room, to: bars - 1 + room }
}
