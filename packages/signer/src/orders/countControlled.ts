import type { Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { boundControls, CONTROLS, exchangeUp, markPrice, SESSION } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import type { Failure } from '../checks.ts'
import { failuresOf } from '../checks.ts'
import type { LeafFacts } from '../leaves/rules.ts'
import { NAMED } from '../ledger/countLeaves.ts'
import { readFrozen } from '../ledger/openLedger.ts'
import { readStanding } from '../ledger/readStanding.ts'
import { standingRules } from '../ledger/rules.ts'
import type { LeafRequest, LeafVerdict, Standing } from '../ledger/types.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { Session } from '../roots/readRoots.ts'
import { addedBy, type ControlFacts, controlRules, isAgain } from './controlRules.ts'
import { countJudged } from './countJudged.ts'
import { readControls } from './readControls.ts'
import type { TriggerReader } from './readTrigger.ts'
import { findOrder, firstFillMs, lockRoot, markMet } from './store.ts'
import { triggerFault } from './triggers.ts'
import type { PartLeaf, StoredOrder } from './types.ts'

export interface ControlDeps {
  db: Db
  clock: Clock
  pins: Pins
  prices: Pick<Prices, 'own' | 'last' | 'headS'>
  triggers: TriggerReader
}

export interface ControlledLeaf {
  session: Session
  facts: LeafFacts
  request: LeafRequest
}

export type ControlledVerdict =
  | (Extract<LeafVerdict, { ok: true }> & { expiresS: number })
  | Extract<LeafVerdict, { ok: false }>

/**
 * Judges and counts a leaf of a session with controls. One statement reads the session's state, another counts
 * the leaf if the state is still the same; otherwise both run again under the root's lock. Another call of a part
 * that may still be sent gets the sequence of the first, which can run only once.
 */
export async function countControlled(deps: ControlDeps, leaf: ControlledLeaf): Promise<ControlledVerdict> {
  const fault = await showTrigger(deps, leaf, 'store')
  const verdict = await judgeAndCount(deps.db, deps, { leaf, fault, isLocked: false })
  if (verdict) return verdict
  return deps.db.transaction(async (sql) => {
    await lockRoot(sql, leaf.session.rootHash)
    const locked = await judgeAndCount(sql, deps, { leaf, fault, isLocked: true })
    if (!locked) throw new Error('the state of a root changed under its lock')
    return locked
  })
}

/** Null if it needs the root's lock. */
async function judgeAndCount(
  sql: Sql,
  deps: ControlDeps,
  { leaf, fault, isLocked }: { leaf: ControlledLeaf; fault: Failure | null; isLocked: boolean },
): Promise<ControlledVerdict | null> {
  const { session, facts, request } = leaf
  const { rootHash, binding } = session
  const atMs = deps.clock.nowMs()
  const { controls, state } = await readControls(sql, deps, { session, facts, triggerFault: fault, atMs })
  const failures = [...request.failures, ...failuresOf(controlRules, controls)]
  const again = isAgain(controls)
  if (again && !isLocked) return null
  if (again) {
    const standing = await standingOf(sql, rootHash, atMs)
    return countAgain(sql, { leaf, controls, again, failures, standing, atMs })
  }
  const expiresS = expiryOf(controls, session, atMs)
  const { trade, order } = controls
  const verdict = await countJudged(sql, {
    request: { ...request, failures },
    state,
    atMs,
    leaf: trade && {
      orderId: order?.id ?? null,
      part: order?.stored?.part ?? 1,
      trade,
      mostOut: mostOut(facts),
      expiresS,
    },
    breakers: boundControls(binding)!.breakers ?? null,
  })
  if (!verdict?.ok) return verdict
  if (!trade) throw new Error('a call was counted that was not read')
  return { ...verdict, expiresS }
}

async function standingOf(sql: Sql, rootHash: Hex, atMs: number): Promise<Standing> {
  const standing = await readStanding(sql, rootHash, atMs)
  if (!standing) throw new Error('a session is not in the ledger')
  return standing
}

interface Again {
  leaf: ControlledLeaf
  controls: ControlFacts
  again: PartLeaf
  failures: SignerCheck[]
  standing: Standing
  atMs: number
}

/** Another call of a part: the sequence of the first. It counts as one trade, at the largest value. */
async function countAgain(
  sql: Sql,
  { leaf: { session, facts, request }, controls, again, standing, atMs, ...before }: Again,
): Promise<ControlledVerdict> {
  // Locked: a freeze waits for this transaction, or this sees it.
  const frozen = await readFrozen(sql)
  const added = addedBy(controls)
  const failures = [
    ...before.failures,
    ...failuresOf(standingRules, {
      request: { ...request, microUsd: added?.microUsd ?? null },
      standing: { ...standing, frozen },
    }),
  ]
  if (request.sequence !== undefined && request.sequence !== again.sequence) failures.push(OTHER_SEQUENCE)
  if (await isNamed(sql, request, again.sequence)) failures.push(NAMED)
  if (failures.length > 0 || added === null)
    return { ok: false, failures, carrier: standing.hosted ? 'hosted executor' : 'own executor' }
  const expiresS = expiryOf(controls, session, atMs)
  const microUsd = again.microUsd + added.microUsd
  await signPartAgain(sql, { facts, request, sequence: again.sequence, microUsd, expiresS, atMs })
  const { max_trades, max_day_micro_usd } = session.binding.limits
  const day = Number(standing.dayMicroUsd + added.microUsd)
  return {
    ok: true,
    sequence: again.sequence,
    atMs,
    expiresS,
    spend: {
      trades: standing.sequence,
      trades_left: max_trades - standing.sequence,
      day_micro_usd: day,
      day_left_micro_usd: max_day_micro_usd - day,
      this_micro_usd: Number(microUsd),
    },
  }
}

const OTHER_SEQUENCE: SignerCheck = {
  rule: 'SEQUENCE',
  ok: false,
  message: 'The part was signed under another sequence number.',
}

/** Reads the rounds that the request names; a trigger they show as met stays met. */
export async function showTrigger(
  { db, clock, triggers }: ControlDeps,
  { session, facts: { request } }: Pick<ControlledLeaf, 'session' | 'facts'>,
  met: 'store' | 'forget',
): Promise<Failure | null> {
  const stored = request.order ? await findOrder(db, session.rootHash, request.order.id) : null
  if (!request.order || !stored || stored.metAtMs !== null || stored.order.trigger.kind === 'none')
    return null
  const sinceMs = await triggerSinceMs(db, stored)
  const reading = await triggers.read(stored.order.trigger, request.order.rounds)
  const nowMs = clock.nowMs()
  const fault = triggerFault(stored.order.trigger, reading, { sinceMs, nowMs })
  if (fault === null && met === 'store') await markMet(db, stored.id, nowMs)
  return fault
}

/** The registration, the order's start and, for an exit, the first settled fill of its entry; null before it. */
async function triggerSinceMs(sql: Sql, { parentId, registeredAtMs, order }: StoredOrder) {
  const filledMs = parentId === null ? 0 : await firstFillMs(sql, parentId)
  return filledMs === null ? null : Math.max(registeredAtMs, order.startsAt * 1000, filledMs)
}

/** The earliest of a leaf's lifetime, its part's hard end, its order's end and the session's. */
function expiryOf(controls: ControlFacts, { binding }: Session, atMs: number): number {
  const nowS = Math.floor(atMs / 1000)
  const firstMs = isAgain(controls)?.firstSignedAtMs ?? atMs
  const partEnds = Math.floor(firstMs / 1000) + CONTROLS.partTtlS
  const orderEnds = controls.order?.stored?.order.expiresAt ?? partEnds
  return Math.min(nowS + SESSION.leafTtlS, partEnds, orderEnds, binding.expires_at)
}

async function isNamed(sql: Sql, { rootHash, clientId }: LeafRequest, sequence: number): Promise<boolean> {
  if (clientId === undefined) return false
  const rows = await sql.query(
    'select from leaves where root_hash = $1 and client_id = $2 and sequence <> $3',
    [rootHash, clientId, sequence],
  )
  return rows.length > 0
}

interface PartCall {
  facts: LeafFacts
  request: LeafRequest
  sequence: number
  microUsd: bigint
  expiresS: number
  atMs: number
}

/** The rows then describe the call that was signed last, with the largest amounts and the smallest minimum. */
async function signPartAgain(
  sql: Sql,
  { facts, request, sequence, microUsd, expiresS, atMs }: PartCall,
): Promise<void> {
  const { rootHash, executionHash, clientId } = request
  if ('rule' in facts.trade) throw new Error('a call was counted that was not read')
  await sql.query(
    `update order_leaves set min_out = least(min_out, $3), expires_at_s = greatest(expires_at_s, $4),
       micro_usd = $5,
       max_out = case when max_out is null or $6::numeric is null then null else greatest(max_out, $6) end
     where root_hash = $1 and sequence = $2`,
    [rootHash, sequence, facts.trade.amountOutMin, expiresS, microUsd, mostOut(facts)],
  )
  // Its day counts from now on: it may be sent until this call expires.
  await sql.query(
    `with before as (select micro_usd, signed_at_ms from leaves where root_hash = $1 and sequence = $2),
     after as (update leaves set signed_at_ms = greatest(signed_at_ms, $3), execution_hash = $4, client_id = $5,
         micro_usd = $6
       where root_hash = $1 and sequence = $2 returning micro_usd, signed_at_ms)
     update roots set version = version + 1, day_micro_usd = day_micro_usd
       - case when before.signed_at_ms > day_from_ms then before.micro_usd else 0 end
       + case when after.signed_at_ms > day_from_ms then after.micro_usd else 0 end
     from before, after where hash = $1`,
    [rootHash, sequence, atMs, executionHash, clientId ?? null, microUsd],
  )
}

/** Received amounts are credited up to the input's value and 1%; null if a price is not the co-signer's. */
function mostOut({ trade, priceOf }: LeafFacts): bigint | null {
  if ('rule' in trade) return null
  const [paid, out] = [priceOf(trade.tokenIn), priceOf(trade.tokenOut)]
  if ('why' in paid || 'why' in out || paid.by === 'owner' || out.by === 'owner') return null
  const most = exchangeUp(
    trade.amountIn * 101n,
    markPrice(paid.priceE18, paid.decimals),
    markPrice(out.priceE18, out.decimals),
  )
  return most / 100n > trade.amountOutMin ? most / 100n : trade.amountOutMin
}
