import type { Address, Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { FeeClass, FeeSide } from '@pit/protocol'
import type { TradeStatus, TxKind } from './types.ts'

/** Reads of relayed transactions for other packages. Each takes `Sql`, so it can join the caller's transaction. */

export interface TradeNow {
  id: number
  status: TradeStatus
  /** Null if it pays no fee. */
  fee: { bps: number; class: FeeClass; tier: number } | null
  /** Received once it is mined, its minimum before; null if unknown. */
  amountOut: bigint | null
}

/** Status of transactions by hash; one that was never relayed is absent. */
export async function tradesByHash(sql: Sql, hashes: readonly Hex[]): Promise<Map<Hex, TradeNow>> {
  if (hashes.length === 0) return new Map()
  const rows = await sql.query<{
    tx_hash: Hex
    id: number
    status: TradeStatus
    fee_bps: number | null
    fee_class: FeeClass
    fee_tier: number
    amount_out: string | null
  }>(
    `select tx_hash, id, status, fee_bps, fee_class, fee_tier, amount_out from trades
     where tx_hash = any($1::text[])`,
    [hashes],
  )
  return new Map(
    rows.map(({ tx_hash, id, status, fee_bps, fee_class, fee_tier, amount_out }) => [
      tx_hash,
      {
        id,
        status,
        fee: fee_bps === null ? null : { bps: fee_bps, class: fee_class, tier: fee_tier },
        amountOut: amount_out === null ? null : BigInt(amount_out),
      },
    ]),
  )
}

/** Whether it may still be mined or removed by the chain. */
export const isUnderWay = ({ status }: Pick<TradeNow, 'status'>): boolean =>
  status === 'relaying' || status === 'pending'

/** A relayed transaction that is not mined yet. */
export interface WaitingTx {
  nonce: number
  hash: Hex
  sentAtMs: number
}

/** Of a signer's transactions relayed before a time and not mined, the one with the lowest nonce. */
export async function longestWaiting(sql: Sql, signer: Address, beforeMs: number): Promise<WaitingTx | null> {
  const [row] = await sql.query<{ nonce: number; tx_hash: Hex; created_at_ms: number }>(
    `select nonce, tx_hash, created_at_ms from trades
     where status in ('relaying', 'pending') and signer = $1 and created_at_ms < $2 order by nonce limit 1`,
    [signer, beforeMs],
    { prepared: true },
  )
  return row ? { nonce: row.nonce, hash: row.tx_hash, sentAtMs: row.created_at_ms } : null
}

/** The same of every signer with such a transaction, up to a number of signers. */
export async function longestWaitingOfAll(
  sql: Sql,
  beforeMs: number,
  limit: number,
): Promise<Map<Address, WaitingTx>> {
  const rows = await sql.query<{ signer: Address; nonce: number; tx_hash: Hex; created_at_ms: number }>(
    `select distinct on (signer) signer, nonce, tx_hash, created_at_ms from trades
     where status in ('relaying', 'pending') and created_at_ms < $1 order by signer, nonce limit $2`,
    [beforeMs, limit],
    { prepared: true },
  )
  return new Map(
    rows.map(({ signer, nonce, tx_hash: hash, created_at_ms: sentAtMs }) => [
      signer,
      { nonce, hash, sentAtMs },
    ]),
  )
}

/** A trade relayed before, as recorded then. */
export interface RelayedTrade {
  tokenIn: Address
  tokenOut: Address
  minOut: bigint
  fee: { bps: number; class: FeeClass; tier: number; side: FeeSide; token: Address; recipient: Address }
}

/** The record of bytes relayed before, here or in another process; null if they never were. */
export async function findRelayed(sql: Sql, hash: Hex): Promise<'in_flight' | RelayedTrade | null> {
  const [row] = await sql.query<{
    status: TradeStatus
    token_in: Address
    token_out: Address
    amount_out_min: string
    fee_bps: number
    fee_class: FeeClass
    fee_tier: number
    fee_side: FeeSide
    fee_token: Address
    fee_recipient: Address
  }>(
    `select status, token_in, token_out, amount_out_min, fee_bps, fee_class, fee_tier, fee_side, fee_token,
       fee_recipient
     from trades where tx_hash = $1 and kind = 'swap'`,
    [hash],
  )
  // Refused by the sequencer, or dropped: the rules decide again.
  if (!row || row.status === 'refused' || row.status === 'dropped') return null
  if (row.status === 'relaying') return 'in_flight'
  return {
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    minOut: BigInt(row.amount_out_min),
    fee: {
      bps: row.fee_bps,
      class: row.fee_class,
      tier: row.fee_tier,
      side: row.fee_side,
      token: row.fee_token,
      recipient: row.fee_recipient,
    },
  }
}

/** A wallet's valued volume after a time, and whether it paid any fee for it. */
export async function paidVolumeSince(
  sql: Sql,
  wallet: Address,
  sinceS: number,
): Promise<{ volumeMicroUsd: bigint; paidFees: boolean }> {
  const [row] = await sql.query<{ volume: string; paid: boolean }>(
    `select coalesce(sum(volume_micro_usd), 0) as volume,
       exists (select 1 from trades join fees on fees.trade_id = trades.id
         where trades.wallet = $1 and trades.mined_at_s > $2 and trades.volume_micro_usd is not null
           and fees.atoms > 0) as paid
     from trades where wallet = $1 and mined_at_s > $2 and volume_micro_usd is not null`,
    [wallet, sinceS],
  )
  return { volumeMicroUsd: BigInt(row?.volume ?? 0), paidFees: row?.paid ?? false }
}

/** Relayed transactions of a period that may still be mined, or removed by a reorg. */
export async function countOpen(
  sql: Sql,
  { sinceS = 0, beforeS, unsettledToo }: { sinceS?: number; beforeS: number; unsettledToo: boolean },
): Promise<number> {
  const [row] = await sql.query<{ open: number }>(
    `select count(*)::int4 as open from trades
     where (status in ('relaying', 'pending')
         and created_at_ms >= $3::int8 * 1000 and created_at_ms < $1::int8 * 1000)
       or ($2 and status = 'mined' and not settled and mined_at_s < $1)`,
    [beforeS, unsettledToo, sinceS],
  )
  return row?.open ?? 0
}

/** A relayed transaction of a wallet, as recorded in the ledger. */
export interface LedgerTrade {
  id: number
  kind: TxKind
  wallet: Address
  status: TradeStatus
  /** Final. */
  settled: boolean
  tokenIn: Address | null
  tokenOut: Address | null
  amountIn: bigint | null
  amountOut: bigint | null
  txHash: Hex
  minedAtS: number | null
  block: number | null
  /** From its receipt; null if not recorded. */
  gasWei: bigint | null
  createdAtMs: number
}

interface LedgerRow {
  id: number
  kind: TxKind
  wallet: Address
  status: TradeStatus
  settled: boolean
  token_in: Address | null
  token_out: Address | null
  amount_in: string | null
  amount_out: string | null
  tx_hash: Hex
  mined_at_s: number | null
  block: number | null
  gas_wei: string | null
  created_at_ms: number
}

const LEDGER_COLUMNS = `id, kind, wallet, status, settled, token_in, token_out, amount_in, amount_out,
  tx_hash, mined_at_s, block, gas_wei, created_at_ms`
const atoms = (text: string | null): bigint | null => (text === null ? null : BigInt(text))
const ledgerTradeOf = (row: LedgerRow): LedgerTrade => ({
  id: row.id,
  kind: row.kind,
  wallet: row.wallet,
  status: row.status,
  settled: row.settled,
  tokenIn: row.token_in,
  tokenOut: row.token_out,
  amountIn: atoms(row.amount_in),
  amountOut: atoms(row.amount_out),
  txHash: row.tx_hash,
  minedAtS: row.mined_at_s,
  block: row.block,
  gasWei: atoms(row.gas_wei),
  createdAtMs: row.created_at_ms,
})

/** The next relayed ids of these wallets after one, in order: only ids, since most may be known already. */
export async function relayedIdsAfter(
  sql: Sql,
  { wallets, afterId, limit }: { wallets: readonly string[]; afterId: number; limit: number },
): Promise<number[]> {
  const rows = await sql.query<{ id: number }>(
    `select id from trades where id > $1 and tx_hash is not null and wallet = any($2::text[])
     order by id limit $3`,
    [afterId, wallets, limit],
  )
  return rows.map(({ id }) => id)
}

/** Whose row this is, and whether it was relayed as a swap. */
export interface RelayedRow {
  id: number
  wallet: Address
  isSwap: boolean
  createdAtS: number
}

/** Rows of every kind after an id, in order; those of the last seconds may be added out of order. */
export async function rowsAfter(
  sql: Sql,
  { afterId, beforeMs, limit }: { afterId: number; beforeMs: number; limit: number },
): Promise<RelayedRow[]> {
  const rows = await sql.query<{ id: number; wallet: Address; is_swap: boolean; created_at_ms: number }>(
    `select id, wallet, kind = 'swap' and tx_hash is not null as is_swap, created_at_ms from trades
     where id > $1 order by id limit $2`,
    [afterId, limit],
  )
  const recent = rows.findIndex(({ created_at_ms }) => created_at_ms >= beforeMs)
  return rows.slice(0, recent === -1 ? rows.length : recent).map((row) => ({
    id: row.id,
    wallet: row.wallet,
    isSwap: row.is_swap,
    createdAtS: Math.floor(row.created_at_ms / 1_000),
  }))
}

/** Trades by id, in relay order; a deleted one is absent. */
export async function tradesByIds(sql: Sql, ids: readonly number[]): Promise<LedgerTrade[]> {
  if (ids.length === 0) return []
  const rows = await sql.query<LedgerRow>(
    `select ${LEDGER_COLUMNS} from trades where id = any($1::int8[]) and tx_hash is not null order by id`,
    [ids],
  )
  return rows.map(ledgerTradeOf)
}

/** Trades of these wallets mined within a period. */
export async function minedBetween(
  sql: Sql,
  { wallets, fromS, beforeS }: { wallets: readonly string[]; fromS: number; beforeS: number },
): Promise<LedgerTrade[]> {
  const rows = await sql.query<LedgerRow>(
    `select ${LEDGER_COLUMNS} from trades
     where status in ('mined', 'reverted') and mined_at_s >= $2 and mined_at_s < $3
       and wallet = any($1::text[])`,
    [wallets, fromS, beforeS],
  )
  return rows.map(ledgerTradeOf)
}

/** The last id after `afterId` relayed before a time; null without one. */
export async function lastIdBefore(sql: Sql, afterId: number, beforeMs: number): Promise<number | null> {
  const [row] = await sql.query<{ id: number | null }>(
    'select max(id) as id from trades where id > $1 and created_at_ms < $2',
    [afterId, beforeMs],
  )
  return row?.id ?? null
}
