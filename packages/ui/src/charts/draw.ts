import {
  AreaSeries,
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  createSeriesMarkers,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineSeries,
  type LineWidth,
  type LogicalRange,
  type SeriesMarker,
  type SeriesType,
  type UTCTimestamp,
} from 'lightweight-charts'
import { BandSeries } from './band.ts'
import { timeRange } from './timeRange.ts'
import type { Candle, EquityChartProps, Fill, Marker } from './types.ts'

/** The only file that loads the chart library; imported lazily. */

export interface Plot {
  /** Shows the crosshair at a time, or hides it. */
  point(at: { timeS: number; value: number } | null): void
  /** The shown part of the time axis. */
  view(): View | null
  show(view: View): void
  remove(): void
}
export type View = LogicalRange

interface Mount {
  element: HTMLElement
  /** The time under the pointer, in seconds. */
  onPoint(timeS: number | null): void
}

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()
const faded = (name: string): string => `${colour(name)}2e`

const isStill = (): boolean => window.matchMedia('(prefers-reduced-motion: reduce)').matches

function open({ element, onPoint }: Mount, format: (value: number) => string): IChartApi {
  const chart = createChart(element, {
    autoSize: true,
    layout: {
      // The link to the library's makers is in the page: this option would need an inline style sheet.
      attributionLogo: false,
      background: { type: ColorType.Solid, color: 'transparent' },
      textColor: colour('ink-faint'),
      fontFamily: getComputedStyle(document.body).fontFamily,
      fontSize: 11,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: colour('line') } },
    crosshair: {
      mode: CrosshairMode.Magnet,
      vertLine: { color: colour('line-strong'), labelBackgroundColor: colour('ink-soft') },
      horzLine: { color: colour('line-strong'), labelBackgroundColor: colour('ink-soft') },
    },
    localization: { priceFormatter: format, locale: 'en-GB' },
    rightPriceScale: { borderVisible: false, entireTextOnly: true },
    timeScale: {
      borderColor: colour('line'),
      timeVisible: true,
      secondsVisible: false,
    },
    // The wheel scrolls the page; drag and pinch move the chart.
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
    kineticScroll: { mouse: false, touch: !isStill() },
  })
  chart.subscribeCrosshairMove(({ time, point }) =>
    onPoint(time === undefined || point === undefined ? null : Number(time)),
  )
  return chart
}

/** Charts that show a part chosen by the visitor: another width must not undo it. */
const moved = new WeakSet<IChartApi>()

/** Fits all bars, again after every resize; the width is known only after the first one. */
function fitUntilMoved(chart: IChartApi, bars: number, maxBarPx?: number): void {
  const scale = chart.timeScale()
  const fit = () => {
    if (!moved.has(chart)) scale.setVisibleLogicalRange(timeRange(bars, scale.width(), maxBarPx))
  }
  chart.chartElement().addEventListener('pointerdown', () => moved.add(chart))
  scale.subscribeSizeChange(fit)
  fit()
}

const plotOf = (chart: IChartApi, series: ISeriesApi<SeriesType>): Plot => ({
  point: (at) => {
    if (at === null) chart.clearCrosshairPosition()
    else chart.setCrosshairPosition(at.value, at.timeS as UTCTimestamp, series)
  },
  view: () => chart.timeScale().getVisibleLogicalRange(),
  show: (view) => {
    moved.add(chart)
    chart.timeScale().setVisibleLogicalRange(view)
  },
  remove: () => chart.remove(),
})

const MAX_CANDLE_PX = 16

export function drawCandles(
  mount: Mount,
  candles: readonly Candle[],
  fills: readonly Fill[],
  format: (value: number) => string,
): Plot {
  const chart = open(mount, format)
  const [up, down] = [colour('up'), colour('down')]
  const prices = chart.addSeries(CandlestickSeries, {
    ...{ upColor: up, borderUpColor: up, wickUpColor: up },
    ...{ downColor: down, borderDownColor: down, wickDownColor: down },
  })
  prices.setData(
    candles.map(([startS, open, high, low, close]) => ({
      ...{ time: startS as UTCTimestamp, open, high, low, close },
    })),
  )
  if (candles.some(([, , , , , volume]) => (volume ?? 0) > 0)) addVolume(chart, candles)
  if (fills.length > 0)
    createSeriesMarkers(
      prices,
      byTime(
        withRoom(candles, fills).map(
          ({ atS, side, text }): SeriesMarker<UTCTimestamp> => ({
            time: startOf(candles, atS) as UTCTimestamp,
            position: side === 'buy' ? 'belowBar' : 'aboveBar',
            shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
            color: side === 'buy' ? up : down,
            ...(text !== undefined && { text }),
          }),
        ),
      ),
    )
  // A few candles stay candles.
  chart.timeScale().applyOptions({ maxBarSpacing: MAX_CANDLE_PX })
  fitUntilMoved(chart, candles.length, MAX_CANDLE_PX)
  return plotOf(chart, prices)
}

