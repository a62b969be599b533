import { type Address, type Crypto, type Hex, hexToBytes } from '@pit/chain'
import { type Clock, nowS } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { type CoreSymbol, FEE_SIDE_RANK, type FeeClass, type FeeSide, lower, TRADE } from '@pit/protocol'
import { approvalsBeforeOf, type PlanCache, planKey } from './findPlanned.ts'
import { type Built, packed, planHash } from './planHash.ts'
import type { TradeTerms, TxKind } from './types.ts'

interface PlanEnd {
  address: Address
  core: CoreSymbol | null
  /** The fee class depends on the beacon, not on the listing. */
  record: { stock_beacon: boolean | null }
}
/** The part of a trade's plan that the relay stores. */
export interface StorablePlan {
  quote: {
    tokenIn: PlanEnd
    tokenOut: PlanEnd
    amountIn: bigint
    fee: { bps: number; class: FeeClass; tier: number; side: FeeSide; token: Address; recipient: Address }
  }
  execution: 'router' | 'curve' | 'batch'
  steps: readonly { kind: 'approve' | 'sign_permit' | 'fee_transfer' | 'swap'; tx: Built | null }[]
  feeAmount: bigint | null
  amountOutMin: bigint
  deadlineS: number
}

export interface StorePlanRequest {
  keyId: number
  /** The owner of the trade. */
  wallet: Address
  path: 'agent' | 'session' | 'hosted'
  sessionId?: string | null
  plan: StorablePlan
}
export interface StoreRevocationRequest {
  keyId: number
  wallet: Address
  txs: readonly { tx: Built }[]
}

export interface StoreDeps {
  db: Db
  clock: Clock
  crypto: Pick<Crypto, 'keccak256'>
  plans: PlanCache
}

/** Approvals never expire on chain; after this time they have to be prepared again. */
const APPROVAL_VALID_S = TRADE.permitTradeExpiryS

interface Step {
  hash: Hex
  kind: TxKind
  step: number
  tx: Built
  expiresAtS: number
}

/** One statement, before the plan is returned. Of two plans with the same transaction the newer counts. */
export async function storePlan(deps: StoreDeps, request: StorePlanRequest): Promise<void> {
  const { plan, keyId } = request
  const { tokenIn, tokenOut, amountIn, fee } = plan.quote
  const createdAtS = nowS(deps.clock)
  const terms: TradeTerms = {
    path: request.path,
    sessionId: request.sessionId ?? null,
    tokenIn: lower(tokenIn.address),
    tokenOut: lower(tokenOut.address),
    amountIn,
    amountOutMin: plan.amountOutMin,
    fee: {
      bps: fee.bps,
      class: fee.class,
      tier: fee.tier,
      side: fee.side,
      token: lower(fee.token),
      amount: plan.feeAmount,
      recipient: lower(fee.recipient),
    },
    feeApart: plan.steps.some(({ kind }) => kind === 'fee_transfer'),
    volumeToken: volumeTokenOf(tokenIn, tokenOut),
  }
  const steps: Step[] = []
  for (const [step, { kind, tx }] of plan.steps.entries()) {
    if (tx === null || kind === 'sign_permit') continue
    const expiresAtS = kind === 'approve' ? createdAtS + APPROVAL_VALID_S : plan.deadlineS
    steps.push({ hash: hashOf(deps, tx), kind, step, tx, expiresAtS })
  }
  if (steps.length === 0) return
  await deps.db.query(
    `with plan as (
       insert into plans (key_id, wallet, path, session_id, execution, token_in, token_out, amount_in,
         amount_out_min, fee_bps, fee_class, fee_tier, fee_side, fee_token, fee_amount, fee_recipient,
         fee_apart, volume_token, created_at_s, deadline_s)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
       returning id)
     insert into plan_txs (key_id, hash, plan_id, kind, step, sender, target, value_wei, data, authorizations,
       created_at_s, expires_at_s)
     select $1, given.hash, plan.id, given.kind, given.step, given.sender, given.target,
       given.value_wei::numeric, given.data, given.authorizations, $19, given.expires_at_s
     from plan, ${unnested(21)}
     ${NEWER_COUNTS}`,
    [
      keyId,
      lower(request.wallet),
      terms.path,
      terms.sessionId,
      plan.execution,
      terms.tokenIn,
      terms.tokenOut,
      terms.amountIn,
      terms.amountOutMin,
      terms.fee.bps,
      terms.fee.class,
      terms.fee.tier,
      terms.fee.side,
      terms.fee.token,
      terms.fee.amount,
      terms.fee.recipient,
      terms.feeApart,
      terms.volumeToken,
      createdAtS,
      plan.deadlineS,
      ...columnsOf(steps),
    ],
    { prepared: true },
  )
  for (const { hash, kind, step, expiresAtS } of steps) {
    const approvalsBefore = approvalsBeforeOf({ kind, step, feeApart: terms.feeApart })
    deps.plans.set(planKey(keyId, hash), {
      kind,
      wallet: lower(request.wallet),
      expiresAtS,
      createdAtS,
      approvalsBefore,
      terms,
    })
  }
}

