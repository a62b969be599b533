import { type Address, bytesToHex, type Hex, hexToBytes } from '@pit/chain'
import { type Cache, createCache } from '@pit/platform/cache'
import type { Sql } from '@pit/platform/db'
import type { FeeClass, FeeSide } from '@pit/protocol'
import { type Built, unpacked } from './planHash.ts'
import type { PlannedTx, TradePath, TxKind } from './types.ts'

/** Transactions stored recently by this process, so that submitting them needs no lookup. */
export type PlanCache = Cache<string, PlannedTx>
export const createPlanCache = (max = 4_000): PlanCache => createCache({ max })
export const planKey = (keyId: number, hash: Hex): string => `${keyId}:${hash}`

/** A plan's steps are approvals, a separate fee and the swap. */
export const approvalsBeforeOf = ({
  kind,
  step,
  feeApart,
}: {
  kind: TxKind
  step: number
  feeApart: boolean
}): number => (kind === 'swap' && feeApart ? step - 1 : step)

interface PlannedRow {
  hash: Hex
  kind: TxKind
  step: number
  sender: Address
  created_at_s: number
  expires_at_s: number
  plan_id: number | null
  wallet: Address
  path: TradePath
  session_id: string | null
  token_in: Address
  token_out: Address
  amount_in: string
  amount_out_min: string
  fee_bps: number
  fee_class: FeeClass
  fee_tier: number
  fee_side: FeeSide
  fee_token: Address
  fee_amount: string | null
  fee_recipient: Address
  fee_apart: boolean
  volume_token: Address | null
}

/**
 * The hashes that were built for this key: from memory, the rest in one read. An entry that expired in memory is
 * read again, since another process may have planned it anew.
 */
export async function findPlanned(
  { db, plans }: { db: Sql; plans: PlanCache },
  keyId: number,
  hashes: readonly Hex[],
  nowS: number,
): Promise<Map<Hex, PlannedTx>> {
  const planned = new Map<Hex, PlannedTx>()
  const unknown: Hex[] = []
  for (const hash of hashes) {
    const cached = plans.get(planKey(keyId, hash))
    if (cached && cached.expiresAtS >= nowS) planned.set(hash, cached)
    else unknown.push(hash)
  }
  if (unknown.length === 0) return planned
  const rows = await db.query<PlannedRow>(
    `select t.hash, t.kind, t.step, t.sender, t.created_at_s, t.expires_at_s, t.plan_id, p.wallet, p.path,
       p.session_id, p.token_in, p.token_out, p.amount_in, p.amount_out_min, p.fee_bps, p.fee_class,
       p.fee_tier, p.fee_side, p.fee_token, p.fee_amount, p.fee_recipient, p.fee_apart, p.volume_token
     from plan_txs t left join plans p on p.id = t.plan_id
     where t.key_id = $1 and t.hash = any($2::text[]) and (t.plan_id is null or p.id is not null)`,
    [keyId, unknown],
  )
  for (const row of rows) planned.set(row.hash, plannedOf(row))
  return planned
}

function plannedOf(row: PlannedRow): PlannedTx {
  const { kind, step, created_at_s: createdAtS, expires_at_s: expiresAtS } = row
  const times = { createdAtS, expiresAtS }
  if (row.plan_id === null) return { kind, wallet: row.sender, ...times, approvalsBefore: 0, terms: null }
  return {
    kind,
    wallet: row.wallet,
    ...times,
    approvalsBefore: approvalsBeforeOf({ kind, step, feeApart: row.fee_apart }),
    terms: {
      path: row.path,
      sessionId: row.session_id,
      tokenIn: row.token_in,
      tokenOut: row.token_out,
      amountIn: BigInt(row.amount_in),
      amountOutMin: BigInt(row.amount_out_min),
      fee: {
        bps: row.fee_bps,
        class: row.fee_class,
        tier: row.fee_tier,
        side: row.fee_side,
        token: row.fee_token,
        amount: row.fee_amount === null ? null : BigInt(row.fee_amount),
        recipient: row.fee_recipient,
      },
      feeApart: row.fee_apart,
      volumeToken: row.volume_token,
    },
  }
}

const MAX_COMPARED = 8

/** The key's unexpired transactions, those with the fewest differing fields first. */
export async function nearPlans(
  db: Sql,
  keyId: number,
  { from, to, valueWei, data }: Built,
  nowS: number,
): Promise<Built[]> {
  const rows = await db.query<{
    sender: Address
    target: Address
    value_wei: string
    data: Uint8Array
    authorizations: Uint8Array | null
  }>(
    `select sender, target, value_wei, data, authorizations from plan_txs
     where key_id = $1 and expires_at_s >= $2
     order by (sender <> $3)::int4 + (target <> $4)::int4 + (value_wei <> $5)::int4 + (data <> $6)::int4,
       created_at_s desc, plan_id desc nulls last
     limit ${MAX_COMPARED}`,
    [keyId, nowS, from, to, valueWei, Buffer.from(hexToBytes(data))],
  )
  return rows.map((row) => ({
    from: row.sender,
    to: row.target,
    valueWei: BigInt(row.value_wei),
    data: bytesToHex(row.data),
    ...(row.authorizations && { authorizations: unpacked(bytesToHex(row.authorizations)) }),
  }))
}
