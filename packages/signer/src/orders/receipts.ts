import type { Hex, Receipt } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { SESSION } from '@pit/protocol'
import type { SignedReceipt } from '@pit/signer-wire'
import type { Cosigner } from '../keys/createCosigner.ts'

/** The content of a receipt before it is signed. */
export interface Statement extends Pick<Receipt, 'what' | 'session' | 'id' | 'before' | 'after'> {
  atMs: number
  /** Of an order's budget. */
  spent?: bigint
  outstanding: Outstanding
}
export interface Outstanding {
  amount: bigint
  /** When the last of it expires. */
  untilS: number
}
export const NOTHING_OUTSTANDING: Outstanding = { amount: 0n, untilS: 0 }

export async function confirm(
  cosigner: Pick<Cosigner, 'address' | 'confirm'>,
  { what, session, id, before, after, atMs, spent = 0n, outstanding }: Statement,
  challenge: Hex,
): Promise<SignedReceipt> {
  const at = Math.floor(atMs / 1000)
  const receipt: Receipt = {
    what,
    session,
    id,
    before,
    after,
    at,
    spent: spent.toString(),
    outstanding: outstanding.amount.toString(),
    until: Math.max(at, outstanding.untilS),
    challenge,
  }
  return { ...receipt, cosigner: cosigner.address, signature: await cosigner.confirm(receipt) }
}

/** Input of orders that was co-signed and may still be sent. */
export async function outstandingOf(
  sql: Sql,
  ids: readonly Hex[],
  nowMs: number,
): Promise<Map<Hex, Outstanding>> {
  const rows = await sql.query<{ id: Hex; amount: string; until: number }>(
    `select order_id as id, sum(amount_in)::text as amount, max(expires_at_s) as until from order_leaves
     where order_id = any($1::text[]) and state is null and expires_at_s * 1000 > $2 group by order_id`,
    [ids, nowMs],
  )
  return new Map(rows.map(({ id, amount, until }) => [id, { amount: BigInt(amount), untilS: until }]))
}

/** Micro-dollars of a session that were co-signed and may still be sent. */
export async function outstandingOfSession(sql: Sql, rootHash: Hex, nowMs: number): Promise<Outstanding> {
  const ttlMs = SESSION.leafTtlS * 1000
  const [row] = await sql.query<{ amount: string; until: number | null }>(
    `select coalesce(sum(c.micro_usd), 0)::text as amount,
       max(coalesce(l.expires_at_s, c.signed_at_ms / 1000 + $3)) as until
     from leaves c left join order_leaves l using (root_hash, sequence)
     where c.root_hash = $1 and c.signed_at_ms > $2 and l.state is null
       and coalesce(l.expires_at_s * 1000 > $4, true)`,
    [rootHash, nowMs - ttlMs, SESSION.leafTtlS, nowMs],
  )
  return { amount: BigInt(row!.amount), untilS: row!.until ?? 0 }
}
