import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { FollowedRow } from './receipts/types.ts'
import type { RelayRequest, TradeStatus } from './types.ts'

/** The part of a request that its row stores: the trade of a swap, the fee of what pays one. */
const storedPart = ({ kind, terms }: RelayRequest) => ({
  trade: kind === 'swap' ? terms : null,
  fee: kind === 'swap' || kind === 'fee_transfer' ? (terms?.fee ?? null) : null,
})

/** A row as just inserted, to follow it without reading it back. */
export function followedRow(request: RelayRequest, id: number, nowMs: number): FollowedRow {
  const { trade, fee } = storedPart(request)
  const { terms } = request
  const { hash, signer, nonce } = request.signed
  return {
    id,
    kind: request.kind,
    wallet: request.wallet,
    status: 'relaying',
    token_in: trade?.tokenIn ?? null,
    token_out: trade?.tokenOut ?? null,
    amount_in: trade?.amountIn.toString() ?? null,
    amount_out_min: trade?.amountOutMin.toString() ?? null,
    tx_hash: hash,
    signer,
    nonce,
    fee_bps: fee?.bps ?? null,
    fee_class: fee?.class ?? null,
    fee_side: fee?.side ?? null,
    fee_token: fee?.token ?? null,
    fee_amount: fee?.amount?.toString() ?? null,
    fee_recipient: fee?.recipient ?? null,
    fee_apart: trade?.feeApart ?? false,
    block: null,
    block_hash: null,
    session_id: terms?.sessionId ?? null,
    created_at_ms: nowMs,
  }
}

/** Inserts the row before the bytes are sent; null if it, or another swap with its fee, exists. */
export async function insertRelaying(sql: Sql, request: RelayRequest, nowMs: number): Promise<number | null> {
  const { signed, kind, terms } = request
  const { trade, fee } = storedPart(request)
  const [row] = await sql.query<{ id: number }>(
    `insert into trades (kind, wallet, key_id, path, session_id, status, token_in, token_out, amount_in,
       amount_out, amount_out_kind, amount_out_min, tx_hash, signer, nonce, fee_bps, fee_class, fee_tier,
       fee_side, fee_token, fee_amount, fee_recipient, fee_apart, fee_tx_hash, volume_token, created_at_ms)
     values ($1, $2, $3, $4, $5, 'relaying', $6, $7, $8, $9::numeric,
       case when $9::numeric is null then null else 'minimum' end, $9::numeric, $10, $11, $12, $13, $14, $15,
       $16, $17, $18, $19, $20, $21, $22, $23)
     on conflict do nothing returning id`,
    [
      kind,
      request.wallet,
      request.keyId,
      terms?.path ?? 'agent',
      terms?.sessionId ?? null,
      trade?.tokenIn ?? null,
      trade?.tokenOut ?? null,
      trade?.amountIn ?? null,
      trade?.amountOutMin ?? null,
      signed.hash,
      signed.signer,
      signed.nonce,
      fee?.bps ?? null,
      fee?.class ?? null,
      fee?.tier ?? null,
      fee?.side ?? null,
      fee?.token ?? null,
      fee?.amount ?? null,
      fee?.recipient ?? null,
      trade?.feeApart ?? false,
      trade?.feeApart ? (request.feeTxHash ?? null) : null,
      trade?.volumeToken ?? null,
      nowMs,
    ],
    { prepared: true },
  )
  return row?.id ?? null
}

/** Claims a refused transaction for another attempt, by one call at a time. */
export async function claimRefused(sql: Sql, request: RelayRequest, nowMs: number): Promise<number | null> {
  const [row] = await sql.query<{ id: number }>(
    `update trades set status = 'relaying', code = null, key_id = $2, created_at_ms = $3, settled = false,
       fee_tx_hash = coalesce($4, fee_tx_hash), amount_out = amount_out_min,
       amount_out_kind = case when amount_out_min is null then null else 'minimum' end
     where tx_hash = $1 and status = 'refused' returning id`,
    [request.signed.hash, request.keyId, nowMs, request.feeTxHash ?? null],
  )
  return row?.id ?? null
}

/** Marks a row refused. False when it is no longer being relayed: the chain knew the bytes. */
export async function markRefused(sql: Sql, id: number, code: string): Promise<boolean> {
  const rows = await sql.query(
    `update trades set status = 'refused', code = $2, amount_out = null, amount_out_kind = null
     where id = $1 and status = 'relaying' returning id`,
    [id, code],
  )
  return rows.length === 1
}

/** Marks accepted or possibly accepted rows. A row dropped in the meantime is followed again. */
export async function markPending(sql: Sql, ids: readonly number[]): Promise<void> {
  await sql.query(
    `update trades set status = 'pending', settled = false, amount_out = amount_out_min,
       amount_out_kind = case when amount_out_min is null then null else 'minimum' end
     where id = any($1::int8[]) and status in ('relaying', 'dropped')`,
    [ids],
    { prepared: true },
  )
}

export async function statusOf(sql: Sql, hash: Hex): Promise<TradeStatus | null> {
  const [row] = await sql.query<{ status: TradeStatus }>(
    'select status from trades where tx_hash = $1',
    [hash],
    { prepared: true },
  )
  return row?.status ?? null
}

/** Whether a wallet's approval is pending, or was relayed after a time and mined. */
export async function hasApproved(sql: Sql, wallet: Address, sinceMs: number): Promise<boolean> {
  const rows = await sql.query(
    `select 1 from (
       select kind, status, created_at_ms from trades where wallet between $1 and $1
       order by wallet, id desc limit ${NEWEST}) as newest
     where kind = 'approve'
       and (status in ('relaying', 'pending') or (status = 'mined' and created_at_ms >= $2)) limit 1`,
    [wallet, sinceMs],
  )
  return rows.length > 0
}
const NEWEST = 50

/** The hashes that were relayed here before, with any outcome. */
export async function relayedAmong(sql: Sql, hashes: readonly Hex[]): Promise<Set<Hex>> {
  const rows = await sql.query<{ tx_hash: Hex }>(
    'select tx_hash from trades where tx_hash = any($1::text[])',
    [hashes],
  )
  return new Set(rows.map(({ tx_hash }) => tx_hash))
}
