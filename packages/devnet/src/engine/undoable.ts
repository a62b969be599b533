import { toHex } from './hex.ts'
import type { Call, Provider } from './provider.ts'
import type { Hex } from './types.ts'

/** An engine that can be rewound. The first request includes the snapshot, which saves a hop. */
export function undoable(engine: Provider): { engine: Provider; undo(): Promise<boolean> } {
  let first: Promise<unknown> | undefined
  let snapshot: Hex | undefined

  async function batch(calls: readonly Call[]): Promise<unknown[]> {
    if (first) {
      await first
      return engine.batch(calls)
    }
    const pending = engine.batch([['evm_snapshot'], ...calls])
    first = pending.catch(() => undefined)
    const [taken, ...answers] = await pending
    snapshot = taken as Hex
    return answers
  }
  const revertTo = (id: Hex) => engine.request<boolean>('evm_revert', [id])

  return {
    engine: {
      batch,
      request: async <T>(method: string, params: unknown[] = []) => (await batch([[method, params]]))[0] as T,
      raw: async (json) => {
        if (!first) await batch([])
        return engine.raw(json)
      },
    },
    async undo() {
      if (!first) return true
      await first
      if (snapshot) return revertTo(snapshot)
      // A snapshot that failed with its request returned no id: ids are sequential, and it is the one before
      // the next.
      const next = await engine.request<Hex>('evm_snapshot')
      // If no snapshot has that id, none was taken, so nothing after it ran either.
      if (!(await revertTo(toHex(BigInt(next) - 1n)))) await revertTo(next)
      return true
    },
  }
}
