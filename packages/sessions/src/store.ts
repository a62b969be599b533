import type { Address, Delegation, Hex } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Sql } from '@pit/platform/db'
import { SESSION } from '@pit/protocol'
import { fromWireDelegation, toWireDelegation, type WireDelegation } from '@pit/signer-wire'
import type { HostedRecord } from './deps.ts'
import type { Session, Used } from './types.ts'

interface SessionRow {
  id: string
  wallet: Address
  executor: Address
  status: Session['status']
  /** JSON. */
  binding: string
  root: string
  root_hash: Hex
  curve_roots: string
  code_authorization: Session['authorization']
  created_at_s: number
  expires_at_s: number
  revoked_at_s: number | null
  signer_revoked_at_s: number | null
}

/** Identifies a session at the co-signer. */
export type RootName = Pick<Session, 'id' | 'rootHash'>

/** 24 hours plus the lifetime of a leaf, because a leaf counts from its signature until it expires. */
export const SPEND_WINDOW_MS = (SESSION.dayWindowS + SESSION.leafTtlS) * 1_000

/** Spend within that window; the total number of trades is counted separately. */
const DAY_SUM = `(select coalesce(sum(micro_usd), 0)::numeric from session_trades t
  where t.session_id = session_counts.session_id and created_at_ms > $2)`

const COLUMNS = `id, wallet, executor, status, binding::text as binding, root::text as root, root_hash,
  curve_roots::text as curve_roots, code_authorization,
  created_at_s, expires_at_s, revoked_at_s, signer_revoked_at_s`

/** The terms signed by an owner never change, so they are parsed once and shared. */
type SignedTerms = Readonly<Pick<Session, 'binding' | 'root' | 'curveRoots'>>
const termsCache = createCache<string, SignedTerms>({ max: 1_000 })

function termsOf({ id, binding, root, curve_roots }: SessionRow): SignedTerms {
  const key = `${binding}\n${root}\n${curve_roots}`
  const cached = termsCache.get(key)
  if (cached) return cached
  const read = (wire: WireDelegation): Delegation => {
    const delegation = fromWireDelegation(wire)
    if (!delegation) throw new Error(`session ${id} has an invalid stored root`)
    return delegation
  }
  const [curve, fee] = (JSON.parse(curve_roots) as WireDelegation[]).map(read)
  const terms: SignedTerms = {
    binding: JSON.parse(binding),
    root: read(JSON.parse(root)),
    curveRoots: curve && fee ? { curve, fee } : null,
  }
  termsCache.set(key, terms)
  return terms
}

function sessionOf(row: SessionRow): Session {
  return {
    ...termsOf(row),
    id: row.id,
    wallet: row.wallet,
    executor: row.executor,
    status: row.status,
    rootHash: row.root_hash,
    authorization: row.code_authorization,
    createdAtS: row.created_at_s,
    expiresAtS: row.expires_at_s,
    revokedAtS: row.revoked_at_s,
    signerRevokedAtS: row.signer_revoked_at_s,
  }
}

const wireRoots = ({ curveRoots }: Pick<Session, 'curveRoots'>): string =>
  JSON.stringify(curveRoots ? [curveRoots.curve, curveRoots.fee].map(toWireDelegation) : [])
const wireAuthorization = ({ authorization }: Pick<Session, 'authorization'>): string | null =>
  authorization === null ? null : JSON.stringify(authorization)

/** Adds a pending grant; keeps only the newest unsigned grants of a wallet. */
export async function addPending(sql: Sql, session: Session, keep: number): Promise<void> {
  await sql.query(
    `with old as (
       delete from sessions where id in (
         select id from sessions where wallet = $2 and status = 'pending'
         order by created_at_s desc, id offset $11))
     insert into sessions (id, wallet, executor, status, binding, binding_version, root, root_hash,
       curve_roots, code_authorization, created_at_s, expires_at_s)
     values ($1, $2, $3, 'pending', $4, $5, $6, $7, $8, $9, $10, $12)`,
    [
      session.id,
      session.wallet,
      session.executor,
      JSON.stringify(session.binding),
      session.binding.version,
      JSON.stringify(toWireDelegation(session.root)),
      session.rootHash,
      wireRoots(session),
      wireAuthorization(session),
      session.createdAtS,
      Math.max(0, keep - 1),
      session.expiresAtS,
    ],
  )
}

