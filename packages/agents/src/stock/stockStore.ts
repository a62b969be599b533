import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { AgentSession } from '@pit/sessions'
import type { HostedAgent } from '../types.ts'

export interface StockAttestation {
  executor: Address
  sessionId: string
  issuedS: number
  expiresS: number
  signedAtS: number
  revokedAtS: number | null
}

/** The owner's last stock attestation, and the earliest issue time of the next one. */
export interface StockStanding {
  last: StockAttestation | null
  notBeforeS: number | null
}

export async function readStock(sql: Sql, agentId: string): Promise<StockStanding> {
  const [row] = await sql.query<{
    executor: Address | null
    session_id: string
    issued_s: number
    expires_s: number
    signed_at_s: number
    revoked_at_s: number | null
    taken_back_s: number | null
  }>(
    `select a.executor, a.session_id, a.issued_s, a.expires_s, a.signed_at_s, a.revoked_at_s, taken_back_s
     from (select max(stock_revoked_at_s) as taken_back_s from hosted_executors where agent_id = $1) as back
     left join lateral (
       select * from hosted_stock_attestations where agent_id = $1
       order by issued_s desc limit 1) as a on true`,
    [agentId],
  )
  if (!row) return { last: null, notBeforeS: null }
  const last = row.executor && {
    executor: row.executor,
    sessionId: row.session_id,
    issuedS: row.issued_s,
    expiresS: row.expires_s,
    signedAtS: row.signed_at_s,
    revokedAtS: row.revoked_at_s,
  }
  const times = [...(last ? [last.issuedS] : []), ...(row.taken_back_s === null ? [] : [row.taken_back_s])]
  return { last: last || null, notBeforeS: times.length === 0 ? null : Math.max(...times) }
}

/**
 * False if an attestation with this or a later time exists, or a revocation came at or after that time, even
 * during the signing service's call. The signing service now holds this attestation, so earlier revocations
 * are not sent to it.
 */
export async function addStock(
  sql: Sql,
  agentId: string,
  { signature, ...attestation }: Omit<StockAttestation, 'revokedAtS'> & { signature: Hex },
): Promise<boolean> {
  // A revocation writes this row, so the lock serializes both.
  await sql.query('select 1 from hosted_executors where executor = $1 for update', [attestation.executor])
  const rows = await sql.query(
    `insert into hosted_stock_attestations
       (agent_id, executor, session_id, issued_s, expires_s, signature, signed_at_s)
     select $1, $2, $3, $4::int8, $5, $6, $7
     where not exists (select 1 from hosted_stock_attestations where agent_id = $1 and issued_s >= $4::int8)
       and not exists (select 1 from hosted_executors where agent_id = $1 and stock_revoked_at_s >= $4::int8)
     on conflict do nothing returning id`,
    [
      agentId,
      attestation.executor,
      attestation.sessionId,
      attestation.issuedS,
      attestation.expiresS,
      signature,
      attestation.signedAtS,
    ],
  )
  if (rows.length === 0) return false
  await sql.query(
    `update hosted_executors set stock_revoke_told_at_s = $2
     where executor = $1 and stock_revoked_at_s is not null and stock_revoke_told_at_s is null`,
    [attestation.executor, attestation.signedAtS],
  )
  return true
}

export async function revokeStockOf(sql: Sql, agentId: string, atS: number): Promise<void> {
  await sql.query(
    'update hosted_stock_attestations set revoked_at_s = $2 where agent_id = $1 and revoked_at_s is null',
    [agentId, atS],
  )
}

export type WhyNot = 'REVOKED' | 'EXPIRED' | 'EXECUTOR_CHANGED' | 'SESSION_CHANGED' | 'SESSION_NOT_ACTIVE'

/** Why it does not allow stock orders; null if it does. */
export function whyNotValid(
  attestation: StockAttestation,
  {
    agent,
    session,
    nowS,
  }: {
    agent: Pick<HostedAgent, 'executor' | 'sessionId'>
    session: Pick<AgentSession, 'status'> | null
    nowS: number
  },
): WhyNot | null {
  if (attestation.revokedAtS !== null) return 'REVOKED'
  if (nowS >= attestation.expiresS) return 'EXPIRED'
  if (attestation.executor !== agent.executor) return 'EXECUTOR_CHANGED'
  if (attestation.sessionId !== agent.sessionId) return 'SESSION_CHANGED'
  return session?.status === 'active' ? null : 'SESSION_NOT_ACTIVE'
}
