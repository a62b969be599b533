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

/** What the wallet granted, then what it was granted as an executor; of each what can trade first. */
export async function listSessions({ db, clock }: SessionDeps, wallet: Address): Promise<ListedSession[]> {
  const ask = { who: wallet, nowS: nowS(clock), max: MAX_LISTED }
  const sessions = (await Promise.all([sessionsOf(db, ask), sessionsFor(db, ask)])).flat()
  const ids = sessions.map(({ id }) => id)
  const used = await usedBy(db, ids, clock.nowMs())
  return sessions.map((session) => ({
    session,
    status: statusOf(session, nowS(clock)),
    used: used.get(session.id) ?? { trades: 0, dayMicroUsd: 0n },
  }))
}
