import { type Clock, nowS } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Wallet } from './rules.ts'
import { ENDED_KEPT_S } from './store.ts'

export interface EmptyAccount {
  id: number
  wallet: Wallet
}

/** The accounts among these that other data still references. */
export type AccountsInUse = (sql: Sql, accounts: readonly EmptyAccount[]) => Promise<ReadonlySet<number>>

const PAGE = 1_000

/**
 * Deletes accounts created at least 90 days ago that have no keys and no references. Each call looks at the
 * next page, so that remaining accounts do not block others.
 */
export function createAccountSweep({
  db,
  clock,
  accountsInUse,
}: {
  db: Db
  clock: Clock
  accountsInUse: AccountsInUse
}): () => Promise<number> {
  let lastId = 0
  return () =>
    db.transaction(async (sql) => {
      const page = await sql.query<EmptyAccount & { is_empty: boolean }>(
        `select id, wallet, division = 'crypto' and not exists (
           select 1 from api_keys k where k.account_id = a.id) as is_empty
         from accounts a where id > $1 and created_at_s < $2 order by id limit $3 for update skip locked`,
        [lastId, nowS(clock) - ENDED_KEPT_S, PAGE],
      )
      lastId = page.length < PAGE ? 0 : page.at(-1)!.id
      const empty = page.filter(({ is_empty }) => is_empty)
      const inUse = await accountsInUse(sql, empty)
      // A concurrent sign-in may have created a key meanwhile.
      const gone = await sql.query(
        `delete from accounts a where id = any($1::int8[])
           and not exists (select 1 from api_keys k where k.account_id = a.id) returning 1`,
        [empty.flatMap(({ id }) => (inUse.has(id) ? [] : [id]))],
      )
      return gone.length
    })
}
