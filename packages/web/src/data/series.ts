import type { Point } from '@pit/ui/charts'
import { useEffect, useState } from 'react'

/** Values seen in this tab, by name: the server publishes no history. */
const seen = new Map<string, Point[]>()
const MAX_POINTS = 360

/** Adds a value to a series and returns the whole series. */
export function useSeries(name: string, value: number | null | undefined, atMs: number): readonly Point[] {
  const [points, setPoints] = useState<readonly Point[]>(seen.get(name) ?? [])
  useEffect(() => {
    const points = seen.get(name) ?? []
    const isNew = value !== null && value !== undefined && atMs > 0 && points.at(-1)?.atMs !== atMs
    const next = isNew ? [...points, { atMs, value }].slice(-MAX_POINTS) : points
    seen.set(name, next)
    setPoints(next)
  }, [name, value, atMs])
  return points
}
