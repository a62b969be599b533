import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Hex } from '@pit/chain'
import { askMulticall, type ContractCall, readOne, refusalOf } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'

/** Results of many calls at one block, in order; null for a failed one. */
export type CallAll = (calls: readonly ContractCall[], block: number) => Promise<(Hex | null)[]>

/** Some four million gas, and a quarter of a megabyte each way. */
const PER_REQUEST = 400
const AT_ONCE = 4
const TIMEOUT_MS = 20_000
const MAX_WAITS = 6
const FIRST_WAIT_MS = 250
/** A request refused for its size is halved down to this many calls. */
const MIN_PER_REQUEST = 25

/** Many calls through Multicall3, a few requests at a time. */
export function createCallAll({ rpc, multicall3 }: { rpc: Rpc; multicall3: Address }): CallAll {
  async function askSome(calls: readonly ContractCall[], block: number): Promise<(Hex | null)[]> {
    for (let waits = 0; ; ) {
      try {
        return await readOne(rpc, askMulticall(multicall3, calls, { block }), { timeoutMs: TIMEOUT_MS })
      } catch (error) {
        const refusal = refusalOf(error)
        if (refusal === 'rate' && waits < MAX_WAITS) {
          await sleep(FIRST_WAIT_MS * 2 ** waits++)
          continue
        }
        const isLarge = refusal === 'size' || refusal === 'slow'
        if (!isLarge || calls.length <= MIN_PER_REQUEST) throw error
        const half = calls.length >> 1
        const first = await askSome(calls.slice(0, half), block)
        return [...first, ...(await askSome(calls.slice(half), block))]
      }
    }
  }

  return async (calls, block) => {
    const answers: (Hex | null)[] = new Array(calls.length)
    let next = 0
    async function lane(): Promise<void> {
      while (next < calls.length) {
        const at = next
        next += PER_REQUEST
        const some = await askSome(calls.slice(at, at + PER_REQUEST), block)
        for (const [i, answer] of some.entries()) answers[at + i] = answer
      }
    }
    // After one failure the other requests stop.
    const stop = () => {
      next = calls.length
    }
    await Promise.all(Array.from({ length: AT_ONCE }, () => lane().finally(stop)))
    return answers
  }
}
