import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { FeeClass, FeeSide } from '@pit/protocol'

/** A trade that was relayed before, as it was written then. */
export interface RelayedTrade {
  tokenIn: Address
  tokenOut: Address
  minOut: bigint
  fee: { bps: number; class: FeeClass; tier: number; side: FeeSide; token: Address; recipient: Address }
}

interface Row {
  status: string
  token_in: Address
  token_out: Address
  amount_out_min: string
  fee_bps: number
  fee_class: FeeClass
  fee_tier: number
  fee_side: FeeSide
  fee_token: Address
  fee_recipient: Address
}

/** What became of bytes that were relayed before, here or in another process; null when they never were. */
export async function findRelayed(db: Sql, hash: Hex): Promise<'in_flight' | RelayedTrade | null> {
  const [row] = await db.query<Row>(
    `select status, token_in, token_out, amount_out_min, fee_bps, fee_class, fee_tier, fee_side, fee_token,
       fee_recipient
     from trades where tx_hash = $1 and kind = 'swap'`,
    [hash],
  )
  // Refused by the sequencer, or given up: the rules decide anew.
  if (!row || row.status === 'refused' || row.status === 'dropped') return null
  if (row.status === 'relaying') return 'in_flight'
  return {
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    minOut: BigInt(row.amount_out_min),
    fee: {
      bps: row.fee_bps,
      class: row.fee_class,
      tier: row.fee_tier,
      side: row.fee_side,
      token: row.fee_token,
      recipient: row.fee_recipient,
    },
  }
}
