import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { SessionStatus } from '@pit/protocol'
import type { SessionDeps } from './deps.ts'
import { sessionsOf, usedBy } from './store.ts'
import { type Session, statusOf, type Used } from './types.ts'

const MAX_LISTED = 200

export interface ListedSession {
  session: Session
  status: SessionStatus
  used: Used
}

/** What the wallet granted, what can trade first. */
export async function listSessions({ db, clock }: SessionDeps, wallet: Address): Promise<ListedSession[]> {
  const sessions = await sessionsOf(db, { wallet, nowS: nowS(clock), max: MAX_LISTED })
  const ids = sessions.map(({ id }) => id)
  const used = await usedBy(db, ids, clock.nowMs())
  return sessions.map((session) => ({
    session,
    status: statusOf(session, nowS(clock)),
    used: used.get(session.id) ?? { trades: 0, dayMicroUsd: 0n },
  }))
}
