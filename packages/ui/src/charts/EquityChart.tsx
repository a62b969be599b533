import { useCallback, useMemo } from 'react'
import { stamp } from '../format.ts'
import { Legend } from './charts.tsx'
import { PlotFrame } from './PlotFrame.tsx'
import { useStable, useStableFunction } from './stable.ts'
import type { EquityChartProps, Line, Marker } from './types.ts'

const NONE = [] as const
const MAX_LINES = 5

/** Values over time: up to five lines, a band and markers. */
export function EquityChart(props: EquityChartProps) {
  const { label, bandName } = props
  const series = useStable(props.series)
  const band = useStable(props.band ?? NONE)
  const markers = useStable(props.markers ?? NONE)
  const format = useStableFunction(props.format)
  const lines = useMemo(() => series.filter(({ points }) => points.length > 1).slice(0, MAX_LINES), [series])
  const readings = useMemo(() => readingsOf(lines, markers, format), [lines, markers, format])
  const draw = useCallback<Parameters<typeof PlotFrame>[0]['draw']>(
    (library, mount) => library.drawLines(mount, { series: lines, band, markers, format }),
    [lines, band, markers, format],
  )
  if (lines.length === 0) return <p className="faint plot-place">Collecting data…</p>
  const legend = lines.length > 1 || bandName !== undefined
  return (
    <PlotFrame
      label={label}
      summary={summaryOf(label, lines, markers, format)}
      readings={readings}
      draw={draw}
      legend={
        legend && (
          <Legend names={lines.map(({ name }) => name)} {...(bandName !== undefined && { band: bandName })} />
        )
      }
    />
  )
}

type Format = (value: number) => string

function readingsOf(lines: readonly Line[], markers: readonly Marker[], format: Format) {
  const [first] = lines
  if (!first) return []
  return first.points.map(({ atMs, value }, i) => {
    const others = lines.slice(1).map(({ name, points }) => {
      const before = points.findLast((point) => point.atMs <= atMs)
      return before === undefined ? null : `${name} ${format(before.value)}`
    })
    const nextMs = first.points[i + 1]?.atMs ?? Number.POSITIVE_INFINITY
    const events = markers
      .filter((marker) => marker.text !== undefined && marker.atMs >= atMs && marker.atMs < nextMs)
      .map(({ text }) => text)
    const own = lines.length > 1 ? `${first.name} ${format(value)}` : format(value)
    return {
      timeS: Math.floor(atMs / 1_000),
      value,
      text: [stamp(atMs / 1_000), own, ...others, ...events].filter((part) => part !== null).join('  '),
    }
  })
}

const summaryOf = (label: string, lines: readonly Line[], markers: readonly Marker[], format: Format) => {
  const parts = lines.map(({ name, points }) => {
    const values = points.map(({ value }) => value)
    return (
      `${name} from ${format(values[0]!)} to ${format(values.at(-1)!)}, ` +
      `lowest ${format(Math.min(...values))}, highest ${format(Math.max(...values))}`
    )
  })
  const events = markers.length === 0 ? '' : `; ${markers.length} events marked`
  return `${label}: ${parts.join('; ')}${events}.`
}
