import type { Answer } from '@pit/protocol'
import { Badge, bps, Empty, shortUsd, signedPct, usd } from '@pit/ui'
import { Sparkline } from '@pit/ui/charts'
import { changeOf, DAY_S, type MarketRow, spanText } from '../data/history.ts'
import { Link } from '../router.tsx'

type Asset = NonNullable<Answer<'stats'>['assets']>[number]

export const ASSET_NAMES: Readonly<Record<string, string>> = {
  ETH: 'Ether',
  WETH: 'Wrapped ether',
  USDG: 'Global dollar',
  cbBTC: 'Wrapped bitcoin',
  PARTNER: 'Partner token',
  NVDA: 'NVIDIA stock token',
  SPY: 'S&P 500 fund token',
}

export const isAssetNamed = ({ symbol }: Asset, text: string): boolean =>
  `${symbol} ${ASSET_NAMES[symbol] ?? ''}`.toLowerCase().includes(text.trim().toLowerCase())

/** One line for each asset, also on a phone. */
export function AssetList(props: {
  assets: readonly Asset[]
  history: ReadonlyMap<string, MarketRow>
  empty: string
}) {
  if (props.assets.length === 0) return <Empty title={props.empty} />
  return (
    <table className="assets">
      <caption className="hidden-text">Assets with price, change, volume and spread</caption>
      <thead>
        <tr>
          <th scope="col">Asset</th>
          <th scope="col" className="right">
            Price
          </th>
          <th scope="col" className="right">
            24 h change
          </th>
          <th scope="col" className="right wide">
            24 h volume
          </th>
          <th scope="col" className="right wide">
            Spread
          </th>
          <th scope="col" className="spark-cell">
            Last 24 h
          </th>
          <th scope="col" className="wide">
            <span className="hidden-text">Trade</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.assets.map((asset) => (
          <Row key={asset.symbol} asset={asset} history={props.history.get(asset.symbol)} />
        ))}
      </tbody>
    </table>
  )
}

function Row({ asset, history }: { asset: Asset; history: MarketRow | undefined }) {
  const { symbol, mark, spread_bps } = asset
  const { pct: change, overS } = changeOf(history)
  return (
    <tr>
      <th scope="row">
        <span className="row">
          <Link href={`/tokens/${symbol}`}>{symbol}</Link>
          <AssetState asset={asset} />
        </span>
        <span className="small faint asset-name">{ASSET_NAMES[symbol] ?? ''}</span>
      </th>
      <td className="right num price-cell">{usd(mark)}</td>
      <td className={`right num change-cell ${toneOf(change)}`}>
        {signedPct(change)}
        {overS < DAY_S && <span className="small faint asset-name">{spanText(overS)}</span>}
      </td>
      <td className="right num wide">{shortUsd(history?.volume_24h_usd)}</td>
      <td className="right num wide">{bps(spread_bps)}</td>
      <td className="spark-cell">
        <Sparkline
          points={(history?.spark ?? []).map(([atS, value]) => ({ atMs: atS * 1_000, value }))}
          label={`${symbol} in the last 24 hours: ${signedPct(change)}`}
        />
      </td>
      <td className="right wide">
        <Link className="button tight" href={`/trade?out=${symbol}`} aria-label={`Trade ${symbol}`}>
          Trade
        </Link>
      </td>
    </tr>
  )
}

export const toneOf = (change: number | null | undefined): string =>
  change === null || change === undefined || change === 0 ? '' : change > 0 ? 'up-text' : 'down-text'

/** Nothing for an asset whose price is fresh. */
export function AssetState({ asset: { stale, kind, mark } }: { asset: Asset }) {
  if (mark === null) return <Badge tone="down">No price</Badge>
  if (!stale) return null
  return <Badge tone="warn">{kind === 'stock' ? 'Market closed' : 'Old price'}</Badge>
}
