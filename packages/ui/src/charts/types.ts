export interface Point {
  atMs: number
  value: number
}

/** As in `/history/candles/<symbol>/<interval>.json`. */
export type Candle = readonly [
  startS: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volumeUsd: number | null,
]

/** A mined trade of the visitor. */
export interface Fill {
  atS: number
  side: 'buy' | 'sell'
  /** Next to the arrow, for example `0.5 ETH`. */
  text?: string
}

export interface Line {
  name: string
  points: readonly Point[]
  /** Thin and dashed, for a comparison such as holding. */
  isReference?: boolean
}

/** Something that happened at a time, on the first line. */
export interface Marker {
  atMs: number
  text?: string
  tone?: 'up' | 'down' | 'warn' | 'accent'
}

export interface PriceChartProps {
  /** Name of the chart, for example `ETH in USD, 5-minute candles`. */
  label: string
  candles: readonly Candle[]
  fills?: readonly Fill[]
  format?(value: number): string
}

export interface EquityChartProps {
  label: string
  /** Up to five lines; one line alone is drawn as an area. */
  series: readonly Line[]
  /** Shaded between two values, for example from the equity to its peak. */
  band?: readonly { atMs: number; low: number; high: number }[]
  /** Name of the band in the legend. */
  bandName?: string
  markers?: readonly Marker[]
  format(value: number): string
}
