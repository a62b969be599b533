import type { Metrics } from '@pit/platform/monitoring'
import { Counter, Histogram } from 'prom-client'

export interface TickMetrics {
  began(latenessMs: number): void
  ended(outcome: 'decision' | 'hold' | 'error' | 'lost', seconds: number): void
  held(code: string): void
  order(mode: 'paper' | 'live', outcome: 'filled' | 'relayed' | 'held' | 'failed'): void
}

/** Brains may write any code: malformed ones do not become a separate series. */
const CODE = /^[A-Z][A-Z0-9_]{1,40}$/

export function createTickMetrics({ registry }: Pick<Metrics, 'registry'>): TickMetrics {
  const registers = [registry]
  const lateness = new Histogram({
    name: 'pit_hosted_tick_lateness_seconds',
    help: 'Delay between the due time of a tick and its start.',
    buckets: [0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 30, 60, 300],
    registers,
  })
  const ticks = new Histogram({
    name: 'pit_hosted_tick_seconds',
    help: 'Duration of ticks, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
    registers,
  })
  const holds = new Counter({
    name: 'pit_hosted_holds_total',
    help: 'Held ticks and orders, by code.',
    labelNames: ['code'],
    registers,
  })
  const orders = new Counter({
    name: 'pit_hosted_orders_total',
    help: 'Started orders, by outcome.',
    labelNames: ['mode', 'outcome'],
    registers,
  })
  return {
    began: (latenessMs) => lateness.observe(Math.max(0, latenessMs) / 1_000),
    ended: (outcome, seconds) => ticks.observe({ outcome }, seconds),
    held: (code) => holds.inc({ code: CODE.test(code) ? code : 'OTHER' }),
    order: (mode, outcome) => orders.inc({ mode, outcome }),
  }
}
