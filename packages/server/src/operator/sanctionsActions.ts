import type { Sql } from '@pit/platform/db'
import { Type } from '@sinclair/typebox'
import { type Action, action, Exact } from './action.ts'
import { OperatorRefused } from './types.ts'

/** Facts of a list that identify which one was in force when. */
interface KeptList {
  addresses: number
  published_on: string
  sha256: string
}

const NAME = 'sanctions.update'

/** The Treasury's list: the caller has read it and installs it once this action has accepted it. */
export const SANCTIONS_ACTIONS: Record<string, Action> = {
  [NAME]: action({
    input: Exact({
      addresses: Type.Integer({ minimum: 1, maximum: 100_000 }),
      published_on: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
      sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
      source: Type.String({ minLength: 1, maxLength: 500 }),
      max_shrink_pct: Type.Integer({ minimum: 0, maximum: 100 }),
    }),
    needsReason: null,
    run: ({ deps, reason, note }, { max_shrink_pct, ...list }) =>
      deps.db.transaction(async (sql) => {
        const before = await lastList(sql)
        if (before) refuseWorse(before, list, { max_shrink_pct, reason })
        await note(sql, list)
        return { before, ...list }
      }),
  }),
}

async function lastList(sql: Sql): Promise<KeptList | null> {
  const [row] = await sql.query<{ details: KeptList }>(
    'select details from operator_actions where action = $1 order by id desc limit 1',
    [NAME],
  )
  return row?.details ?? null
}

/** A reason allows an older list; --max-shrink allows fewer addresses. */
function refuseWorse(
  before: KeptList,
  list: KeptList,
  { max_shrink_pct, reason }: { max_shrink_pct: number; reason: string | null },
): void {
  if (list.addresses * 100 < before.addresses * (100 - max_shrink_pct))
    throw new OperatorRefused(
      `it went from ${before.addresses} addresses to ${list.addresses}: if that is right, add --max-shrink`,
    )
  if (list.published_on < before.published_on && reason === null)
    throw new OperatorRefused(
      `it was published on ${list.published_on}, before the one in force (${before.published_on}): add --reason`,
    )
}
