import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { RelayedRow } from '@pit/relay'

export interface WalletSample {
  wallet: Address
  tradedAtS: number
  readAtS: number
  /** Non-zero balances at `readAtS`. */
  balances: Map<Address, bigint>
}

export async function readCursor(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ trade_id: number }>('select trade_id from wallet_sample_cursor')
  return row?.trade_id ?? 0
}

/** Adds the wallets that traded, due at once, and moves the cursor to the last row. */
export async function addTraded(sql: Sql, rows: readonly RelayedRow[], nowS: number): Promise<void> {
  const trades = rows.filter(({ isSwap }) => isSwap)
  await sql.query(
    `insert into wallet_samples as s (wallet, traded_at_s, due_s)
     select wallet, max(traded_at_s), $3::int8 from unnest($1::text[], $2::int8[]) as given (wallet, traded_at_s)
     group by wallet order by wallet
     on conflict (wallet) do update set traded_at_s = greatest(s.traded_at_s, excluded.traded_at_s),
       due_s = least(s.due_s, excluded.due_s)`,
    [trades.map(({ wallet }) => wallet), trades.map(({ createdAtS }) => createdAtS), nowS],
  )
  await sql.query(
    `insert into wallet_sample_cursor (trade_id) values ($1)
     on conflict (only_one) do update
       set trade_id = greatest(wallet_sample_cursor.trade_id, excluded.trade_id)`,
    [rows[rows.length - 1]!.id],
  )
}

/** The wallets that wait longest. */
export async function dueSamples(sql: Sql, nowS: number, limit: number): Promise<WalletSample[]> {
  const rows = await sql.query<{
    wallet: Address
    traded_at_s: number
    read_at_s: number
    tokens: Address[]
    atoms: string[]
  }>(
    `select wallet, traded_at_s, read_at_s, tokens, atoms from wallet_samples
     where due_s <= $1 order by due_s limit $2`,
    [nowS, limit],
  )
  return rows.map(({ wallet, traded_at_s, read_at_s, tokens, atoms }) => ({
    wallet,
    tradedAtS: traded_at_s,
    readAtS: read_at_s,
    balances: new Map(tokens.map((token, i) => [token, BigInt(atoms[i]!)])),
  }))
}

/** Balances as JSON: arrays of different lengths cannot be passed as one array. */
export async function storeSamples(
  sql: Sql,
  samples: readonly (WalletSample & { dueS: number })[],
): Promise<void> {
  if (samples.length === 0) return
  await sql.query(
    `update wallet_samples s set read_at_s = given.read_at_s, due_s = given.due_s,
       tokens = array(select jsonb_array_elements_text(given.tokens::jsonb)),
       atoms = array(select jsonb_array_elements_text(given.atoms::jsonb)::numeric)
     from unnest($1::text[], $2::int8[], $3::int8[], $4::text[], $5::text[])
       as given (wallet, read_at_s, due_s, tokens, atoms)
     where s.wallet = given.wallet`,
    [
      samples.map(({ wallet }) => wallet),
      samples.map(({ readAtS }) => readAtS),
      samples.map(({ dueS }) => dueS),
      samples.map(({ balances }) => JSON.stringify([...balances.keys()])),
      samples.map(({ balances }) => JSON.stringify([...balances.values()].map(String))),
    ],
  )
}
