import { readRoot } from '@pit/chain'
import { DAY_S } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { type RootState, readRootStates } from '../own/roots.ts'
import type { SessionRecord } from '../records.ts'
import { hashing } from '../verify/grant.ts'

/**
 * A session this client signed, with its state on chain.
 * @public
 */
export interface RecordedSession extends SessionRecord {
  /** In the order of `roots`, by the client's own node. */
  states: readonly RootState[]
  /** `alive` while any root is. */
  state: RootState
}
export interface RecordedSessions {
  /** Newest first. */
  sessions: RecordedSession[]
  /** Keys of records that cannot be read: sessions behind them may be alive. */
  damaged: string[]
}

/**
 * Every session this client signed, with its state on chain by your own node, whatever the server lists.
 * @param options `signal`
 * @returns sessions, newest first, and the keys of damaged records
 * @example
 * ```ts
 * for (const { session_id, state } of (await client.recordedSessions()).sessions) console.log(session_id, state)
 * ```
 */
export async function recordedSessions(
  { records, rpc, pins, account, nowMs }: ClientDeps,
  { signal }: VerbOptions = {},
): Promise<RecordedSessions> {
  const { records: all, damaged } = await records.sessions()
  // Not read: records grow, and neither clock is a day off.
  const isOld = ({ binding }: SessionRecord) => binding.expires_at < nowMs() / 1000 - DAY_S
  const roots = all
    .filter((one) => !isOld(one))
    .flatMap((one) =>
      one.roots.map(({ hash, delegation }) => ({
        hash,
        expiresS: one.binding.expires_at,
        nonce: readRoot(hashing, pins.addresses, delegation)?.nonce ?? null,
      })),
    )
  const states = await readRootStates(rpc, pins, { wallet: account.address, roots }, signal)
  const sessions = all.map((one): RecordedSession => {
    const own = isOld(one) ? one.roots.map(() => 'expired' as const) : states.splice(0, one.roots.length)
    const state = own.find((each) => each === 'alive') ?? own[0]!
    return { ...one, states: own, state }
  })
  return { sessions, damaged }
}
