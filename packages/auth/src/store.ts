import { type Clock, nowS as secondsOf } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { DAY_S } from '@pit/protocol'
import type { Cap, Wallet } from './rules.ts'

/** Finds or creates the wallet's account and locks its row, so that revoke-all and sign-in are serialised. */
export async function holdAccount(
  sql: Sql,
  wallet: Wallet,
  nowS: number,
): Promise<{ id: number; isNew: boolean }> {
  const [known] = await sql.query<{ id: number }>('select id from accounts where wallet = $1 for update', [
    wallet,
  ])
  if (known) return { id: known.id, isNew: false }
  const [made] = await sql.query<{ id: number; is_new: boolean }>(
    // The update only locks and returns the row that a concurrent sign-in created.
    `insert into accounts (wallet, created_at_s) values ($1, $2)
     on conflict (wallet) do update set wallet = excluded.wallet
     returning id, (xmax = 0) as is_new`,
    [wallet, nowS],
  )
  if (!made) throw new Error('an upsert returned no account')
  return { id: made.id, isNew: made.is_new }
}

/** Increments each count and returns the new values by scope; a rollback undoes it. */
export async function countIssued(sql: Sql, what: 'account' | 'key', caps: readonly Cap[]) {
  const values: unknown[] = [what]
  const rows = caps.map(({ scope, windowStartS }) => {
    values.push(scope, windowStartS)
    return `($1, $${values.length - 1}, $${values.length}::int8, 1)`
  })
  const counts = await sql.query<{ scope: string; count: number }>(
    `insert into issue_counts (what, scope, window_start_s, count) values ${rows.join(', ')}
     on conflict (what, scope, window_start_s) do update set count = issue_counts.count + 1
     returning scope, count`,
    values,
  )
  return new Map(counts.map(({ scope, count }) => [scope, count]))
}

export async function addKey(
  sql: Sql,
  key: { accountId: number; wallet: Wallet; sha256: Uint8Array; issuedAtS: number; expiresAtS: number },
): Promise<number> {
  const [row] = await sql.query<{ id: number }>(
    `insert into api_keys (account_id, wallet, key_sha256, issued_at_s, expires_at_s)
     values ($1, $2, $3, $4, $5) returning id`,
    [key.accountId, key.wallet, key.sha256, key.issuedAtS, key.expiresAtS],
  )
  if (!row) throw new Error('an insert returned no key')
  return row.id
}

export interface KeyRow {
  id: number
  account_id: number
  wallet: Wallet | null
  key_sha256: Uint8Array
  expires_at_s: number
}

const MAX_LIVE = 20

/** Newest first. */
export async function liveKeysOf(sql: Sql, wallet: Wallet, nowS: number): Promise<number[]> {
  const rows = await sql.query<{ id: number }>(
    `select id from api_keys
     where wallet = $1 and revoked_at_s is null and expires_at_s > $2 order by id desc limit ${MAX_LIVE}`,
    [wallet, nowS],
  )
  return rows.map(({ id }) => id)
}

/** Without the revoked ones. */
export async function findKey(sql: Sql, sha256: Uint8Array): Promise<KeyRow | undefined> {
  const [row] = await sql.query<KeyRow>(
    `select id, account_id, wallet, key_sha256, expires_at_s from api_keys
     where key_sha256 = $1 and revoked_at_s is null`,
    [sha256],
  )
  return row
}

/** Channel that other processes on the same store listen to; sent on commit. */
export const REVOKED_CHANNEL = 'pit_revoked'
export type Revoked = { keyId: number } | { wallet: Wallet }

const tellOthers = (sql: Sql, revoked: Revoked) =>
  sql.query('select pg_notify($1, $2)', [REVOKED_CHANNEL, JSON.stringify(revoked)])

export async function markKeyRevoked(db: Db, keyId: number, nowS: number): Promise<void> {
  await db.transaction(async (sql) => {
    await sql.query('update api_keys set revoked_at_s = $2 where id = $1 and revoked_at_s is null', [
      keyId,
      nowS,
    ])
    await tellOthers(sql, { keyId })
  })
}

/** Every key of the wallet; returns how many were live. */
export async function markWalletRevoked(sql: Sql, wallet: Wallet, nowS: number): Promise<number> {
  await sql.query('select id from accounts where wallet = $1 for update', [wallet])
  const ended = await sql.query<{ was_live: boolean }>(
    `update api_keys set revoked_at_s = $2 where wallet = $1 and revoked_at_s is null
     returning expires_at_s > $2 as was_live`,
    [wallet, nowS],
  )
  await tellOthers(sql, { wallet })
  return ended.filter(({ was_live }) => was_live).length
}

/** Retention of expired data, for investigations. */
export const ENDED_KEPT_S = 90 * DAY_S

/** Challenges are kept longer than the clocks of two processes may differ. */
const SWEPT = [
  { table: 'challenges', id: 'id', agedBy: 'expires_at_s', keepS: 600 },
  { table: 'issue_counts', id: 'ctid', agedBy: 'window_start_s', keepS: 2 * DAY_S },
  // A revoked key is kept until it would have expired, and as long after.
  { table: 'api_keys', id: 'id', agedBy: 'expires_at_s', keepS: ENDED_KEPT_S },
] as const
/** Small steps, so that sign-ins do not wait. */
const SWEEP_PAGE = 2_000

/** Deletes expired sign-in data; returns how many rows. */
export async function sweepSignIn(db: Db, clock: Clock): Promise<number> {
  let swept = 0
  for (const { table, id, agedBy, keepS } of SWEPT) {
    for (let deleted = SWEEP_PAGE; deleted === SWEEP_PAGE; swept += deleted) {
      const rows = await db.query(
        `delete from ${table} where ${id} = any (array(
           select ${id} from ${table} where ${agedBy} < $1 order by ${agedBy} limit ${SWEEP_PAGE}))
         returning 1`,
        [secondsOf(clock) - keepS],
      )
      deleted = rows.length
    }
  }
  return swept
}

/** An account's division; null if unknown. */
export async function divisionOf(sql: Sql, accountId: number): Promise<string | null> {
  const [account] = await sql.query<{ division: string }>('select division from accounts where id = $1', [
    accountId,
  ])
  return account?.division ?? null
}

/** Writes the division of a wallet's account; null if it has none. */
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
