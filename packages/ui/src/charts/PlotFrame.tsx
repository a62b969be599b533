import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useTheme } from '../theme.ts'
import type { Plot, View } from './draw.ts'

export type Draw = typeof import('./draw.ts')
export interface Reading {
  timeS: number
  /** Price of the crosshair. */
  value: number
  /** For the line above the chart and for screen readers. */
  text: string
}

interface FrameProps {
  label: string
  /** The chart in one sentence, for screen readers. */
  summary: string
  readings: readonly Reading[]
  legend?: ReactNode
  draw(library: Draw, mount: { element: HTMLElement; onPoint(timeS: number | null): void }): Plot
}

/**
 * A drawn chart with its values: under the pointer, and by keyboard through a slider over the times. The slider is a
 * native range input, which says each value aloud. Height is fixed, so that nothing moves when the chart arrives.
 */
export function PlotFrame({ label, summary, readings, legend, draw }: FrameProps) {
  const theme = useTheme()
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<Plot | null>(null)
  /** The part that the visitor moved to, kept when new data arrives. */
  const moved = useRef<{ label: string; view: View | null } | null>(null)
  const [at, setAt] = useState<number | null>(null)
  const [failure, setFailure] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read when the chart is drawn
  useEffect(() => {
    let isGone = false
    const element = place.current
    if (!element) return
    const onPoint = (timeS: number | null) => setAt(timeS === null ? null : indexAt(readings, timeS))
    import('./draw.ts').then(
      (library) => {
        if (isGone) return
        plot.current = draw(library, { element, onPoint })
        if (moved.current?.label === label && moved.current.view) plot.current.show(moved.current.view)
      },
      () => setFailure(true),
    )
    return () => {
      isGone = true
      if (moved.current?.label === label) moved.current.view = plot.current?.view() ?? null
      plot.current?.remove()
      plot.current = null
    }
  }, [draw, label, readings, theme])
  const shown = readings[at ?? readings.length - 1]
  const read = (index: number | null) => {
    setAt(index)
    const reading = index === null ? undefined : readings[index]
    plot.current?.point(reading ?? null)
  }
  return (
    <figure className="plot">
      <figcaption className="plot-head">
        <span className="hidden-text">{summary}</span>
        <span className="num plot-reading" aria-hidden="true">
          {shown?.text}
        </span>
        {legend}
      </figcaption>
      <div
        className="plot-area"
        ref={place}
        aria-hidden="true"
        onPointerDown={() => {
          moved.current = { label, view: null }
        }}
      >
        {failure && <p className="faint pad">The chart could not be loaded. Reload the page.</p>}
      </div>
      <input
        className="plot-slider"
        type="range"
        aria-label={`${label}: read values`}
        aria-valuetext={shown?.text}
        min={0}
        max={Math.max(0, readings.length - 1)}
        value={at ?? readings.length - 1}
        onChange={({ target }) => read(Number(target.value))}
        onBlur={() => read(null)}
      />
      <p className="plot-credit">
        <a href="https://www.tradingview.com/lightweight-charts/" target="_blank" rel="noreferrer">
          Charts by TradingView
        </a>
      </p>
    </figure>
  )
}

/** The last reading that is not after a time. */
function indexAt(readings: readonly Reading[], timeS: number): number {
  let [low, high] = [0, readings.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (readings[middle]!.timeS <= timeS) low = middle
    else high = middle - 1
  }
  return Math.max(0, low)
}
