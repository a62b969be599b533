import type { Clock } from '@pit/platform/clock'
import { type Rpc, RpcUnreachable } from '@pit/platform/rpc'

/** How long an unanswered transaction counts if nothing was sent since. */
const REMEMBERED_MS = 60_000
/** Often enough to keep a connection warm for the next transaction; health runs every second. */
const PING_EVERY_MS = 2_000

/** The sequencer's client and its health: by the last submission, and by a call now. */
export function watchSequencer(rpc: Rpc, clock: Clock): Rpc & { check(): Promise<void> } {
  let lostAtMs = Number.NEGATIVE_INFINITY
  let ping: { atMs: number; answer: Promise<void> } | null = null

  async function request<T>(...call: Parameters<Rpc['request']>): Promise<T> {
    const isSend = call[0] === 'eth_sendRawTransaction'
    try {
      const answer = await rpc.request<T>(...call)
      if (isSend) lostAtMs = Number.NEGATIVE_INFINITY
      return answer
    } catch (error) {
      // A rejection is a response.
      if (isSend) lostAtMs = error instanceof RpcUnreachable ? clock.nowMs() : Number.NEGATIVE_INFINITY
      throw error
    }
  }

  const answerNow = (): Promise<void> =>
    rpc.request('eth_chainId').then(
      () => {},
      (error: unknown) => {
        // A sequencer supports one method and rejects others.
        if (error instanceof RpcUnreachable) throw error
      },
    )

  return {
    ...rpc,
    request,
    async check() {
      if (ping === null || clock.nowMs() - ping.atMs >= PING_EVERY_MS) {
        ping = { atMs: clock.nowMs(), answer: answerNow() }
      }
      await ping.answer
      const agoMs = clock.nowMs() - lostAtMs
      if (agoMs < REMEMBERED_MS) {
        throw new Error(`no response to a transaction ${Math.round(agoMs / 1000)} s ago`)
      }
    },
  }
}
