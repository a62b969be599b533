import type { Address } from '@pit/chain'
import type { Db, Sql } from '@pit/platform/db'
import type { StoredRecord } from './describeToken.ts'
import { isReplaceable, type TokenReading } from './reading.ts'
import { searchKey } from './text.ts'

export interface KnownToken {
  record: StoredRecord
  reading: TokenReading
}

/** Core assets rank above any liquidity that money can buy. */
const CORE_RANK_USD = 1e15

/** Inserts a token or replaces it. */
export async function saveToken(db: Db, known: KnownToken, nowS: number): Promise<void> {
  await db.transaction((sql) => write(sql, known, nowS))
}

/** Writes a refreshed record, unless the token was screened again meanwhile. */
export async function refreshToken(db: Db, known: KnownToken, nowS: number): Promise<void> {
  await db.transaction(async (sql) => {
    const [stored] = await sql.query<{ reading: TokenReading }>(
      'select reading from token_records where address = $1 for update',
      [known.record.address],
    )
    if (stored?.reading.screenedAtS === known.reading.screenedAtS) await write(sql, known, nowS)
  })
}

async function write(sql: Sql, { record, reading }: KnownToken, nowS: number): Promise<void> {
  await sql.query(
    `insert into tokens (address, symbol_key, name_key, tier, kind, tradable, blocked_reason, risks, rank_usd,
       replaceable, screened_at_s, updated_at_s)
     values ($1, $2, $3, $4, $5, $6, $7, $8::text[], $9, $10, $11, $12)
     on conflict (address) do update set symbol_key = excluded.symbol_key, name_key = excluded.name_key,
       tier = excluded.tier, kind = excluded.kind, tradable = excluded.tradable,
       blocked_reason = excluded.blocked_reason, risks = excluded.risks, rank_usd = excluded.rank_usd,
       replaceable = excluded.replaceable, screened_at_s = excluded.screened_at_s,
       updated_at_s = excluded.updated_at_s`,
    [
      record.address,
      searchKey(record.symbol),
      searchKey(record.name),
      record.tier,
      record.kind,
      record.tradable,
      record.blocked_reason,
      record.risks.map(({ code }) => code),
      (record.screen_status === 'CORE' ? CORE_RANK_USD : 0) + (record.liquidity_usd ?? 0),
      isReplaceable(reading.code),
      record.screened_at,
      nowS,
    ],
  )
  await sql.query(
    `insert into token_records (address, record, reading) values ($1, $2::jsonb, $3::jsonb)
     on conflict (address) do update set record = excluded.record, reading = excluded.reading`,
    [record.address, JSON.stringify(record), JSON.stringify(reading)],
  )
}

export async function findToken(sql: Sql, address: Address): Promise<KnownToken | undefined> {
  const [row] = await sql.query<KnownToken>('select record, reading from token_records where address = $1', [
    address,
  ])
  return row
}

/** The addresses among these that have been screened. */
export async function screenedAmong(sql: Sql, addresses: readonly Address[]): Promise<Set<Address>> {
  const rows = await sql.query<{ address: Address }>(
    'select address from tokens where address = any($1::text[]) and screened_at_s is not null',
    [addresses],
  )
  return new Set(rows.map(({ address }) => address))
}

/** Upgradeable proxies after an address, in order, for going through them all in turns. */
export async function replaceableAfter(sql: Sql, after: string, limit: number): Promise<TokenReading[]> {
  const rows = await sql.query<{ reading: TokenReading }>(
    `select reading from token_records where address in (
       select address from tokens where replaceable and address > $1 order by address limit $2)
     order by address`,
    [after, limit],
  )
  return rows.map(({ reading }) => reading)
}

/** A token's own symbol and name, which are its deployer's text. */
export interface RegistryText {
  address: Address
  symbol: string
  name: string
  /** Null if the token does not report them. */
  decimals: number | null
}

/** The texts of many tokens in one read; unknown ones are absent. */
export const registryTexts = (sql: Sql, addresses: readonly Address[]): Promise<RegistryText[]> =>
  sql.query<RegistryText>(
    `select address, record->>'symbol' as symbol, record->>'name' as name,
       (reading->>'decimals')::int4 as decimals
     from token_records where address = any($1::text[])`,
    [addresses],
  )
