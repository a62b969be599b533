import { useCallback, useMemo } from 'react'
import { shortUsd, signedPct, stamp, usd } from '../format.ts'
import { PlotFrame } from './PlotFrame.tsx'
import { useStable, useStableFunction } from './stable.ts'
import type { PriceChartProps } from './types.ts'

const NO_FILLS = [] as const

/** Candles with volume and the visitor's own fills. */
export function PriceChart({ label, fills: allFills = NO_FILLS, ...props }: PriceChartProps) {
  const candles = useStable(props.candles)
  // The library would draw older ones at the first candle.
  const fills = useStable(allFills.filter(({ atS }) => atS >= (candles[0]?.[0] ?? 0)))
  const format = useStableFunction(props.format ?? usd)
  const readings = useMemo(
    () =>
      candles.map(([startS, open, high, low, close, volume]) => ({
        timeS: startS,
        value: close,
        text:
          `${stamp(startS)}  O ${format(open)}  H ${format(high)}  L ${format(low)}  C ${format(close)}` +
          `  ${signedPct(open === 0 ? null : (close / open - 1) * 100)}` +
          (volume ? `  Vol ${shortUsd(volume)}` : ''),
      })),
    [candles, format],
  )
  const draw = useCallback<Parameters<typeof PlotFrame>[0]['draw']>(
    (library, mount) => library.drawCandles(mount, candles, fills, format),
    [candles, fills, format],
  )
  if (candles.length === 0) return <p className="faint plot-place">Collecting data…</p>
  const [first, last] = [candles[0]!, candles.at(-1)!]
  const summary =
    `${label}, from ${stamp(first[0])} to ${stamp(last[0])}: ` +
    `lowest ${format(Math.min(...candles.map(([, , , low]) => low)))}, ` +
    `highest ${format(Math.max(...candles.map(([, , high]) => high)))}, last ${format(last[4])}` +
    (fills.length > 0 ? `, ${fills.length} own trades marked.` : '.')
  return <PlotFrame label={label} summary={summary} readings={readings} draw={draw} />
}