export async function findSession(sql: Sql, id: string): Promise<Session | undefined> {
  const [row] = await sql.query<SessionRow>(`select ${COLUMNS} from sessions where id = $1`, [id])
  return row && sessionOf(row)
}

/** A session with its usage, in one read. */
export async function findWithUse(
  sql: Sql,
  id: string,
  nowMs: number,
): Promise<{ session: Session; used: Used } | undefined> {
  const [row] = await sql.query<SessionRow & { trades: number; day: string }>(
    `select ${COLUMNS}, coalesce(trades, 0) as trades, ${DAY_SUM} as day
     from sessions left join session_counts on session_id = id where id = $1`,
    [id, nowMs - SPEND_WINDOW_MS],
    { prepared: true },
  )
  return row && { session: sessionOf(row), used: { trades: row.trades, dayMicroUsd: BigInt(row.day) } }
}

interface ListParams {
  who: Address
  nowS: number
  max: number
}

/** Sessions granted by this wallet. */
export const sessionsOf = (sql: Sql, request: ListParams): Promise<Session[]> =>
  list(sql, 'wallet = $1', request)

/** Sessions granted to this executor by others, once signed. */
export const sessionsFor = (sql: Sql, request: ListParams): Promise<Session[]> =>
  list(sql, `executor = $1 and status in ('active', 'revoked')`, request)

/** Tradable ones first, then the newest, so that flooding the list cannot hide them. */
async function list(sql: Sql, where: string, { who, nowS, max }: ListParams): Promise<Session[]> {
  const rows = await sql.query<SessionRow>(
    `select ${COLUMNS} from sessions where ${where}
     order by status = 'active' and expires_at_s > $3 desc, created_at_s desc, id limit $2`,
    [who, max, nowS],
  )
  return rows.map(sessionOf)
}

/**
 * Stores the signatures before the co-signer registers the root; from here on it may know it. False if the
 * session is no longer pending: another request was first, or it was revoked.
 */
export const markRegistering = (sql: Sql, session: Signatures, atS: number): Promise<boolean> =>
  sign(sql, session, { from: 'pending', to: 'registering', atS })

/** The co-signer did not register it: waits for signatures again. */
export const markPending = (sql: Sql, unsigned: Signatures): Promise<boolean> =>
  sign(sql, unsigned, { from: 'registering', to: 'pending', atS: null })

type Signatures = Pick<Session, 'id' | 'root' | 'curveRoots' | 'authorization'>

async function sign(
  sql: Sql,
  session: Signatures,
  { from, to, atS }: { from: Session['status']; to: Session['status']; atS: number | null },
): Promise<boolean> {
  const rows = await sql.query(
    `update sessions set status = $6, root = $2, curve_roots = $3, code_authorization = $4,
       registering_at_s = $7
     where id = $1 and status = $5 returning id`,
    [
      session.id,
      JSON.stringify(toWireDelegation(session.root)),
      wireRoots(session),
      wireAuthorization(session),
      from,
      to,
      atS,
    ],
  )
  return rows.length === 1
}

/**
 * The co-signer has registered it. False if it is no longer registering: another request was first, or it was
 * revoked.
 */
export async function markActive(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql.query(
    `update sessions set status = 'active' where id = $1 and status = 'registering' returning id`,
    [id],
  )
  return rows.length === 1
}

/** False if it is no longer active. */
export async function setAuthorization(
  sql: Sql,
  id: string,
  authorization: Session['authorization'],
): Promise<boolean> {
  const rows = await sql.query(
    `update sessions set code_authorization = $2 where id = $1 and status = 'active' returning id`,
    [id, wireAuthorization({ authorization })],
  )
  return rows.length === 1
}

