import { wayOf } from './admin.ts'
import { type ClockDeps, clockCall } from './clockCalls.ts'
import type { CommitGate } from './commitGate.ts'
import type { ChainParts } from './openParts.ts'
import type { Chain } from './types.ts'

interface AdminDeps extends Pick<ClockDeps, 'mine' | 'setNext'> {
  parts: Pick<ChainParts, 'door' | 'engines' | 'head' | 'journal' | 'onMain' | 'record'>
  commit: CommitGate['commit']
}

/** Executes hardhat_ and evm_ calls. */
export function createAdminCalls({ parts, commit, mine, setNext }: AdminDeps): Chain['admin'] {
  const { door, engines, head, journal, onMain, record } = parts
  const logged = <T>(method: string, params: unknown[]): Promise<T> =>
    onMain(() =>
      commit(async () => {
        const result = await engines.main().request<T>(method, params)
        record({ kind: 'admin', method, params })
        head.markChanged()
        return result
      }),
    )
  const addOffset = (seconds: bigint) =>
    onMain(async () => {
      const timeOffsetS = BigInt(journal.settings().timeOffsetS) + seconds
      record({ kind: 'clock', timeOffsetS: timeOffsetS.toString() })
      return timeOffsetS
    })
  const clock: ClockDeps = { head: head.current, mine, setNext, addOffset }
  return async <T>(method: string, params: unknown[] = []): Promise<T> => {
    const way = wayOf(method)
    if (way === 'logged') return logged<T>(method, params)
    if (way === 'clock') return (await clockCall(clock, method, params)) as T
    return door.pass(() => engines.main().request<T>(method, params))
  }
}
