import { readFileSync } from 'node:fs'
import type { Db } from '../src/db/types.ts'

/** Rows that an older release wrote, by table, and the number of migrations it had. */
export interface OlderStore {
  migrations: number
  tables: Record<string, Record<string, unknown>[]>
}

export const readOlderStore = (file: URL): OlderStore => JSON.parse(readFileSync(file, 'utf8'))

/** Puts the rows into a store of that release. */
export async function insertRows(db: Db, { tables }: OlderStore): Promise<void> {
  await db.transaction(async (sql) => {
    // The rows are complete, but their tables refer to each other.
    await sql.query('set local session_replication_role = replica')
    for (const [table, rows] of Object.entries(tables)) {
      await sql.query(`delete from "${table}"`)
      for (const row of rows)
        await sql.query(
          `insert into "${table}" overriding system value
           select * from json_populate_record(null::"${table}", $1::text::json)`,
          [JSON.stringify(row)],
        )
    }
  })
}

/** Rows of an older release that a migrated store no longer has with the same values. */
export async function missingRows(db: Db, { tables }: OlderStore): Promise<string[]> {
  const missing: string[] = []
  for (const [table, rows] of Object.entries(tables))
    for (const row of rows) {
      const columns = Object.keys(row).map((name) => `"${name}"`)
      const [found] = await db.query<{ n: number }>(
        `select count(*)::int4 as n from (select ${columns.join(', ')} from "${table}") t
         where row_to_json(t)::jsonb = $1::text::jsonb`,
        [JSON.stringify(row)],
      )
      if (found!.n !== 1) missing.push(`${table}: ${JSON.stringify(row)}`)
    }
  return missing
}
