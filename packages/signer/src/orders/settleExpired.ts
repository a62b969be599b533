import type { Hex } from '@pit/chain'
import { askHeader, needAll, PAGED, readOne } from '@pit/platform/reads'
import type { Session } from '../roots/readRoots.ts'
import { askUsed, isUsedIn, leafRoots } from './readRedeemed.ts'
import { type SettleDeps, settle } from './settleLeaf.ts'

const AT_ONCE = 200

interface ExpiredLeaf {
  root_hash: Hex
  sequence: number
  expires_at_s: number
}

/**
 * Settles leaves that can no longer be sent: at a block past their expiry the IdEnforcer says whether each
 * ran. A used one counts with its minimum, an unused one is released. Returns how many were settled.
 */
export async function settleExpired(deps: SettleDeps): Promise<number> {
  let settled = 0
  let last: ExpiredLeaf | undefined
  for (;;) {
    const rows = await expiredAfter(deps, last)
    settled += await settlePage(deps, rows)
    last = rows.at(-1)
    if (rows.length < AT_ONCE) return settled
  }
}

const expiredAfter = (
  { db, clock }: SettleDeps,
  { expires_at_s, root_hash, sequence }: ExpiredLeaf = { expires_at_s: 0, root_hash: '0x', sequence: 0 },
): Promise<ExpiredLeaf[]> =>
  db.query(
    `select root_hash, sequence, expires_at_s from order_leaves
     where state is null and expires_at_s <= $1 and (expires_at_s, root_hash, sequence) > ($2, $3, $4)
     order by expires_at_s, root_hash, sequence limit $5`,
    [Math.floor(clock.nowMs() / 1000), expires_at_s, root_hash, sequence, AT_ONCE],
  )

async function settlePage(deps: SettleDeps, rows: readonly ExpiredLeaf[]): Promise<number> {
  const { rpc, pins, sessions } = deps
  if (rows.length === 0) return 0
  const head = await readOne(rpc, askHeader('latest'))
  if (!head) throw new Error('the block itself cannot be read')
  const leaves: { session: Session; sequence: number; expiresS: number }[] = []
  for (const { root_hash, sequence, expires_at_s: expiresS } of rows) {
    if (expiresS >= head.timestampS) continue
    // One session that cannot be read does not stop the others.
    const session = await Promise.resolve(sessions.find(root_hash)).catch(() => null)
    if (session) leaves.push({ session, sequence, expiresS })
  }
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
