import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { downsample, type Point } from './points.ts'

const series = fc
  .array(fc.integer({ min: -1_000, max: 1_000 }), { minLength: 1, maxLength: 2_000 })
  .map((values) => values.map((value, i): Point => [i * 60, value]))

describe('downsampling', () => {
  it('keeps the first, last, lowest and highest value, in order and within the bound', () => {
    fc.assert(
      fc.property(series, fc.integer({ min: 4, max: 500 }), (points, max) => {
        const sample = downsample(points, max)
        const values = sample.map(([, value]) => value)
        expect(sample.length).toBeLessThanOrEqual(max)
        expect(sample[0]).toEqual(points[0])
        expect(sample.at(-1)).toEqual(points.at(-1))
        expect(Math.min(...values)).toBe(Math.min(...points.map(([, value]) => value)))
        expect(Math.max(...values)).toBe(Math.max(...points.map(([, value]) => value)))
        expect(sample.every(([atS], i) => i === 0 || atS > sample[i - 1]![0])).toBe(true)
        const originals = new Set(points.map(String))
        expect(sample.every((point) => originals.has(String(point)))).toBe(true)
      }),
    )
  })

  it('returns few points unchanged', () => {
    const points: Point[] = [
      [0, 5],
      [60, 4],
    ]
    expect(downsample(points, 4)).toEqual(points)
    expect(downsample([], 4)).toEqual([])
  })
})
