import type { Hex } from '@pit/chain'
import { DAY_MS } from '@pit/protocol'
import type { RunDeps } from './deps.ts'

interface UsedLeaf {
  id: number
  tx_hash: Hex
  leaf_sequence: number
  session_id: string
}

/**
 * Names to the co-signer the transactions that used the leaves of signed orders: it reads them on the chain, and
 * exits are armed at once by what it counts. Best effort; its own job settles the rest.
 */
export async function settleLeaves(deps: RunDeps, agentIds: readonly string[]): Promise<void> {
  const { db, clock, signer, sessions, logger } = deps
  if (!signer || agentIds.length === 0) return
  const leaves = await db.query<UsedLeaf>(
    `select h.id, h.tx_hash, h.leaf_sequence, l.session_id from hosted_orders h
     join signed_orders o on o.agent_id = h.agent_id and o.id = h.signed_order_id
     join signed_lists l on l.agent_id = o.agent_id and l.hash = o.list_hash
     where h.agent_id = any($1::text[]) and h.signed_order_id is not null and h.status = 'filled'
       and h.received is null and h.leaf_sequence is not null and h.tx_hash is not null
       and l.session_id is not null and h.created_at_ms > $2`,
    [agentIds, clock.nowMs() - DAY_MS],
  )
  for (const { id, tx_hash, leaf_sequence, session_id } of leaves) {
    try {
      const session = await sessions.sessionOf(session_id)
      if (!session) continue
      const root_hash = session.rootHash
      const { state, received, settled_at } = await signer.settleLeaf({
        root_hash,
        sequence: leaf_sequence,
        tx_hash,
      })
      if (state !== 'used' || received === null) continue
      await db.query(
        `update hosted_orders set received = least($2::numeric, amount_out), settled_at_s = $3 where id = $1`,
        [id, received, settled_at],
      )
    } catch (error) {
      logger.warn({ err: error, tx: tx_hash }, 'failed to settle a leaf at the co-signer')
    }
  }
}
