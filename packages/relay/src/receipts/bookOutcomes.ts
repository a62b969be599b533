import { isStoreUnavailable, type Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import { DAY_S } from '@pit/protocol'
import type { BookedFee, FollowedRow, Outcome } from './types.ts'

const WEEK_S = 7 * DAY_S
/** The first Monday 00:00 UTC after the epoch. */
const FIRST_MONDAY_S = 4 * DAY_S

/** Monday 00:00 UTC of the week of a time. */
export const weekStartOf = (timeS: number): number =>
  timeS - ((((timeS - FIRST_MONDAY_S) % WEEK_S) + WEEK_S) % WEEK_S)

/** The fee of a refused or reverted swap may have paid for another one since. */
const KEPT_FEE_TX = `case when t.fee_tx_hash is not null and exists (
    select 1 from trades o where o.fee_tx_hash = t.fee_tx_hash and o.id <> t.id
      and (o.status in ('relaying', 'pending', 'mined') or (o.status = 'dropped' and not o.settled)))
  then null else t.fee_tx_hash end`

/**
 * Marks rows by their receipts and writes the fees and traded tokens in one statement: a fee is booked exactly
 * when its row is mined. A row has a block only if mined or reverted; a row whose block changed since it was
 * read is skipped. Returns the ids that were updated.
 */
export async function bookOutcomes(sql: Sql, outcomes: readonly Outcome[]): Promise<Set<number>> {
  if (outcomes.length === 0) return new Set()
  const fee = <K extends keyof BookedFee>(name: K) =>
    outcomes.map((outcome) => {
      const value = outcome.fee?.[name] ?? null
      return typeof value === 'bigint' ? value.toString() : value
    })
  const rows = await sql.query<{ id: number }>(
    `with given as (
       select * from unnest($1::int8[], $2::text[], $3::text[], $4::int8[], $5::text[], $6::int8[],
           $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::int4[], $13::text[],
           $14::text[], $15::int8[], $16::text[])
         as given (id, was_hash, status, block, block_hash, mined_at_s, amount_out, amount_out_kind,
           fee_token, fee_atoms, fee_side, fee_bps, fee_class, fee_recipient, week_start_s, gas_wei)),
     marked as (
       update trades t set status = given.status, code = null, block = given.block,
         block_hash = given.block_hash, mined_at_s = given.mined_at_s, gas_wei = given.gas_wei::numeric,
         amount_out = given.amount_out::numeric,
         amount_out_kind = given.amount_out_kind, volume_micro_usd = null, settled = false,
         fee_tx_hash = ${KEPT_FEE_TX}
       from given
       where t.id = given.id and t.block_hash is not distinct from given.was_hash
       returning t.id, t.kind, t.wallet, t.token_in, t.token_out, t.status, t.tx_hash, given.block,
         given.mined_at_s, given.fee_token, given.fee_atoms, given.fee_side, given.fee_bps, given.fee_class,
         given.fee_recipient, given.week_start_s),
     traded as (
       insert into traded_tokens (wallet, token, last_id)
       select wallet, token, max(id) from marked cross join lateral unnest(array[token_in, token_out]) as token
       where kind = 'swap' and status = 'mined' and token is not null
       group by wallet, token order by wallet, token
       on conflict (wallet, token) do update set last_id = greatest(traded_tokens.last_id, excluded.last_id)),
     unbooked as (
       delete from fees using marked where fees.trade_id = marked.id and marked.fee_atoms is null),
     booked as (
       insert into fees (trade_id, token, atoms, side, bps, class, recipient, tx_hash, block, block_time_s,
         week_start_s)
       select id, fee_token, fee_atoms::numeric, fee_side, fee_bps, fee_class, fee_recipient, tx_hash, block,
         mined_at_s, week_start_s
       from marked where fee_atoms is not null
       on conflict (trade_id) do update set token = excluded.token, atoms = excluded.atoms,
         side = excluded.side,
         bps = excluded.bps, class = excluded.class, recipient = excluded.recipient, block = excluded.block,
         block_time_s = excluded.block_time_s, week_start_s = excluded.week_start_s)
     select id from marked`,
    [
      outcomes.map(({ row }) => row.id),
      outcomes.map(({ row }) => row.block_hash),
      outcomes.map(({ status }) => status),
      outcomes.map(({ block }) => block),
      outcomes.map(({ blockHash }) => blockHash),
      outcomes.map(({ minedAtS }) => minedAtS),
      outcomes.map(({ amountOut }) => amountOut?.toString() ?? null),
      outcomes.map(({ amountOutKind }) => amountOutKind),
      fee('token'),
      fee('atoms'),
      fee('side'),
      fee('bps'),
      fee('class'),
      fee('recipient'),
      outcomes.map(({ minedAtS }) => weekStartOf(minedAtS)),
      outcomes.map(({ gasWei }) => gasWei?.toString() ?? null),
    ],
    { prepared: true },
  )
  return new Set(rows.map(({ id }) => id))
}

/** Falls back to one by one if the batch fails: one bad row must not block the others. */
export async function bookEach(
  { db, logger }: { db: Sql; logger: Logger },
  outcomes: readonly Outcome[],
): Promise<{ booked: Set<number>; failed: Set<number> }> {
  const failed = new Set<number>()
  try {
    return { booked: await bookOutcomes(db, outcomes), failed }
  } catch (error) {
    if (outcomes.length === 0 || isStoreUnavailable(error)) throw error
  }
  const booked = new Set<number>()
  for (const outcome of outcomes) {
    try {
      for (const id of await bookOutcomes(db, [outcome])) booked.add(id)
    } catch (error) {
      if (isStoreUnavailable(error)) throw error
      failed.add(outcome.row.id)
      logger.error({ err: error, hash: outcome.row.tx_hash }, 'failed to book a receipt')
    }
  }
  return { booked, failed }
}

/** After a reorg: back to pending, with fee and volume undone, in one statement. */
export async function unbook(sql: Sql, rows: readonly FollowedRow[]): Promise<Set<number>> {
  if (rows.length === 0) return new Set()
  const undone = await sql.query<{ id: number }>(
    `with undone as (
       update trades t set status = 'pending', block = null, block_hash = null, mined_at_s = null,
         gas_wei = null,
         volume_micro_usd = null, settled = false, amount_out = amount_out_min,
         amount_out_kind = case when amount_out_min is null then null else 'minimum' end,
         fee_tx_hash = ${KEPT_FEE_TX}
       from unnest($1::int8[], $2::text[], $3::text[]) as given (id, was, hash)
       where t.id = given.id and t.status = given.was and t.block_hash is not distinct from given.hash
       returning t.id),
     unbooked as (delete from fees using undone where fees.trade_id = undone.id)
     select id from undone`,
    [rows.map(({ id }) => id), rows.map(({ status }) => status), rows.map(({ block_hash }) => block_hash)],
  )
  return new Set(undone.map(({ id }) => id))
}
