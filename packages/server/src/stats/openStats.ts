import type { Job } from '@pit/platform/jobs'
import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'
import { createStats, type StatsDeps } from './createStats.ts'

const MEASURE_EVERY_MS = 5_000
const IDLE_MS = 60_000

/** GET stats, and the latency measurements of node and sequencer in it. */
export function openStats({
  rpc,
  sequencer,
  ...deps
}: Omit<StatsDeps, 'latency'> & { rpc: Rpc; sequencer: Rpc }) {
  const toRpc = createLatency(rpc, 'eth_blockNumber')
  const toSequencer = createLatency(sequencer, 'eth_chainId')
  const measuring: Job[] = [
    { name: 'measure rpc', intervalMs: MEASURE_EVERY_MS, idleMs: IDLE_MS, run: toRpc.measure },
    { name: 'measure sequencer', intervalMs: MEASURE_EVERY_MS, idleMs: IDLE_MS, run: toSequencer.measure },
  ]
  return {
    read: createStats({ ...deps, latency: { rpc: toRpc.latest, sequencer: toSequencer.latest } }),
    jobs: { everywhere: measuring, worker: [] },
  }
}

/** Duration of a call when last measured; null while it does not answer. */
function createLatency(rpc: Rpc, method: string) {
  let latest: number | null = null
  return {
    latest: () => latest,
    async measure(): Promise<void> {
      const startedAt = performance.now()
      // A rejection is a response: a sequencer supports one method only.
      const answers = await rpc.request(method).then(
        () => true,
        (error) => !(error instanceof RpcUnreachable),
      )
      latest = answers ? Math.round((performance.now() - startedAt) * 100) / 100 : null
    },
  }
}
