/** Time in seconds, and an integer: micro-dollars, or hundredths of a basis point. */
export type Point = readonly [atS: number, value: number]

/** Points in one answer. */
const MAX_POINTS = 500

/** At most `max` of the points: the first, the last, and the lowest and highest of equal parts in between. */
export function downsample(points: readonly Point[], max: number = MAX_POINTS): Point[] {
  if (points.length <= max) return [...points]
  const between = points.slice(1, -1)
  const parts = Math.floor((max - 2) / 2)
  const chosen: Point[] = [points[0]!]
  for (let part = 0; part < parts; part++) {
    const from = Math.floor((part * between.length) / parts)
    const to = Math.floor(((part + 1) * between.length) / parts)
    chosen.push(...extremes(between, from, to))
  }
  chosen.push(points[points.length - 1]!)
  return chosen
}

/** The lowest and the highest point of a part, in time order; one point if they are the same. */
function extremes(points: readonly Point[], from: number, to: number): Point[] {
  let low = from
  let high = from
  for (let i = from + 1; i < to; i++) {
    if (points[i]![1] < points[low]![1]) low = i
    if (points[i]![1] > points[high]![1]) high = i
  }
  if (low === high) return [points[low]!]
  return [points[Math.min(low, high)]!, points[Math.max(low, high)]!]
}
