import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { SessionStatus } from '@pit/protocol'
import type { SessionDeps } from './deps.ts'
import { sessionsFor, sessionsOf, usedBy } from './store.ts'
import { type Session, statusOf, type Used } from './types.ts'

const MAX_LISTED = 200

export interface ListedSession {
  session: Session
  status: SessionStatus
  used: Used
}

export interface ListedSessions {
  /** Granted by the wallet. */
  granted: ListedSession[]
  /** Granted to it as an executor, by other wallets. */
  asExecutor: ListedSession[]
}

/** Tradable sessions come first in each list. */
export async function listSessions({ db, clock }: SessionDeps, wallet: Address): Promise<ListedSessions> {
  const request = { who: wallet, nowS: nowS(clock), max: MAX_LISTED }
  const [granted, asExecutor] = await Promise.all([sessionsOf(db, request), sessionsFor(db, request)])
  const ids = [...granted, ...asExecutor].map(({ id }) => id)
  const used = await usedBy(db, ids, clock.nowMs())
  const listed = (session: Session): ListedSession => ({
    session,
    status: statusOf(session, nowS(clock)),
    used: used.get(session.id) ?? { trades: 0, dayMicroUsd: 0n },
  })
  return { granted: granted.map(listed), asExecutor: asExecutor.map(listed) }
}
