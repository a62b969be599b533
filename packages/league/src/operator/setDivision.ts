import type { Sql } from '@pit/platform/db'
import { type Division, RULES } from '../rules/index.ts'
import { LeagueRefused } from './refused.ts'

/** What an account trades: the practice board takes one division only. Who is entered stays in until it leaves. */
export async function setDivision(
  sql: Sql,
  { wallet, division }: { wallet: string; division: Division },
): Promise<{ before: string; entered: boolean; takes: string }> {
  const [account] = await sql.query<{ id: number; before: string }>(
    'select id, division as before from accounts where wallet = $1 for update',
    [wallet.toLowerCase()],
  )
  if (!account) throw new LeagueRefused(`${wallet} has no account: it signs in first`)
  await sql.query('update accounts set division = $2 where id = $1', [account.id, division])
  const entered = await sql.query(
    `select 1 from league_entries where account_id = $1 and board = 'practice' and left_at_s is null`,
    [account.id],
  )
  return { before: account.before, entered: entered.length > 0, takes: RULES.practiceDivision }
}