function addVolume(chart: IChartApi, candles: readonly Candle[]): void {
  const volumes = chart.addSeries(HistogramSeries, {
    ...{ priceScaleId: 'volume', lastValueVisible: false, priceLineVisible: false },
  })
  chart.priceScale('volume').applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } })
  chart.priceScale('right').applyOptions({ scaleMargins: { top: 0.06, bottom: 0.2 } })
  volumes.setData(
    candles.map(([startS, open, , , close, volume]) => ({
      time: startS as UTCTimestamp,
      value: volume ?? 0,
      color: faded(close >= open ? 'up' : 'down'),
    })),
  )
}

/** Candles between two labels that do not cover each other. */
const LABEL_CANDLES = 6

/** Fills with a label only where none of the same side is near. */
function withRoom(candles: readonly Candle[], fills: readonly Fill[]): Fill[] {
  const lengthS = candles.length > 1 ? candles[1]![0] - candles[0]![0] : 60
  return fills.map((fill) => {
    const isCrowded = fills.some(
      (other) =>
        other !== fill &&
        other.side === fill.side &&
        Math.abs(other.atS - fill.atS) < LABEL_CANDLES * lengthS,
    )
    return isCrowded ? { atS: fill.atS, side: fill.side } : fill
  })
}

const startOf = (candles: readonly Candle[], atS: number): number => {
  let start = candles[0]?.[0] ?? atS
  for (const [startS] of candles) if (startS <= atS) start = startS
  return start
}

const byTime = (markers: SeriesMarker<UTCTimestamp>[]): SeriesMarker<UTCTimestamp>[] =>
  markers.sort((a, b) => a.time - b.time)

const MAX_STEPS = 600

export function drawLines(
  mount: Mount,
  {
    series,
    band = [],
    markers = [],
    format,
  }: Pick<EquityChartProps, 'series' | 'band' | 'markers' | 'format'>,
): Plot {
  const chart = open(mount, format)
  const times = series.flatMap(({ points }) => points.map(({ atMs }) => Math.floor(atMs / 1_000)))
  const [first, last] = [Math.min(...times), Math.max(...times)]
  // The library spaces points evenly; a grid of times keeps the axis true to time.
  const stepS = Math.max(1, Math.ceil((last - first) / MAX_STEPS))
  const snap = (atMs: number) => (first + Math.round((atMs / 1_000 - first) / stepS) * stepS) as UTCTimestamp
  const grid = Array.from({ length: Math.floor((last - first) / stepS) + 1 }, (_, i) => first + i * stepS)
  const shown = new Set(grid)
  const onGrid = <T extends { atMs: number }, Row>(points: readonly T[], row: (point: T) => Row) => {
    const rows = new Map<number, Row>(points.map((point) => [snap(point.atMs), row(point)]))
    for (const timeS of rows.keys()) shown.add(timeS)
    return [...new Set([...grid, ...rows.keys()])]
      .sort((a, b) => a - b)
      .map((timeS) => ({ time: timeS as UTCTimestamp, ...rows.get(timeS) }))
  }
  // A phone is narrower than half a pixel a step.
  chart.timeScale().applyOptions({ secondsVisible: last - first < 3_600, minBarSpacing: 0.1 })
  if (band.length > 1) {
    const drawn = chart.addCustomSeries(new BandSeries(), {
      ...{ color: faded('down'), lastValueVisible: false, priceLineVisible: false },
    })
    drawn.setData(onGrid(band, ({ low, high }) => ({ low, high })))
  }
  const drawn = series.map(({ points, isReference = false }, i) => {
    const look = {
      lineWidth: (isReference ? 1 : 2) as LineWidth,
      lineStyle: isReference ? 2 : 0,
      priceLineVisible: false,
    }
    const line = colour(`series-${(i % 5) + 1}`)
    const added =
      series.length === 1 && band.length === 0
        ? chart.addSeries(AreaSeries, {
            ...{ ...look, lineColor: line, topColor: `${line}33`, bottomColor: `${line}05` },
          })
        : chart.addSeries(LineSeries, { ...look, color: line })
    added.setData(onGrid(points, ({ value }) => ({ value })) as never)
    return added as ISeriesApi<SeriesType>
  })
  if (markers.length > 0)
    createSeriesMarkers(drawn[0]!, byTime(markers.map((one) => markerOf(one, snap))) as never)
  fitUntilMoved(chart, shown.size)
  return plotOf(chart, drawn[0]!)
}

const markerOf = (
  { atMs, text, tone = 'accent' }: Marker,
  snap: (atMs: number) => UTCTimestamp,
): SeriesMarker<UTCTimestamp> => ({
  time: snap(atMs),
  position: tone === 'down' ? 'aboveBar' : 'belowBar',
  shape: tone === 'up' ? 'arrowUp' : tone === 'down' ? 'arrowDown' : 'circle',
  color: colour(tone),
  ...(text !== undefined && { text }),
})
