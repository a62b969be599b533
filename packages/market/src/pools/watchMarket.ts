import type { Clock } from '@pit/platform/clock'
import type { Metrics } from '@pit/platform/metrics'
import { Gauge } from 'prom-client'
import type { Market } from './openMarket.ts'

/** How far the market's memory is behind the chain, and how much it holds. */
export function watchMarket(
  { registry }: Pick<Metrics, 'registry'>,
  { market, clock }: { market: Pick<Market, 'head' | 'poolCount' | 'unreadMarks'>; clock: Clock },
): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('pit_market_block', 'The last block applied.', () => market.head()?.number ?? 0)
  gauge('pit_market_block_age_seconds', 'How old the last applied block is.', () => {
    const head = market.head()
    return head ? Math.max(0, clock.nowMs() / 1000 - head.timestampS) : Number.POSITIVE_INFINITY
  })
  gauge('pit_market_pools', 'Pools and curves in memory.', market.poolCount)
  gauge('pit_market_marks_unread', 'Tokens whose mark cannot be read now.', market.unreadMarks)
}
