import type { Answer } from '@pit/protocol'
import { Card, Loading, Tabs } from '@pit/ui'
import { PriceChart } from '@pit/ui/charts'
import { useState } from 'react'
import { fillsOf } from '../data/agentLog.ts'
import { useRead } from '../data/api.ts'
import { INTERVALS, type Interval, useCandles } from '../data/history.ts'
import { INTERVAL_WORDS } from './TokenMarket.tsx'

type AgentDetail = Answer<'hosted.get'>

const MAX_LABELS = 12
const INTERVAL_TABS = INTERVALS.map((id) => ({ id, label: INTERVAL_WORDS[id] }))

/** The agent's trades on the price of a pair's token. */
export function AgentFills({ agent }: { agent: AgentDetail }) {
  const [pair, setPair] = useState(agent.pairs[0] ?? '')
  const [interval, setInterval] = useState<Interval>('1m')
  const query = { limit: 200, kinds: 'trade' }
  const logs = useRead('hosted.logs', { params: { id: agent.id }, query }, { everyMs: 10_000 })
  const base = pair.split('/')[0]!
  const symbol = agent.tokens.find(({ token }) => token === base)?.symbol ?? base
  const candles = useCandles(symbol, interval)
  const rows = candles.data ?? (candles.error ? [] : undefined)
  const trades = fillsOf(logs.data?.rows ?? [], pair)
  // Many labels would cover the price.
  const fills = trades.length > MAX_LABELS ? trades.map(({ atS, side }) => ({ atS, side })) : trades
  return (
    <Card
      title="Trades on the price"
      source="server"
      actions={
        <>
          {agent.pairs.length > 1 && (
            <select
              className="inline"
              aria-label="Pair"
              value={pair}
              onChange={({ target }) => setPair(target.value)}
            >
              {agent.pairs.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
          <Tabs
            look="segments"
            label="Candle length"
            tabs={INTERVAL_TABS}
            chosen={interval}
            onChoose={(id) => setInterval(id as Interval)}
          />
        </>
      }
    >
      {rows === undefined ? (
        <div className="plot-place">
          <Loading />
        </div>
      ) : rows.length === 0 ? (
        <p className="plot-place faint">{`No prices of ${symbol.slice(0, 16)} are stored yet.`}</p>
      ) : (
        <PriceChart
          label={`${symbol} in USD, candles of ${INTERVAL_WORDS[interval]}`}
          candles={rows}
          fills={fills}
        />
      )}
    </Card>
  )
}
