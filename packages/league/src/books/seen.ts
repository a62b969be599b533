import type { Sql } from '@pit/platform/db'
import { type SeasonSpan, type SeenBalance, type StoredBalances, seenIn } from '../rules/index.ts'

/** Stored balances of wallets at full hours. */

/** The last full hour that was sampled or given up (at first the start), and the last sampled block. */
export async function lastSeen(
  sql: Sql,
  { number, startsAtS }: SeasonSpan,
): Promise<{ atS: number; block: number | null }> {
  const [row] = await sql.query<{ at_s: number | null; block: number | null }>(
    'select max(at_s) as at_s, max(block) as block from league_samples where season = $1',
    [number],
  )
  return { atS: row?.at_s ?? startsAtS, block: row?.block ?? null }
}

/** One hour's balances by entry. The block is null if no entrant held anything or the hour was given up. */
export interface Sample {
  atS: number
  block: number | null
  balances: ReadonlyMap<number, StoredBalances>
}

export async function saveSamples(sql: Sql, season: number, samples: readonly Sample[]): Promise<void> {
  await sql.query(
    `insert into league_samples (season, at_s, block)
     select $1, at_s, block from unnest($2::int8[], $3::int8[]) as given (at_s, block)`,
    [season, samples.map(({ atS }) => atS), samples.map(({ block }) => block)],
  )
  const rows = samples.flatMap(({ atS, balances }) =>
    [...balances].map(([entryId, own]) => ({ atS, entryId, text: JSON.stringify(own) })),
  )
  if (rows.length === 0) return
  await sql.query(
    `insert into league_balances (season, entry_id, at_s, balances)
     select $1, entry_id, at_s, balances::jsonb
     from unnest($2::int8[], $3::int8[], $4::text[]) as given (entry_id, at_s, balances)`,
    [season, rows.map(({ entryId }) => entryId), rows.map(({ atS }) => atS), rows.map(({ text }) => text)],
  )
}

/** The sampled balances of some entries after a time. */
export async function readSeen(
  sql: Sql,
  season: number,
  { entryIds, afterS }: { entryIds: readonly number[]; afterS: number },
): Promise<(entryId: number) => SeenBalance> {
  const rows = await sql.query<{ entry_id: number; at_s: number; balances: StoredBalances }>(
    `select entry_id, at_s, balances from league_balances
     where season = $1 and entry_id = any($2::int8[]) and at_s > $3`,
    [season, entryIds, afterS],
  )
  return seenIn(rows)
}
