import { toHex } from './hex.ts'
import type { Call, Provider } from './provider.ts'
import type { Hex } from './types.ts'

/**
 * An engine that can be taken back to where it stood. The first request takes the snapshot along: a hop less.
 */
export function undoable(engine: Provider): { engine: Provider; undo(): Promise<boolean> } {
  let first: Promise<unknown> | undefined
  let snapshot: Hex | undefined

  async function batch(calls: readonly Call[]): Promise<unknown[]> {
    if (first) {
      await first
      return engine.batch(calls)
    }
    const asked = engine.batch([['evm_snapshot'], ...calls])
    first = asked.catch(() => undefined)
    const [taken, ...answers] = await asked
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
      // What failed with the snapshot did not tell its name: they are numbered, and it is the one before the
      // next.
      const next = await engine.request<Hex>('evm_snapshot')
      // Where there is none of that number none was taken, so nothing that came after it ran either.
      if (!(await revertTo(toHex(BigInt(next) - 1n)))) await revertTo(next)
      return true
    },
  }
}
