import { Gauge } from 'prom-client'
import type { Metrics } from '../monitoring/metrics.ts'
import type { AddressHealth } from './types.ts'

/** Metrics of each RPC address. */
export function watchAddresses(
  { registry }: Pick<Metrics, 'registry'>,
  rpc: { addresses(): AddressHealth[]; hearsHeads?(): boolean },
): void {
  const gauge = (name: string, help: string, read: (health: AddressHealth) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['address'],
      registers: [registry],
      collect() {
        for (const health of rpc.addresses()) this.set({ address: health.name }, read(health))
      },
    })
  gauge('pit_rpc_up', '1 while the RPC address is healthy.', ({ state }) => (state === 'up' ? 1 : 0))
  gauge('pit_rpc_lag_blocks', 'Blocks behind the best address.', ({ lagBlocks }) => lagBlocks)
  gauge('pit_rpc_failed', 'Failed requests.', ({ failed }) => failed)
  gauge('pit_rpc_busy', 'Requests it rejected as rate limited.', ({ busy }) => busy)
  new Gauge({
    name: 'pit_rpc_hears_heads',
    help: '1 while a WebSocket reports new blocks.',
    registers: [registry],
    collect() {
      this.set(rpc.hearsHeads?.() ? 1 : 0)
    },
  })
}
