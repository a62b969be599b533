import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { FollowedRow } from './types.ts'

const COLUMNS = `id, kind, wallet, status, token_in, token_out, amount_in, amount_out_min, tx_hash, signer,
  nonce, fee_bps, fee_class, fee_side, fee_token, fee_amount, fee_recipient, fee_apart, block, block_hash,
  session_id, created_at_ms`

/** Rows without a receipt after an id, oldest first. */
export const openRows = (sql: Sql, afterId: number, limit: number): Promise<FollowedRow[]> =>
  sql.query<FollowedRow>(
    `select ${COLUMNS} from trades
     where status in ('relaying', 'pending') and tx_hash is not null and id > $1 order by id limit $2`,
    [afterId, limit],
    { prepared: true },
  )

/** Mined before a time and not rechecked since. */
export const unsettledRows = (sql: Sql, minedBeforeS: number, limit: number): Promise<FollowedRow[]> =>
  sql.query<FollowedRow>(
    `select ${COLUMNS} from trades
     where status in ('mined', 'reverted') and not settled and mined_at_s <= $1 order by mined_at_s limit $2`,
    [minedBeforeS, limit],
  )

/** Dropped or refused, but may still be mined; in rounds of one page. */
export const givenUpRows = (sql: Sql, afterId: number, limit: number): Promise<FollowedRow[]> =>
  sql.query<FollowedRow>(
    `select ${COLUMNS} from trades
     where status in ('dropped', 'refused') and not settled and tx_hash is not null and id > $1
     order by id limit $2`,
    [afterId, limit],
  )

/** Known to the chain before they were marked. */
export async function markSeen(sql: Sql, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await sql.query(`update trades set status = 'pending' where id = any($1::int8[]) and status = 'relaying'`, [
    ids,
  ])
}

/** Final for callers, but still searched for until settled. Returns the ids that were updated. */
export async function markDropped(sql: Sql, rows: readonly FollowedRow[]): Promise<Set<number>> {
  if (rows.length === 0) return new Set()
  const dropped = await sql.query<{ id: number }>(
    `update trades t set status = 'dropped', amount_out = null, amount_out_kind = null
     from unnest($1::int8[], $2::text[]) as given (id, was)
     where t.id = given.id and t.status = given.was returning t.id`,
    [rows.map(({ id }) => id), rows.map(({ status }) => status)],
  )
  return new Set(dropped.map(({ id }) => id))
}

/** Marks rows as final. */
export async function markSettled(sql: Sql, rows: readonly FollowedRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `update trades t set settled = true
     from unnest($1::int8[], $2::text[], $3::text[]) as given (id, was, hash)
     where t.id = given.id and t.status = given.was and t.block_hash is not distinct from given.hash`,
    [rows.map(({ id }) => id), rows.map(({ status }) => status), rows.map(({ block_hash }) => block_hash)],
  )
}

/** Signed, refused by the sequencer, and searched for long enough. */
const SIGNED_REFUSED = `status = 'refused' and settled and tx_hash is not null`

/** Deletes all but the newest of these per wallet; a large backlog in steps. */
export async function trimSignedRefused(sql: Sql, wallets: readonly Address[], keep: number): Promise<void> {
  if (wallets.length === 0) return
  await sql.query(
    `delete from trades where id = any (array(
       select old.id from unnest($1::text[]) as given (wallet)
       cross join lateral (
         select id from trades where wallet between given.wallet and given.wallet and ${SIGNED_REFUSED}
         order by wallet, id desc offset $2 limit 2000) as old)) and ${SIGNED_REFUSED}`,
    [wallets, keep],
  )
}

/** Deletes a batch of these from before a time; returns how many. */
export async function deleteSignedRefused(sql: Sql, beforeMs: number, atOnce: number): Promise<number> {
  const deleted = await sql.query(
    `delete from trades where id = any (array(
       select id from trades where ${SIGNED_REFUSED} and created_at_ms < $1
       order by created_at_ms limit $2)) and ${SIGNED_REFUSED} returning 1`,
    [beforeMs, atOnce],
  )
  return deleted.length
}
