import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { boundControls, type SessionStatus } from '@pit/protocol'
import { type ControlLevels, MAX_LEVELS } from '@pit/signer-wire'
import type { SessionDeps } from './deps.ts'
import { sessionsFor, sessionsOf, usedBy } from './store.ts'
import { type Session, statusOf, type Used } from './types.ts'

const MAX_LISTED = 200

export interface ListedSession {
  session: Session
  status: SessionStatus
  used: Used
  /** Of an active session with controls; null for others, and if the co-signer does not answer. */
  levels: ControlLevels | null
}

export interface ListedSessions {
  /** Granted by the wallet. */
  granted: ListedSession[]
  /** Granted to it as an executor, by other wallets. */
  asExecutor: ListedSession[]
}

/** Tradable sessions come first in each list. */
export async function listSessions(
  { db, clock, cosigner }: SessionDeps,
  wallet: Address,
): Promise<ListedSessions> {
  const request = { who: wallet, nowS: nowS(clock), max: MAX_LISTED }
  const [granted, asExecutor] = await Promise.all([sessionsOf(db, request), sessionsFor(db, request)])
  const all = [...granted, ...asExecutor]
  const controlled = all.filter((one) => isActive(one) && boundControls(one.binding))
  const [used, levels] = await Promise.all([
    usedBy(
      db,
      all.map(({ id }) => id),
      clock.nowMs(),
    ),
    cosigner.levels([...new Set(controlled.map(({ rootHash }) => rootHash))].slice(0, MAX_LEVELS)),
  ])
  const levelsOf = new Map(levels.map((one) => [one.root_hash, one]))
  const listed = (session: Session): ListedSession => ({
    session,
    status: statusOf(session, nowS(clock)),
    used: used.get(session.id) ?? { trades: 0, dayMicroUsd: 0n },
    levels: levelsOf.get(session.rootHash) ?? null,
  })
  return { granted: granted.map(listed), asExecutor: asExecutor.map(listed) }

  function isActive(session: Session): boolean {
    return statusOf(session, nowS(clock)) === 'active'
  }
}
