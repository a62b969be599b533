import { toHex } from './hex.ts'
import type { Call, Provider } from './provider.ts'
import type { Hex } from './types.ts'

/**
 * An engine that can be rewound. The first request includes the snapshot, which saves a hop, and `first`: calls that
 * are undone with it.
 */
export function undoable(
  engine: Provider,
  first: readonly Call[],
): { engine: Provider; undo(): Promise<boolean> } {
  let firstAnswer: Promise<unknown> | undefined
  let snapshot: Hex | undefined

  async function batch(calls: readonly Call[]): Promise<unknown[]> {
    if (firstAnswer) {
      await firstAnswer
      return engine.batch(calls)
    }
    const pending = engine.batch([['evm_snapshot'], ...first, ...calls])
    firstAnswer = pending.catch(() => undefined)
    const [taken, ...answers] = await pending
    snapshot = taken as Hex
    return answers.slice(first.length)
  }
  const revertTo = (id: Hex) => engine.request<boolean>('evm_revert', [id])

  return {
    engine: {
      batch,
      request: async <T>(method: string, params: unknown[] = []) => (await batch([[method, params]]))[0] as T,
      raw: async (json) => {
        if (!firstAnswer) await batch([])
        return engine.raw(json)
      },
    },
    async undo() {
      if (!firstAnswer) return true
      await firstAnswer
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
