import type { Rpc, RpcAnswer, RpcCall } from './types.ts'

type Reads = Pick<Rpc, 'request' | 'batch'>
type Bound = { timeoutMs?: number }

interface Waiting {
  calls: readonly RpcCall[]
  bound: Bound
  isSingle: boolean
  resolve(answers: RpcAnswer[]): void
  reject(error: unknown): void
}

/** Within the batch limits of public nodes. */
const MAX_CALLS = 10

/**
 * Sends a batch and a single call of the same turn of the event loop as one request: a request costs more than
 * most calls in it. Two single calls are never joined, since a node runs them side by side.
 */
export function gatherReads(rpc: Reads): Reads {
  let waiting: Waiting[] = []
  let turn: NodeJS.Immediate | undefined

  function flush(): void {
    clearImmediate(turn)
    turn = undefined
    const gathered = waiting
    waiting = []
    if (gathered.length > 0) void send(gathered)
  }

  async function send(gathered: readonly Waiting[]): Promise<void> {
    const bounds = gathered.flatMap(({ bound }) => bound.timeoutMs ?? [])
    try {
      const answers = await rpc.batch(
        gathered.flatMap(({ calls }) => calls),
        bounds.length === gathered.length ? { timeoutMs: Math.max(...bounds) } : {},
      )
      let from = 0
      for (const { calls, resolve } of gathered) {
        resolve(answers.slice(from, from + calls.length))
        from += calls.length
      }
    } catch (error) {
      for (const { reject } of gathered) reject(error)
    }
  }

  function ask(calls: readonly RpcCall[], bound: Bound, isSingle: boolean): Promise<RpcAnswer[]> {
    const count = waiting.reduce((sum, one) => sum + one.calls.length, calls.length)
    if (count > MAX_CALLS || (isSingle && waiting.some((one) => one.isSingle))) flush()
    return new Promise((resolve, reject) => {
      waiting.push({ calls, bound, isSingle, resolve, reject })
      turn ??= setImmediate(flush)
    })
  }

  return {
    async request<T>(method: string, params: readonly unknown[] = [], bound: Bound = {}) {
      if (waiting.length === 0) return rpc.request<T>(method, params, bound)
      const [answer] = await ask([[method, params]], bound, true)
      if (!answer!.ok) throw answer!.error
      return answer!.result as T
    },
    batch: (calls, bound = {}) => (calls.length === 0 ? Promise.resolve([]) : ask(calls, bound, false)),
  }
}
