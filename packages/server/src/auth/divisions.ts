import type { Sql } from '@pit/platform/db'

/** What an account trades; null for one that is not known. */
export async function divisionOf(sql: Sql, accountId: number): Promise<string | null> {
  const [account] = await sql.query<{ division: string }>('select division from accounts where id = $1', [
    accountId,
  ])
  return account?.division ?? null
}

/** Writes what a wallet's account trades; null where it has none. */
export async function changeDivision(
  sql: Sql,
  wallet: string,
  division: string,
): Promise<{ id: number; before: string } | null> {
  const [account] = await sql.query<{ id: number; before: string }>(
    'select id, division as before from accounts where wallet = $1 for update',
    [wallet],
  )
  if (!account) return null
  await sql.query('update accounts set division = $2 where id = $1', [account.id, division])
  return account
}
