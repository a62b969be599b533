import type { Answer } from '@pit/protocol'
import {
  bps,
  Card,
  Facts,
  Failure,
  Stat,
  Stats,
  shortUsd,
  signedPct,
  Tabs,
  usd,
  venueName,
  wholeUsd,
} from '@pit/ui'
import { PriceChart } from '@pit/ui/charts'
import { useState } from 'react'
import { useRead } from '../data/api.ts'
import { useFills } from '../data/fills.ts'
import {
  changeOf,
  DAY_S,
  INTERVALS,
  type Interval,
  spanText,
  useCandles,
  useMarketHistory,
} from '../data/history.ts'
import { AssetState, toneOf } from './AssetList.tsx'

export const INTERVAL_WORDS: Record<Interval, string> = {
  '1m': '1 min',
  '5m': '5 min',
  '1h': '1 h',
  '1d': '1 d',
}

const FEW_CANDLES = 12

type Asset = NonNullable<Answer<'stats'>['assets']>[number]

/** Price, chart and venues of a core token: everything here is public. */
export function TokenMarket({ symbol, address }: { symbol: string; address: string }) {
  const stats = useRead('stats', {}, { everyMs: 5_000 })
  const row = useMarketHistory().get(symbol)
  const asset = stats.data?.assets?.find((one) => one.symbol === symbol)
  const { pct: change, overS } = changeOf(row)
  return (
    <>
      <Stats>
        <Stat
          label="Price"
          value={usd(asset?.mark ?? row?.price)}
          note={asset ? <AssetState asset={asset} /> : undefined}
        />
        <Stat
          label="24 h change"
          value={<span className={toneOf(change)}>{signedPct(change)}</span>}
          note={overS < DAY_S ? spanText(overS) : undefined}
        />
        <Stat
          label="24 h range"
          value={<span className="long">{rangeText(row?.low_24h, row?.high_24h)}</span>}
        />
        <Stat label="24 h volume" value={shortUsd(row?.volume_24h_usd)} />
        <Stat
          label="Spread"
          value={bps(asset?.spread_bps)}
          note={stats.data?.prices ? `at ${wholeUsd(stats.data.prices.ref_size_usd)}` : undefined}
        />
      </Stats>
      <Candles symbol={symbol} address={address} />
      {asset && stats.data?.prices && <BestVenues asset={asset} sizeUsd={stats.data.prices.ref_size_usd} />}
    </>
  )
}

function rangeText(low: number | null = null, high: number | null = null): string {
  if (low === null || high === null) return '–'
  const say = high >= 1_000 ? wholeUsd : usd
  return `${say(low)} – ${say(high)}`
}

/** Price, change and spread in one line. */
export function PriceLine({ symbol }: { symbol: string }) {
  const stats = useRead('stats', {}, { everyMs: 5_000 })
  const { pct: change, overS } = changeOf(useMarketHistory().get(symbol))
  const asset = stats.data?.assets?.find((one) => one.symbol === symbol)
  return (
    <span className="num">
      {`${symbol} ${usd(asset?.mark)}, `}
      <span className={toneOf(change)}>{signedPct(change)}</span>
      {` ${spanText(overS)}, spread ${bps(asset?.spread_bps)}`}
    </span>
  )
}

/** Candles with the visitor's own fills. */
export function Candles({ symbol, address }: { symbol: string; address: string }) {
  const [chosen, setInterval] = useState<Interval | null>(null)
  const usual = useCandles(symbol, '5m')
  // A young chain has a candle or two of five minutes.
  const interval = chosen ?? ((usual.data?.length ?? FEW_CANDLES) < FEW_CANDLES ? '1m' : '5m')
  const candles = useCandles(symbol, interval)
  const fills = useFills(address)
  return (
    <Card
      title={`${symbol} price in USD`}
      source="server"
      actions={
        <Tabs
          label="Interval"
          look="segments"
          tabs={INTERVALS.map((id) => ({ id, label: INTERVAL_WORDS[id] }))}
          chosen={interval}
          onChoose={(id) => setInterval(id as Interval)}
        />
      }
    >
      {candles.error ? (
        <div className="plot-place">
          <Failure error={candles.error} onAgain={() => void candles.refetch()} />
        </div>
      ) : candles.data ? (
        <PriceChart
          label={`${symbol} in USD, candles of ${INTERVAL_WORDS[interval]}`}
          candles={candles.data}
          fills={fills}
        />
      ) : (
        <p className="faint plot-place">Loading prices…</p>
      )}
    </Card>
  )
}

function BestVenues({ asset, sizeUsd }: { asset: Asset; sizeUsd: number }) {
  const side = (best: Asset['buy']): string =>
    best === null
      ? 'no route'
      : `${usd(best.price)} at ${venueName(best.venue, best.fee)}, ${againstMark(best.vs_mark_bps)}`
  return (
    <Card title={`Best prices for ${wholeUsd(sizeUsd)}`}>
      <Facts
        rows={[
          ['Buy', side(asset.buy)],
          ['Sell', side(asset.sell)],
          ['Routes compared', asset.routes],
          ['Independent price', asset.mark_source === 'oracle_feed' ? 'from an oracle feed' : 'from a pool'],
        ]}
      />
    </Card>
  )
}

/** A cost against the mark: negative is better for the trader. */
export const againstMark = (value: number | null): string =>
  value === null ? 'no mark' : `${bps(Math.abs(value))} ${value < 0 ? 'better' : 'worse'} than mark`
