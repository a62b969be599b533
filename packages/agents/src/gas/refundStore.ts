import { type Address, bytesToHex, type Hex, hexToBytes } from '@pit/chain'
import type { Sql } from '@pit/platform/db'

export type RefundStatus = 'mined' | 'reverted' | 'sent' | 'uncertain'

/** One signed transfer of an executor's ETH to its owner. */
export interface Refund {
  executor: Address
  agentId: string
  to: Address
  valueWei: bigint
  balanceWei: bigint
  txHash: Hex
  raw: Hex
  nonce: number
  gas: number
  maxFeePerGasWei: bigint
  status: RefundStatus
  block: number | null
  relayError: string | null
}

interface Row {
  executor: Address
  agent_id: string
  to_wallet: Address
  value_wei: string
  balance_wei: string
  tx_hash: Hex
  raw: Uint8Array
  nonce: number
  gas: number
  max_fee_per_gas: string
  status: RefundStatus
  block: number | null
  relay_error: string | null
}

const COLUMNS = `executor, agent_id, to_wallet, value_wei, balance_wei, tx_hash, raw, nonce, gas,
  max_fee_per_gas, status, block, relay_error`

const refundOf = (row: Row): Refund => ({
  executor: row.executor,
  agentId: row.agent_id,
  to: row.to_wallet,
  valueWei: BigInt(row.value_wei),
  balanceWei: BigInt(row.balance_wei),
  txHash: row.tx_hash,
  raw: bytesToHex(row.raw),
  nonce: row.nonce,
  gas: row.gas,
  maxFeePerGasWei: BigInt(row.max_fee_per_gas),
  status: row.status,
  block: row.block,
  relayError: row.relay_error,
})

/** The refund still to be mined: without a final status, and not replaced by a later one. */
export const openOf = (refunds: readonly Refund[]): Refund | undefined =>
  refunds.find(
    ({ status, executor, nonce }) =>
      (status === 'sent' || status === 'uncertain') &&
      !refunds.some((later) => later.executor === executor && later.nonce > nonce),
  )

/** Refunds of all executors the agent ever had, newest first. */
export async function refundsOf(sql: Sql, agentId: string): Promise<Refund[]> {
  const rows = await sql.query<Row>(
    `select ${COLUMNS} from hosted_refunds where agent_id = $1 order by created_at_s desc, nonce desc`,
    [agentId],
  )
  return rows.map(refundOf)
}

export async function lastRefund(sql: Sql, agentId: string): Promise<Refund | null> {
  const [row] = await sql.query<Row>(
    `select ${COLUMNS} from hosted_refunds where agent_id = $1
     order by created_at_s desc, nonce desc limit 1`,
    [agentId],
  )
  return row ? refundOf(row) : null
}

/**
 * Stores a refund before its bytes are sent. Returns the stored row, and whether the same bytes were stored
 * before.
 */
export async function keepRefund(
  sql: Sql,
  refund: Omit<Refund, 'status' | 'block' | 'relayError'>,
  atS: number,
): Promise<{ refund: Refund; already: boolean }> {
  const rows = await sql.query<Row>(
    `insert into hosted_refunds (executor, agent_id, to_wallet, value_wei, balance_wei, tx_hash, raw, nonce,
       gas, max_fee_per_gas, status, created_at_s)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'uncertain', $11)
     on conflict (executor, nonce) do nothing
     returning ${COLUMNS}`,
    [
      refund.executor,
      refund.agentId,
      refund.to,
      refund.valueWei,
      refund.balanceWei,
      refund.txHash,
      hexToBytes(refund.raw),
      refund.nonce,
      refund.gas,
      refund.maxFeePerGasWei,
      atS,
    ],
  )
  if (rows[0]) return { refund: refundOf(rows[0]), already: false }
  const [stored] = await sql.query<Row>(
    `select ${COLUMNS} from hosted_refunds where executor = $1 and nonce = $2`,
    [refund.executor, refund.nonce],
  )
  return { refund: refundOf(stored!), already: true }
}

/** Updates a refund's status. `mined` and `reverted` are final; `sent` does not become `uncertain`. */
export async function markRefund(
  sql: Sql,
  { executor, nonce }: Pick<Refund, 'executor' | 'nonce'>,
  { status, block, relayError }: Pick<Refund, 'status' | 'block' | 'relayError'>,
): Promise<Refund> {
  const [row] = await sql.query<Row>(
    `update hosted_refunds set
       status = case when status in ('mined', 'reverted') or (status = 'sent' and $3 = 'uncertain')
         then status else $3 end,
       block = coalesce(block, $4),
       relay_error = case when status in ('mined', 'reverted') then relay_error else $5 end
     where executor = $1 and nonce = $2 returning ${COLUMNS}`,
    [executor, nonce, status, block, relayError],
  )
  return refundOf(row!)
}

/** Relayed refunds without a final status, least recently checked first; marks them as checked now. */
export async function takeOpenRefunds(sql: Sql, nowS: number, limit: number): Promise<Refund[]> {
  const rows = await sql.query<Row>(
    `with oldest as (
       select executor as of, nonce as at from hosted_refunds where status in ('sent', 'uncertain')
       order by looked_at_s, created_at_s limit $2 for update skip locked)
     update hosted_refunds set looked_at_s = $1 from oldest where executor = oldest.of and nonce = oldest.at
     returning ${COLUMNS}`,
    [nowS, limit],
  )
  return rows.map(refundOf)
}
