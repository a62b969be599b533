import type { Address, Hex } from '@pit/chain'
import { askHeader, needAll, PAGED, readOne } from '@pit/platform/reads'
import type { Session } from '../roots/readRoots.ts'
import { askUsed, findRedemption, isUsedIn, leafRoots } from './readRedeemed.ts'
import { readRedemption, type SettleDeps, settle } from './settleLeaf.ts'

const AT_ONCE = 200

/** So long after its expiry a used leaf whose transaction could not be read counts with its minimum. */
const LAST_RESORT_S = 60

interface LeafKey {
  root_hash: Hex
  sequence: number
  expires_at_s: number
}
interface ExpiredLeaf extends LeafKey {
  token_out: Address
  first_signed_at_ms: number
}

/**
 * Settles leaves that can no longer be sent: at a block past their expiry the IdEnforcer says whether each
 * ran. A used one counts with what its transaction delivered, found by the manager's logs, else with its
 * minimum; an unused one is released. Returns how many were settled.
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
  { expires_at_s, root_hash, sequence }: LeafKey = { expires_at_s: 0, root_hash: '0x', sequence: 0 },
): Promise<ExpiredLeaf[]> =>
  db.query(
    `select root_hash, sequence, expires_at_s, token_out, first_signed_at_ms from order_leaves
     where state is null and expires_at_s <= $1 and (expires_at_s, root_hash, sequence) > ($2, $3, $4)
     order by expires_at_s, root_hash, sequence limit $5`,
    [Math.floor(clock.nowMs() / 1000), expires_at_s, root_hash, sequence, AT_ONCE],
  )

async function settlePage(deps: SettleDeps, rows: readonly ExpiredLeaf[]): Promise<number> {
  const { rpc, pins, sessions } = deps
  if (rows.length === 0) return 0
  const head = await readOne(rpc, askHeader('latest'))
  if (!head) throw new Error('the block itself cannot be read')
  const leaves: { session: Session; row: ExpiredLeaf }[] = []
  for (const row of rows) {
    if (row.expires_at_s >= head.timestampS) continue
    // One session that cannot be read does not stop the others.
    const session = await Promise.resolve(sessions.find(row.root_hash)).catch(() => null)
    if (session) leaves.push({ session, row })
  }
  const questions = leaves.map(({ session, row: { sequence } }) =>
    askUsed(pins, { roots: leafRoots(session), sequence }, head.number),
  )
  const answers = await needAll(rpc, questions.flat(), PAGED)
  let settled = 0
  for (const [i, { session, row }] of leaves.entries()) {
    const { sequence, expires_at_s: expiresS } = row
    const isUsed = isUsedIn(answers.splice(0, questions[i]!.length))
    if (!isUsed) await settle(deps, session, { sequence, state: 'unused', expiresS })
    else {
      const received = await readDelivered(deps, session, row)
      if (received === 'unread' && head.timestampS < expiresS + LAST_RESORT_S) continue
      await settle(deps, session, {
        sequence,
        state: 'used',
        received: received === 'unread' ? null : received,
      })
    }
    settled++
  }
  return settled
}

/** Amount that the wallet received by a used leaf; null if its transaction does not show it. */
async function readDelivered(
  deps: SettleDeps,
  session: Session,
  { sequence, token_out, first_signed_at_ms, expires_at_s }: ExpiredLeaf,
): Promise<bigint | null | 'unread'> {
  try {
    const life = { fromS: Math.floor(first_signed_at_ms / 1000), toS: expires_at_s }
    const txHash = await findRedemption(deps, session, { sequence, ...life })
    if (txHash === null) return 'unread'
    const reading = await readRedemption(deps, session, { sequence, tokenOut: token_out, txHash })
    return reading === 'open' ? 'unread' : reading.received
  } catch {
    return 'unread'
  }
}
