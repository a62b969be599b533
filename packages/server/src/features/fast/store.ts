import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** What became of bytes that were relayed before, here or in another process; null when they never were. */
export async function findRelayed(db: Sql, hash: Hex): Promise<'in_flight' | 'relayed' | null> {
  const [row] = await db.query<{ status: string }>('select status from trades where tx_hash = $1', [hash])
  // Refused by the sequencer, or given up: the rules decide anew.
  if (!row || row.status === 'refused' || row.status === 'dropped') return null
  return row.status === 'relaying' ? 'in_flight' : 'relayed'
}
