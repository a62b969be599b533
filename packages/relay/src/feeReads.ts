import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

/** Fee ledger queries for the treasury: a fee included in a treasury row has the row's number. */

/** When the oldest fee not in a treasury row was paid; null without one. */
export async function oldestFeeS(sql: Sql, recipient: Address): Promise<number | null> {
  const [oldest] = await sql.query<{ at_s: number | null }>(
    'select min(block_time_s) as at_s from fees where recipient = $1 and treasury_seq is null',
    [recipient],
  )
  return oldest?.at_s ?? null
}

/** Fees of a block in a token that are in no treasury row, by transaction. */
export async function feeTxsIn(
  sql: Sql,
  { recipient, token, block }: { recipient: Address; token: Address; block: number },
): Promise<Map<Hex, bigint>> {
  const rows = await sql.query<{ tx_hash: Hex; atoms: string }>(
    `select tx_hash, sum(atoms) as atoms from fees
     where recipient = $1 and treasury_seq is null and block = $2 and token = $3 group by tx_hash`,
    [recipient, block, token],
  )
  return new Map(rows.map(({ tx_hash, atoms }) => [tx_hash, BigInt(atoms)]))
}

/** Sums by token of fees in no treasury row, without some tokens, oldest first. */
export async function sumUntaken(
  sql: Sql,
  request: {
    recipient: Address
    fromBlock: number
    toBlock: number
    except: readonly Address[]
    limit: number
  },
): Promise<{ token: Address; atoms: bigint; trades: number }[]> {
  const rows = await sql.query<{ token: Address; atoms: string; trades: number }>(
    `select token, sum(atoms) as atoms, count(*)::int4 as trades from fees
     where recipient = $1 and treasury_seq is null and block between $2 and $3 and not (token = any($4))
     group by token order by min(block), token limit $5`,
    [request.recipient, request.fromBlock, request.toBlock, request.except, request.limit],
  )
  return rows.map(({ token, atoms, trades }) => ({ token, atoms: BigInt(atoms), trades }))
}

/** Fees of a token in treasury rows, for each of these block ranges in order. */
export async function sumTaken(
  sql: Sql,
  recipient: Address,
  ranges: readonly { token: Address; fromBlock: number; toBlock: number }[],
): Promise<bigint[]> {
  if (ranges.length === 0) return []
  const rows = await sql.query<{ atoms: string }>(
    `select coalesce((select sum(f.atoms) from fees f
         where f.recipient = $1 and f.token = given.token and f.treasury_seq is not null
           and f.block between given.from_block and given.to_block), 0) as atoms
     from unnest($2::text[], $3::int8[], $4::int8[]) with ordinality
       as given (token, from_block, to_block, place)
     order by place`,
    [
      recipient,
      ranges.map(({ token }) => token),
      ranges.map(({ fromBlock }) => fromBlock),
      ranges.map(({ toBlock }) => toBlock),
    ],
  )
  return rows.map(({ atoms }) => BigInt(atoms))
}

/** Assigns fees to a treasury row. */
export async function takeFees(
  sql: Sql,
  request: { recipient: Address; toBlock: number; tokens: readonly Address[]; seq: number },
): Promise<void> {
  await sql.query(
    `update fees set treasury_seq = $4
     where recipient = $1 and treasury_seq is null and block <= $2 and token = any($3)`,
    [request.recipient, request.toBlock, request.tokens, request.seq],
  )
}
