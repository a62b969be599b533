import type { Answer } from '@pit/protocol'
import { bps, Card, count, Facts, many, Notice, Table, usd, words } from '@pit/ui'
import { Lengths } from '@pit/ui/charts'
import { useRead } from '../data/api.ts'
import { amountOf, namesIn, type TokenNames } from '../data/tokens.ts'

type Quote = Answer<'live.quote'>
type Route = Quote['routes'][number]

/** The best price in one card; all routes folded below. */
export function Quoted({ quote, config }: { quote: Quote; config: Answer<'config'> }) {
  const names = namesIn(config, [...useNamed(quote.token_in, config), ...useNamed(quote.token_out, config)])
  const refused = quote.policy.filter(({ ok, severity }) => !ok && severity === 'refuse')
  return (
    <>
      <Card title="Quote">
        {quote.best === null && <Notice tone="warn" title="No route for this trade." />}
        {refused.map(({ code, message }) => (
          <Notice key={code} tone="down" title={words(code)}>
            {message}
          </Notice>
        ))}
        <Facts rows={summary(quote, names)} />
      </Card>
      <Routes quote={quote} names={names} />
    </>
  )
}

/** Symbol and decimals of a token that is not a core one. */
function useNamed(address: string, { tokens }: Answer<'config'>) {
  const isCore = Object.values(tokens).some((core) => core.address.toLowerCase() === address.toLowerCase())
  const { data } = useRead('tokens.get', { params: { address } }, { enabled: !isCore })
  return data ? [data] : []
}

/** All routes, compared by total cost against the reference mid. */
function Routes({ quote, names }: { quote: Quote; names: TokenNames }) {
  const quoted = quote.routes.filter(({ ok, amount_out }) => ok && amount_out !== null)
  const failed = quote.routes.length - quoted.length
  return (
    <details className="card">
      <summary>{`Routes: ${count(quote.candidates)} compared`}</summary>
      <div className="pad stack">
        <Lengths
          label="Total cost of each route against the mid, in bps"
          rows={quoted.slice(0, 8).map((route, i) => ({
            name: `${i + 1}. ${nameOf(route)}`,
            value: Math.max(0, route.total_bps ?? 0),
            shown: bps(route.total_bps),
            tone: isOurs(route) ? 1 : 3,
          }))}
        />
        <p className="small faint">
          Shorter is better: total cost of price, pool fees and gas against the reference mid. Aggregators are
          shown for comparison and never traded on.
        </p>
      </div>
      <Table
        caption="Routes, best first"
        columns={[
          { head: 'Route', cell: (route: Route) => <span className="break">{nameOf(route)}</span> },
          {
            head: 'Receive',
            right: true,
            cell: ({ amount_out }) => amountOf(names, amount_out, quote.token_out),
          },
          { head: 'Total cost', right: true, cell: ({ total_bps }) => bps(total_bps) },
        ]}
        rows={quoted.slice(0, 12)}
        keyOf={({ id }) => id}
        empty="No route for this trade."
      />
      {failed > 0 && <p className="pad small faint">{`${many(failed, 'route')} returned no quote.`}</p>}
    </details>
  )
}

const isOurs = ({ venue }: Route): boolean => !venue.startsWith('aggregator')
const nameOf = ({ label, venue }: Route): string =>
  venue.startsWith('aggregator') ? `${label} (comparison)` : label

const summary = (quote: Quote, names: TokenNames): [string, string][] => [
  ['You sell', amountOf(names, quote.amount_in, quote.token_in)],
  ['You receive about', quote.best ? amountOf(names, quote.best.amount_out, quote.token_out) : '–'],
  ['Price impact', impactText(quote.best?.vs_mid_bps)],
  ['Fee', `${quote.fee_bps} bps of the amount you ${quote.fee_side === 'input' ? 'sell' : 'receive'}`],
  ['Maximum slippage', bps(quote.slippage_bps)],
  ['Gas', usd(quote.best?.gas_usd)],
  ['Value', usd(quote.notional_usd)],
]

/** The API counts a worse price as negative. */
const impactText = (vsMidBps: number | null | undefined): string =>
  vsMidBps == null ? '–' : `${bps(Math.abs(vsMidBps))} ${vsMidBps >= 0 ? 'better' : 'worse'} than mid`
