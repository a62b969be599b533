import type { Sql } from '@pit/platform/db'
import { type Division, RULES } from '../rules/index.ts'
import { LeagueRefused } from './refused.ts'

/** Writes the division of a wallet's account; null if it has no account. */
export type ChangeDivision = (
  sql: Sql,
  wallet: string,
  division: Division,
) => Promise<{ id: number; before: string } | null>

/** Sets an account's division. The practice board accepts one division only; existing entries stay. */
export async function setDivision(
  sql: Sql,
  { wallet, division }: { wallet: string; division: Division },
  change: ChangeDivision,
): Promise<{ before: string; entered: boolean; takes: string }> {
  const account = await change(sql, wallet.toLowerCase(), division)
  if (!account) throw new LeagueRefused(`${wallet} has no account: it must sign in first`)
  const entered = await sql.query(
    `select 1 from league_entries where account_id = $1 and board = 'practice' and left_at_s is null`,
    [account.id],
  )
  return { before: account.before, entered: entered.length > 0, takes: RULES.practiceDivision }
}
