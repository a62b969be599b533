import type { Address } from '@pit/chain'
import { fail } from '@pit/protocol'
import type { SessionDeps } from '../deps.ts'
import { findSession } from '../store.ts'
import type { Session } from '../types.ts'

/** A session that this wallet granted; its executor may know it, and nothing more. */
export async function ownSession(
  { db }: Pick<SessionDeps, 'db'>,
  { sessionId, wallet }: { sessionId: string; wallet: Address },
): Promise<Session> {
  const session = await findSession(db, sessionId)
  if (!session || (session.wallet !== wallet && session.executor !== wallet))
    return fail('NO_SESSION', { field: 'session_id' })
  if (session.wallet !== wallet)
    fail('WALLET_MISMATCH', { message: 'Only the wallet that granted a session can end it or its orders.' })
  return session
}