/** The same for revocations, which belong to no trade. */
export async function storeRevocation(deps: StoreDeps, request: StoreRevocationRequest): Promise<void> {
  const createdAtS = nowS(deps.clock)
  const expiresAtS = createdAtS + APPROVAL_VALID_S
  const steps = request.txs.map(
    ({ tx }, step): Step => ({ hash: hashOf(deps, tx), kind: 'revoke', step, tx, expiresAtS }),
  )
  if (steps.length === 0) return
  await deps.db.query(
    `insert into plan_txs (key_id, hash, plan_id, kind, step, sender, target, value_wei, data, authorizations,
       created_at_s, expires_at_s)
     select $1, given.hash, null, given.kind, given.step, given.sender, given.target,
       given.value_wei::numeric, given.data, given.authorizations, $2, given.expires_at_s
     from ${unnested(3)}
     ${NEWER_COUNTS}`,
    [request.keyId, createdAtS, ...columnsOf(steps)],
  )
  for (const { hash } of steps) {
    deps.plans.set(planKey(request.keyId, hash), {
      kind: 'revoke',
      wallet: lower(request.wallet),
      expiresAtS,
      createdAtS,
      approvalsBefore: 0,
      terms: null,
    })
  }
}

const hashOf = ({ crypto }: Pick<StoreDeps, 'crypto'>, { from, to, valueWei, data, authorizations }: Built) =>
  planHash(crypto, {
    from: lower(from),
    to: lower(to),
    valueWei,
    data,
    ...(authorizations && { authorizations }),
  })

const NEWER_COUNTS = `on conflict (key_id, hash) do update set plan_id = excluded.plan_id,
  kind = excluded.kind,
  step = excluded.step, created_at_s = excluded.created_at_s, expires_at_s = excluded.expires_at_s`

const unnested = (first: number): string => {
  const types = ['text', 'text', 'int4', 'text', 'text', 'text', 'bytea', 'bytea', 'int8']
  const arrays = types.map((type, i) => `$${first + i}::${type}[]`).join(', ')
  return `unnest(${arrays}) as given (hash, kind, step, sender, target, value_wei, data, authorizations,
    expires_at_s)`
}

function columnsOf(steps: readonly Step[]): unknown[] {
  // One statement may not write a row twice: of two equal transactions the later step is stored.
  const once = [...new Map(steps.map((step) => [step.hash, step])).values()]
  return [
    once.map(({ hash }) => hash),
    once.map(({ kind }) => kind),
    once.map(({ step }) => step),
    once.map(({ tx }) => lower(tx.from)),
    once.map(({ tx }) => lower(tx.to)),
    once.map(({ tx }) => tx.valueWei.toString()),
    once.map(({ tx }) => Buffer.from(hexToBytes(tx.data))),
    once.map(({ tx: { authorizations } }) =>
      authorizations ? Buffer.from(hexToBytes(packed(authorizations))) : null,
    ),
    once.map(({ expiresAtS }) => expiresAtS),
  ]
}

interface End {
  address: Address
  core: CoreSymbol | null
  record: { stock_beacon: boolean | null }
}

/** Core assets in the fee's order, then tokens on the stock beacon; nothing else is major. */
const rankOf = ({ core, record }: End): number => {
  if (core !== null) return FEE_SIDE_RANK.indexOf(core)
  return record.stock_beacon === true ? FEE_SIDE_RANK.length : Number.POSITIVE_INFINITY
}

/** The token whose value counts toward the volume tier: the major one, of two the higher-ranked one. */
export function volumeTokenOf(tokenIn: End, tokenOut: End): Address | null {
  const first = rankOf(tokenOut) < rankOf(tokenIn) ? tokenOut : tokenIn
  return Number.isFinite(rankOf(first)) ? first.address : null
}
