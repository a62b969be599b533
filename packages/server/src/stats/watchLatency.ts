import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'

const EVERY_MS = 5_000

/** How long a call takes, asked every few seconds; null while it does not answer. */
export function watchLatency(rpc: Rpc, method: string): { latest(): number | null; stop(): void } {
  let latest: number | null = null
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const probe = async () => {
    const startedAt = performance.now()
    try {
      await rpc.request(method)
      latest = performance.now() - startedAt
    } catch (error) {
      // A refusal is an answer: a sequencer takes one method only.
      latest = error instanceof RpcUnreachable ? null : performance.now() - startedAt
    }
    if (latest !== null) latest = Math.round(latest * 100) / 100
    if (!stopped) timer = setTimeout(probe, EVERY_MS)
  }
  timer = setTimeout(probe, 0)
  return {
    latest: () => latest,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}
