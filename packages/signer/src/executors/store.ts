import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { Executor, Refund, StockAttestation } from './types.ts'

interface ExecutorRow {
  address: Address
  agent_id: string
  owner: Address
  sealed_key: Uint8Array
  attestation_signature: Hex
  created_at_ms: number
  closed_at_ms: number | null
}
const executorOf = (row: ExecutorRow): Executor => ({
  address: row.address,
  agentId: row.agent_id,
  owner: row.owner,
  sealedKey: row.sealed_key,
  attestationSignature: row.attestation_signature,
  createdAtMs: row.created_at_ms,
  closedAtMs: row.closed_at_ms,
})

/** `lock`: 'update' to close the executor, 'share' to rely on its being open. */
export async function findExecutor(
  sql: Sql,
  address: Address,
  lock?: 'update' | 'share',
): Promise<Executor | null> {
  const [row] = await sql.query<ExecutorRow>(
    `select address, agent_id, owner, sealed_key, attestation_signature, created_at_ms, closed_at_ms
     from executors where address = $1${lock ? ` for ${lock}` : ''}`,
    [address],
  )
  return row ? executorOf(row) : null
}

const FIRST_LOCK = 0x7069740a

/**
 * The first open key of an agent. Locks the agent, so no other call creates one until the transaction ends.
 */
export async function holdFirst(
  sql: Sql,
  { agentId, owner }: Pick<Executor, 'agentId' | 'owner'>,
): Promise<Executor | null> {
  await sql.query('select pg_advisory_xact_lock($1::int4, hashtext($2))', [FIRST_LOCK, agentId])
  const [row] = await sql.query<ExecutorRow>(
    `select address, agent_id, owner, sealed_key, attestation_signature, created_at_ms, closed_at_ms
     from executors where agent_id = $1 and owner = $2 and closed_at_ms is null order by created_at_ms limit
    1`,
    [agentId, owner],
  )
  return row ? executorOf(row) : null
}

/** False if the same call, by its nonce, created one before. */
export async function addExecutor(sql: Sql, executor: Executor, callNonce: string): Promise<boolean> {
  const added = await sql.query(
    `insert into executors (address, agent_id, owner, sealed_key, attestation_signature, created_at_ms,
       call_nonce)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning address`,
    [
      executor.address,
      executor.agentId,
      executor.owner,
      executor.sealedKey,
      executor.attestationSignature,
      executor.createdAtMs,
      callNonce,
    ],
  )
  return added.length > 0
}

export async function countExecutors(sql: Sql, owner: Address): Promise<number> {
  const [row] = await sql.query<{ n: number }>('select count(*) as n from executors where owner = $1', [
    owner,
  ])
  return row!.n
}

export async function closeExecutor(sql: Sql, address: Address, atMs: number): Promise<void> {
  await sql.query('update executors set closed_at_ms = $2 where address = $1 and closed_at_ms is null', [
    address,
    atMs,
  ])
}

/** Waits for the executor's leaves in progress; later ones see this transaction's writes. */
export async function lockRoots(sql: Sql, executor: Address): Promise<void> {
  await sql.query('select hash from roots where executor = $1 order by hash for update', [executor])
}

/**
 * When the newest leaf was co-signed whose transaction the executor signed and whose nonce the chain has not
 * used yet; null when there is none. Leaves without a transaction do not matter: they would need the key of
 * an executor that is closed.
 */
export async function lastOpenLeaf(sql: Sql, executor: Address, nextNonce: number): Promise<number | null> {
  const [row] = await sql.query<{ at: number | null }>(
    `select max(l.signed_at_ms) as at from executor_txs t
       join leaves l on l.root_hash = t.root_hash and l.sequence = t.sequence
     where t.executor = $1 and t.nonce >= $2`,
    [executor, nextNonce],
  )
  return row?.at ?? null
}

export async function activeRoots(sql: Sql, executor: Address, nowS: number): Promise<number> {
  const [row] = await sql.query<{ n: number }>(
    `select count(*) as n from roots where executor = $1 and (binding ->> 'expires_at')::int8 > $2
       and not exists (select from revocations where root_hash = hash)`,
    [executor, nowS],
  )
  return row!.n
}

export async function findStockAttestation(sql: Sql, executor: Address): Promise<StockAttestation | null> {
  const [row] = await sql.query<{
    session_id: string | null
    root_hash: Hex | null
    issued_s: number | null
    expires_s: number | null
    revoked_at_ms: number | null
  }>(
    `select session_id, root_hash, issued_s, expires_s, revoked_at_ms from stock_attestations
     where executor = $1`,
    [executor],
  )
  if (!row) return null
  return {
    sessionId: row.session_id,
    rootHash: row.root_hash,
    issuedS: row.issued_s,
    expiresS: row.expires_s,
    revokedAtMs: row.revoked_at_ms,
  }
}

