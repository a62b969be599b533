import { type Answer, TRADE } from '@pit/protocol'
import { Button, bps, Card, Failure, Table, wholeUsd } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { call } from '../data/api.ts'

const SIZES_USD = [100, 1_000, 5_000, TRADE.maxNotionalUsd]

interface Measured {
  usd: number
  buy: number | null
  sell: number | null
}

/** Cost of trades of several sizes against the reference mid, by fresh quotes. */
export function PriceImpact({ token }: { token: string }) {
  const base = token === 'USDG' ? 'ETH' : 'USDG'
  const measuring = useMutation({
    mutationFn: async () => {
      const rows: Measured[] = []
      // One after the other: quotes have a rate limit.
      for (const usd of SIZES_USD)
        rows.push({ usd, buy: await costOf(base, token, usd), sell: await costOf(token, base, usd) })
      return rows
    },
  })
  return (
    <Card
      title="Price impact by size"
      source="server"
      actions={
        <Button tight busy={measuring.isPending} onClick={() => measuring.mutate()}>
          {measuring.data ? 'Measure again' : 'Measure'}
        </Button>
      }
    >
      {measuring.error && <Failure error={measuring.error} />}
      {measuring.data ? (
        <Table
          caption="Cost of a trade against the mid price, pool fees included"
          columns={[
            { head: 'Size', cell: ({ usd }: Measured) => wholeUsd(usd) },
            { head: 'Buy', right: true, cell: ({ buy }) => bps(buy) },
            { head: 'Sell', right: true, cell: ({ sell }) => bps(sell) },
          ]}
          rows={measuring.data}
          keyOf={({ usd }) => usd}
        />
      ) : (
        <p className="faint">{`Quotes ${SIZES_USD.map(wholeUsd).join(', ')} in both directions.`}</p>
      )}
      <p className="small faint">Against the mid price, pool fees included; without Pit’s fee and gas.</p>
    </Card>
  )
}

async function costOf(token_in: string, token_out: string, notional_usd: number): Promise<number | null> {
  const body = { token_in, token_out, notional_usd } as never
  const { best }: Answer<'live.quote'> = await call('live.quote', { body })
  // The API counts a worse price as negative.
  return best?.vs_mid_bps == null ? null : -best.vs_mid_bps
}
