import type { Sql } from '@pit/platform/db'

export interface Action {
  operator: string
  action: string
  /** The action and its outcome; never a secret. */
  details: Record<string, unknown>
  reason: string | null
}

export async function recordAction(sql: Sql, action: Action & { atS: number }): Promise<void> {
  await sql.query(
    'insert into operator_actions (at_s, operator, action, details, reason) values ($1, $2, $3, $4, $5)',
    [action.atS, action.operator, action.action, action.details, action.reason],
  )
}

export interface ListedAction extends Action {
  id: number
  at_s: number
}

/** Newest first. */
export function listActions(
  sql: Sql,
  { limit, before }: { limit: number; before: number | null },
): Promise<ListedAction[]> {
  return sql.query<ListedAction>(
    `select id, at_s, operator, action, details, reason from operator_actions
     where $2::int8 is null or id < $2 order by id desc limit $1`,
    [limit, before],
  )
}
