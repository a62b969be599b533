import { useEffect, useState } from 'react'

export interface Point {
  atMs: number
  value: number
}

/** What this tab has seen, by name: the service keeps no history for everybody to read. */
const seen = new Map<string, Point[]>()
const MAX_POINTS = 360

/** Adds a reading to a series and answers all of it. */
export function useSeries(name: string, value: number | null | undefined, atMs: number): readonly Point[] {
  const [points, setPoints] = useState<readonly Point[]>(seen.get(name) ?? [])
  useEffect(() => {
    const known = seen.get(name) ?? []
    const isNew = value !== null && value !== undefined && atMs > 0 && known.at(-1)?.atMs !== atMs
    const next = isNew ? [...known, { atMs, value }].slice(-MAX_POINTS) : known
    seen.set(name, next)
    setPoints(next)
  }, [name, value, atMs])
  return points
}
