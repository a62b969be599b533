import type { Metrics } from '@pit/platform/monitoring'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { RelayOutcome } from './types.ts'

export interface RelayMetrics {
  outcome(kind: RelayOutcome['kind']): void
  /** Time from the row's insert to its booked receipt. */
  receiptAfter(seconds: number): void
  watchOpen(count: () => number): void
}

/** Counters of relaying. */
export function createRelayMetrics({ registry }: Pick<Metrics, 'registry'>): RelayMetrics {
  const registers = [registry]
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const byKind = {
    sent: counter('pit_relay_relayed_total', 'Transactions accepted by the sequencer.'),
    repeat: counter('pit_relay_repeats_total', 'Bytes that had been relayed before; nothing was sent.'),
    in_flight: counter('pit_relay_in_flight_total', 'Bytes another process was relaying; nothing was sent.'),
    rejected: counter('pit_relay_rejected_total', 'Transactions refused by the sequencer or before it.'),
    unreachable: counter(
      'pit_relay_unreachable_total',
      'Transactions without a response from the sequencer.',
    ),
  }
  const receipts = new Histogram({
    name: 'pit_relay_receipt_seconds',
    help: 'Time from a transaction’s insert to its booked receipt.',
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 120, 600, 3_600],
    registers,
  })
  return {
    outcome: (kind) => byKind[kind].inc(),
    receiptAfter: (seconds) => receipts.observe(seconds),
    watchOpen(count) {
      new Gauge({
        name: 'pit_relay_open_rows',
        help: 'Relayed transactions waiting for a receipt.',
        registers,
        collect() {
          this.set(count())
        },
      })
    },
  }
}