/** The owner's latest attestation, over all executors of the agent: a new one must be issued after it. */
export async function stockNotBefore(sql: Sql, agentId: string): Promise<number | null> {
  const [row] = await sql.query<{ at: number | null }>(
    'select max(greatest(issued_s, revoked_at_ms / 1000)) as at from stock_attestations where agent_id = $1',
    [agentId],
  )
  return row?.at ?? null
}

export async function putStockAttestation(
  sql: Sql,
  word: {
    executor: Address
    agentId: string
    sessionId: string
    rootHash: Hex
    issuedS: number
    expiresS: number
    signature: Hex
    atMs: number
  },
): Promise<void> {
  await sql.query(
    `insert into stock_attestations (executor, agent_id, session_id, root_hash, issued_s, expires_s,
       signature, accepted_at_ms)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (executor) do update set session_id = $3, root_hash = $4, issued_s = $5, expires_s = $6,
       signature = $7, accepted_at_ms = $8, revoked_at_ms = null`,
    [
      word.executor,
      word.agentId,
      word.sessionId,
      word.rootHash,
      word.issuedS,
      word.expiresS,
      word.signature,
      word.atMs,
    ],
  )
}

/** Also works before any attestation was given: one issued earlier is then never accepted. */
export async function revokeStockAttestation(
  sql: Sql,
  { address, agentId }: Pick<Executor, 'address' | 'agentId'>,
  atMs: number,
): Promise<number> {
  const [row] = await sql.query<{ at: number }>(
    `insert into stock_attestations (executor, agent_id, revoked_at_ms) values ($1, $2, $3)
     on conflict (executor) do update set revoked_at_ms = $3
     returning revoked_at_ms as at`,
    [address, agentId, atMs],
  )
  return row!.at
}

/**
 * A leaf has one nonce: false when it was signed with another. A leaf that was signed again since may have a
 * later one, because its first transaction may have reverted.
 */
export async function putExecutorTx(
  sql: Sql,
  tx: { rootHash: Hex; sequence: number; executor: Address; nonce: number; atMs: number },
): Promise<boolean> {
  const rows = await sql.query(
    `insert into executor_txs (root_hash, sequence, executor, nonce, signed_at_ms) values ($1, $2, $3, $4, $5)
     on conflict (root_hash, sequence) do update set signed_at_ms = $5, nonce = $4
     where executor_txs.nonce = $4 or executor_txs.nonce < $4 and exists (select from leaves l
       where l.root_hash = $1 and l.sequence = $2 and l.signed_at_ms > executor_txs.signed_at_ms)
     returning nonce`,
    [tx.rootHash, tx.sequence, tx.executor, tx.nonce, tx.atMs],
  )
  return rows.length > 0
}

export async function findLastRefund(sql: Sql, executor: Address): Promise<Refund | null> {
  const [row] = await sql.query<{
    executor: Address
    nonce: number
    to_wallet: Address
    value_wei: string
    balance_wei: string
    gas: number
    max_fee_per_gas: string
    raw: Hex
    tx_hash: Hex
    signed_at_ms: number
  }>(
    `select executor, nonce, to_wallet, value_wei, balance_wei, gas, max_fee_per_gas, raw, tx_hash,
       signed_at_ms
     from refunds where executor = $1 order by nonce desc limit 1`,
    [executor],
  )
  if (!row) return null
  return {
    executor: row.executor,
    nonce: row.nonce,
    to: row.to_wallet,
    valueWei: BigInt(row.value_wei),
    balanceWei: BigInt(row.balance_wei),
    gas: row.gas,
    maxFeePerGasWei: BigInt(row.max_fee_per_gas),
    raw: row.raw,
    txHash: row.tx_hash,
    signedAtMs: row.signed_at_ms,
  }
}

export async function addRefund(sql: Sql, refund: Refund): Promise<void> {
  await sql.query(
    `insert into refunds (executor, nonce, to_wallet, value_wei, balance_wei, gas, max_fee_per_gas, raw,
       tx_hash, signed_at_ms)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      refund.executor,
      refund.nonce,
      refund.to,
      refund.valueWei,
      refund.balanceWei,
      refund.gas,
      refund.maxFeePerGasWei,
      refund.raw,
      refund.txHash,
      refund.signedAtMs,
    ],
  )
}
