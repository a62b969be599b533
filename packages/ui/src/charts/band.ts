import {
  type CustomData,
  type CustomSeriesOptions,
  customSeriesDefaultOptions,
  type ICustomSeriesPaneRenderer,
  type ICustomSeriesPaneView,
  type PaneRendererCustomData,
  type PriceToCoordinateConverter,
  type Time,
  type WhitespaceData,
} from 'lightweight-charts'

interface BandData extends CustomData<Time> {
  low: number
  high: number
}
type Target = Parameters<ICustomSeriesPaneRenderer['draw']>[0]

/** The area between two lines. */
export class BandSeries implements ICustomSeriesPaneView<Time, BandData, CustomSeriesOptions> {
  #data: PaneRendererCustomData<Time, BandData> | null = null
  #colour = ''

  renderer(): ICustomSeriesPaneRenderer {
    return { draw: (target, toY) => this.#draw(target, toY) }
  }

  update(data: PaneRendererCustomData<Time, BandData>, { color }: CustomSeriesOptions): void {
    this.#data = data
    this.#colour = color
  }

  priceValueBuilder({ low, high }: BandData): number[] {
    return [low, high, high]
  }

  isWhitespace(data: BandData | WhitespaceData<Time>): data is WhitespaceData<Time> {
    return !('high' in data)
  }

  defaultOptions(): CustomSeriesOptions {
    return customSeriesDefaultOptions
  }

  #draw(target: Target, toY: PriceToCoordinateConverter): void {
    const { bars = [], visibleRange } = this.#data ?? {}
    if (!visibleRange) return
    // Only these have coordinates of the current scale.
    const rows = bars
      .slice(visibleRange.from, visibleRange.to)
      .filter(({ originalData }) => !this.isWhitespace(originalData))
      .map(({ x, originalData: { low, high } }) => ({ x, low: toY(low) ?? 0, high: toY(high) ?? 0 }))
    // biome-ignore lint/correctness/useHookAtTopLevel: a canvas method, not a hook
    target.useMediaCoordinateSpace(({ context }) => {
      context.beginPath()
      for (const { x, high } of rows) context.lineTo(x, high)
      for (const { x, low } of rows.toReversed()) context.lineTo(x, low)
      context.closePath()
      context.fillStyle = this.#colour
      context.fill()
    })
  }
}
