import type { Hex } from '@pit/chain'
import { askHeader, needAll, PAGED, readOne } from '@pit/platform/reads'
import type { Session } from '../roots/readRoots.ts'
import { askUsed, isUsedIn, leafRoots } from './readRedeemed.ts'
import { type SettleDeps, settle } from './settleLeaf.ts'

const AT_ONCE = 200

/**
 * Settles leaves that can no longer be sent: at a block past their expiry the IdEnforcer says whether each
 * ran. A used one counts with its minimum, an unused one is released. Returns how many were settled.
 */
export async function settleExpired(deps: SettleDeps): Promise<number> {
  const { db, rpc, pins, sessions } = deps
  const head = await readOne(rpc, askHeader('latest'))
  if (!head) throw new Error('the block itself cannot be read')
  const rows = await db.query<{ root_hash: Hex; sequence: number; expires_at_s: number }>(
    `select root_hash, sequence, expires_at_s from order_leaves
     where state is null and expires_at_s < $1 order by expires_at_s limit $2`,
    [head.timestampS, AT_ONCE],
  )
  const leaves: { session: Session; sequence: number; expiresS: number }[] = []
  for (const row of rows) {
    // One session that cannot be read does not stop the others.
    const session = await Promise.resolve(sessions.find(row.root_hash)).catch(() => null)
    if (session) leaves.push({ session, sequence: row.sequence, expiresS: row.expires_at_s })
  }
  if (leaves.length === 0) return 0
  const questions = leaves.map(({ session, sequence }) =>
    askUsed(pins, { roots: leafRoots(session), sequence }, head.number),
  )
  const answers = await needAll(rpc, questions.flat(), PAGED)
  for (const [i, { session, sequence, expiresS }] of leaves.entries()) {
    const isUsed = isUsedIn(answers.splice(0, questions[i]!.length))
    await settle(
      deps,
      session,
      isUsed ? { sequence, state: 'used', received: null } : { sequence, state: 'unused', expiresS },
    )
  }
  return leaves.length
}
