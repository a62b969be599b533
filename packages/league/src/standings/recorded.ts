import type { Sql } from '@pit/platform/db'
import type { Answer, Board } from '@pit/protocol'

type Row = Answer<'league.standings'>['rows'][number]

const ROWS_PER_INSERT = 1_000

/** Rows as they were recorded, in rank order. */
export async function recordedRows(sql: Sql, season: number, board: Board): Promise<Row[]> {
  const rows = await sql.query<{ row: Row }>(
    'select row from league_standings where season = $1 and board = $2 order by rank',
    [season, board],
  )
  return rows.map(({ row }) => row)
}

/** Records a season's rows; in the transaction that decides or closes it. */
export async function recordRows(
  sql: Sql,
  season: number,
  board: Board,
  rows: readonly { row: Row; facts: object | null }[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    const part = rows.slice(from, from + ROWS_PER_INSERT)
    await sql.query(
      `insert into league_standings (season, board, entry_id, rank, row, facts)
       select $1, $2, entry_id, rank, row::jsonb, facts::jsonb
       from unnest($3::int8[], $4::int4[], $5::text[], $6::text[]) as given (entry_id, rank, row, facts)`,
      [
        season,
        board,
        part.map(({ row }) => row.entry_id),
        part.map(({ row }) => row.rank),
        part.map(({ row }) => JSON.stringify(row)),
        part.map(({ facts }) => facts && JSON.stringify(facts)),
      ],
    )
  }
}