/** Permanent; also deletes the wallet's code authorization. The first revocation time is kept. */
export async function markRevoked(sql: Sql, id: string, atS: number): Promise<Session | undefined> {
  const [row] = await sql.query<SessionRow>(
    `update sessions set status = 'revoked', revoked_at_s = coalesce(revoked_at_s, $2),
       code_authorization = null
     where id = $1 returning ${COLUMNS}`,
    [id, atS],
  )
  return row && sessionOf(row)
}

export async function markSignerRevoked(sql: Sql, id: string, atS: number): Promise<void> {
  await sql.query(
    'update sessions set signer_revoked_at_s = $2 where id = $1 and signer_revoked_at_s is null',
    [id, atS],
  )
}

/** Revoked here, but not confirmed by the co-signer. Expired sessions are skipped. */
export const unconfirmedRevocations = (sql: Sql, nowS: number, max: number): Promise<RootName[]> =>
  sql.query(
    `select id, root_hash as "rootHash" from sessions
     where status = 'revoked' and signer_revoked_at_s is null and expires_at_s > $1
     order by revoked_at_s limit $2`,
    [nowS, max],
  )

/** Deletes grants that were never activated and no longer can be. */
export async function deleteUnsigned(sql: Sql, createdBeforeS: number, nowS: number): Promise<number> {
  const rows = await sql.query(
    `delete from sessions where root ->> 'signature' = '0x'
       and (created_at_s < $1 or (status = 'pending' and expires_at_s <= $2)
         or (status = 'revoked' and signer_revoked_at_s is not null)) returning id`,
    [createdBeforeS, nowS],
  )
  return rows.length
}

/** Deletes an unsigned grant once it is revoked and the co-signer has confirmed. */
export async function deleteIfUnsigned(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `delete from sessions where id = $1 and status = 'revoked' and signer_revoked_at_s is not null
       and root ->> 'signature' = '0x'`,
    [id],
  )
}

/** Registrations without a result whose caller did not retry. */
export const stuckRegistering = (sql: Sql, sentBeforeS: number, max: number): Promise<RootName[]> =>
  sql.query(
    `select id, root_hash as "rootHash" from sessions where status = 'registering' and registering_at_s < $1
     order by registering_at_s limit $2`,
    [sentBeforeS, max],
  )

/**
 * Deletes sessions that ended long ago, with their counts; the trades table keeps their trades. Skips
 * sessions that an agent still uses.
 */
export async function deleteEnded(
  sql: Sql,
  endedBeforeS: number,
  max: number,
  sessionsInUse: HostedRecord['sessionsInUse'],
): Promise<number> {
  let last = { expires_at_s: 0, id: '' }
  for (;;) {
    const ended = await sql.query<typeof last>(
      `select id, expires_at_s from sessions where expires_at_s < $1 and (expires_at_s, id) > ($2, $3)
       order by expires_at_s, id limit $4`,
      [endedBeforeS, last.expires_at_s, last.id, max],
    )
    const ids = ended.map(({ id }) => id)
    const inUse = await sessionsInUse(sql, ids)
    const free = ids.filter((id) => !inUse.has(id))
    if (free.length > 0) return deleteSessions(sql, free)
    if (ended.length < max) return 0
    last = ended.at(-1)!
  }
}

async function deleteSessions(sql: Sql, ids: readonly string[]): Promise<number> {
  const gone = await sql.query(
    `with counted as (delete from session_trades where session_id = any($1::text[]))
     delete from sessions where id = any($1::text[]) returning id`,
    [ids],
  )
  return gone.length
}

/** Usage of each of these sessions; absent without trades. */
export async function usedBy(sql: Sql, ids: readonly string[], nowMs: number): Promise<Map<string, Used>> {
  const rows = await sql.query<{ session_id: string; trades: number; day: string }>(
    `select session_id, trades, ${DAY_SUM} as day from session_counts
     where session_id = any($1::text[])`,
    [ids, nowMs - SPEND_WINDOW_MS],
  )
  return new Map(
    rows.map(({ session_id, trades, day }) => [session_id, { trades, dayMicroUsd: BigInt(day) }]),
  )
}
