import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { Point } from './types.ts'

/** SVG charts, each with a text alternative. */

const H = 180
const PAD = { right: 8, top: 8, bottom: 20 }
/** Width before the first measurement. */
const FIRST_WIDTH = 480

/** Measures the chart's width, so that its text has the size of the surrounding text. */
function useWidth() {
  const ref = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(FIRST_WIDTH)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () => setWidth(Math.max(200, Math.floor(element.clientWidth)))
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    measure()
    return () => observer.disconnect()
  }, [])
  return { ref, width }
}

/** Space for the labels on the left. */
const leftOf = (labels: readonly string[]): number =>
  12 + 6.4 * Math.max(...labels.map(({ length }) => length))

function scaleOf(values: readonly number[], from: number, to: number): (value: number) => number {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const span = high - low || Math.abs(high) * 0.002 || 1
  const floor = high === low ? low - span / 2 : low
  return (value) => from + ((value - floor) / span) * (to - from)
}

const pathOf = (
  points: readonly Point[],
  x: (value: number) => number,
  y: (value: number) => number,
): string =>
  points
    .map(({ atMs, value }, i) => `${i === 0 ? 'M' : 'L'}${x(atMs).toFixed(1)},${y(value).toFixed(1)}`)
    .join('')

/** Recent values, without axes. */
export function Sparkline({ points, label }: { points: readonly Point[]; label: string }) {
  if (points.length < 2) return <span className="spark faint small">collecting data…</span>
  const x = scaleOf(
    points.map(({ atMs }) => atMs),
    2,
    118,
  )
  const y = scaleOf(
    points.map(({ value }) => value),
    25,
    3,
  )
  const rises = points.at(-1)!.value >= points[0]!.value
  return (
    <svg className="spark" viewBox="0 0 120 28" role="img" aria-label={label}>
      <path
        d={pathOf(points, x, y)}
        fill="none"
        strokeWidth="1.5"
        stroke={rises ? 'var(--up)' : 'var(--down)'}
      />
    </svg>
  )
}

interface GridProps {
  ticks: readonly number[]
  y(value: number): number
  left: number
  right: number
  format(value: number): string
}

const Grid = ({ ticks, y, left, right, format }: GridProps) =>
  ticks.map((tick) => (
    <g key={tick}>
      <line className="grid-line" x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
      <text x={left - 6} y={y(tick) + 4} textAnchor="end">
        {format(tick)}
      </text>
    </g>
  ))

export function Legend({ names, band }: { names: readonly string[]; band?: string }) {
  return (
    <span className="legend">
      {names.map((name, i) => (
        <span key={name}>
          <i className={`fill-${i + 1}`} />
          {name}
        </span>
      ))}
      {band !== undefined && (
        <span>
          <i className="fill-band" />
          {band}
        </span>
      )}
    </span>
  )
}

export interface Bar {
  name: string
  /** Bottom to top. */
  parts: readonly number[]
}

/** Stacked bar chart. */
export function BarChart(props: {
  label: string
  bars: readonly Bar[]
  parts: readonly string[]
  format(value: number): string
}) {
  const id = useId()
  const { ref, width } = useWidth()
  const sums = props.bars.map(({ parts }) => parts.reduce((sum, part) => sum + part, 0))
  const most = Math.max(...sums, 0) || 1
  const ticks = [0, most / 2, most]
  const left = leftOf(ticks.map(props.format))
  const step = (width - left - PAD.right) / Math.max(props.bars.length, 6)
  const y = (value: number) => H - PAD.bottom - (value / most) * (H - PAD.bottom - PAD.top)
  return (
    <figure className="stack" ref={ref}>
      <svg className="chart" viewBox={`0 0 ${width} ${H}`} height={H} role="img" aria-labelledby={id}>
        <title id={id}>
          {`${props.label}: ${props.bars.map(({ name }, i) => `${name} ${props.format(sums[i]!)}`).join(', ')}`}
        </title>
        <Grid ticks={ticks} y={y} left={left} right={width - PAD.right} format={props.format} />
        {props.bars.map(({ name, parts }, i) => {
          const at = left + i * step
          let below = 0
          return (
            <g key={name}>
              {parts.map((part, k) => {
                const top = y(below + part)
                const height = y(below) - top
                below += part
                const named = props.parts[k] ?? String(k)
                return (
                  <rect
                    key={named}
                    className={`fill-${k + 1}`}
                    x={at + step * 0.15}
                    width={Math.min(step * 0.7, 64)}
                    y={top}
                    height={Math.max(height, 0)}
                  />
                )
              })}
              <text x={at + step * 0.15 + Math.min(step * 0.7, 64) / 2} y={H - 4} textAnchor="middle">
                {name}
              </text>
            </g>
          )
        })}
      </svg>
      <figcaption>
        <Legend names={props.parts} />
      </figcaption>
    </figure>
  )
}

export interface Share {
  name: string
  value: number
  shown: string
  tone?: number
}

/** Horizontal bars, each with its value. */
export function Lengths({ rows, label }: { rows: readonly Share[]; label: string }) {
  const most = Math.max(...rows.map(({ value }) => value), 0) || 1
  return (
    <ul className="lines" aria-label={label}>
      {rows.map(({ name, value, shown, tone = 1 }) => (
        <li key={name} className="line-row">
          <span className="break">{name}</span>
          <span className="track" aria-hidden="true">
            <span className={`fill-${tone}`} style={{ width: `${Math.max(0, (value / most) * 100)}%` }} />
          </span>
          <span className="num right">{shown}</span>
        </li>
      ))}
    </ul>
  )
}
