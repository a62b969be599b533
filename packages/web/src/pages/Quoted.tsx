import type { Answer } from '@pit/protocol'
import { bps, Card, count, Facts, many, Notice, ServerText, Table, usd, words } from '@pit/ui'
import { Lengths } from '@pit/ui/charts'
import { useTokenFacts } from '../data/own.ts'
import { amountOf, type Facts as TokenMap } from '../data/tokens.ts'

type Quote = Answer<'live.quote'>
type Route = Quote['routes'][number]

/** The server's best price in one card; all routes folded below. The review has the verified figures. */
export function Quoted({ quote }: { quote: Quote }) {
  const facts = useTokenFacts([quote.token_in, quote.token_out])
  const refused = quote.policy.filter(({ ok, severity }) => !ok && severity === 'refuse')
  return (
    <>
      <Card title="Quote" source="server">
        {quote.best === null && <Notice tone="warn" title="No route for this trade." />}
        {refused.map(({ code, message }) => (
          <Notice key={code} tone="down" title={words(code)}>
            <ServerText text={message} />
          </Notice>
        ))}
        <Facts rows={summary(quote, facts)} />
      </Card>
      <Routes quote={quote} facts={facts} />
    </>
  )
}

/** All routes, compared by total cost against the reference mid. */
function Routes({ quote, facts }: { quote: Quote; facts: TokenMap }) {
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
          shown for comparison and never traded on. All figures are the server’s.
        </p>
      </div>
      <Table
        caption="Routes, best first"
        columns={[
          { head: 'Route', cell: (route: Route) => <span className="break">{nameOf(route)}</span> },
          {
            head: 'Receive',
            right: true,
            cell: ({ amount_out }) => amountOf(facts, amount_out, quote.token_out),
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

const summary = (quote: Quote, facts: TokenMap): [string, string][] => [
  ['You sell', amountOf(facts, quote.amount_in, quote.token_in)],
  ['You receive about', quote.best ? amountOf(facts, quote.best.amount_out, quote.token_out) : '–'],
  ['Price impact', impactText(quote.best?.vs_mid_bps)],
  ['Fee', `${quote.fee_bps} bps of the amount you ${quote.fee_side === 'input' ? 'sell' : 'receive'}`],
  ['Maximum slippage', bps(quote.slippage_bps)],
  ['Gas', usd(quote.best?.gas_usd)],
  ['Value', usd(quote.notional_usd)],
]

/** The API counts a worse price as negative. */
const impactText = (vsMidBps: number | null | undefined): string =>
  vsMidBps == null ? '–' : `${bps(Math.abs(vsMidBps))} ${vsMidBps >= 0 ? 'better' : 'worse'} than mid`
