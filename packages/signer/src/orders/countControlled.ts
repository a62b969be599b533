import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import { boundControls, exchangeUp, markPrice, SESSION } from '@pit/protocol'
import type { SignerCheck } from '@pit/signer-wire'
import { putBook, readBook } from '../brakes/store.ts'
import type { Failure } from '../checks.ts'
import { failuresOf } from '../checks.ts'
import type { LeafFacts } from '../leaves/rules.ts'
import { countLeaves, NAMED } from '../ledger/countLeaves.ts'
import { readStanding } from '../ledger/readStanding.ts'
import { standingRules } from '../ledger/rules.ts'
import type { LeafRequest, LeafVerdict } from '../ledger/types.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { Session } from '../roots/readRoots.ts'
import { type ControlFacts, controlRules, isAgain } from './controlRules.ts'
import { readControls } from './readControls.ts'
import type { TriggerReader } from './readTrigger.ts'
import { findOrder, lockRoot, markMet } from './store.ts'
import { triggerFault } from './triggers.ts'

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
 * Judges and counts a leaf of a session with controls in one transaction, under the lock of its root. Another
 * call of a part that may still be sent gets the sequence of the first, which can run only once.
 */
export async function countControlled(deps: ControlDeps, leaf: ControlledLeaf): Promise<ControlledVerdict> {
  const fault = await showTrigger(deps, leaf, 'store')
  return deps.db.transaction(async (sql) => {
    const { session, facts, request } = leaf
    const { rootHash } = session
    const atMs = deps.clock.nowMs()
    await lockRoot(sql, rootHash)
    const standing = await readStanding(sql, rootHash, atMs)
    if (!standing) throw new Error('a session is not in the ledger')
    const controls = await readControls(sql, deps, { session, facts, standing, triggerFault: fault, atMs })
    const failures = [...request.failures, ...failuresOf(controlRules, controls)]
    const again = isAgain(controls)
    if (again) {
      failures.push(...failuresOf(standingRules, { request, standing }))
      if (request.sequence !== undefined && request.sequence !== again.sequence) failures.push(OTHER_SEQUENCE)
      if (await isNamed(sql, request, again.sequence)) failures.push(NAMED)
      if (failures.length > 0 || request.microUsd === null)
        return { ok: false, failures, carrier: standing.hosted ? 'hosted executor' : 'own executor' }
      const expiresS = expiryOf(controls, session, atMs)
      await signPartAgain(sql, { controls, request, sequence: again.sequence, expiresS, atMs })
      const { max_trades, max_day_micro_usd } = session.binding.limits
      return {
        ok: true,
        sequence: again.sequence,
        atMs,
        expiresS,
        spend: {
          trades: standing.sequence,
          trades_left: max_trades - standing.sequence,
          day_micro_usd: Number(standing.dayMicroUsd),
          day_left_micro_usd: max_day_micro_usd - Number(standing.dayMicroUsd),
          this_micro_usd: Number(again.microUsd),
        },
      }
    }
    const [verdict] = await countLeaves(sql, [{ ...request, failures }], atMs)
    if (!verdict!.ok) return verdict!
    const expiresS = expiryOf(controls, session, atMs)
    await addLeaf(sql, { controls, facts, rootHash, sequence: verdict!.sequence, expiresS, atMs })
    const { breakers } = boundControls(session.binding)!
    // From the first trade on there is a book, so that a loss is measured from zero.
    if (breakers) await putBook(sql, rootHash, await readBook(sql, rootHash, { breakers, atMs }), atMs)
    return { ...verdict!, expiresS }
  })
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
  const reading = await triggers.read(stored.order.trigger, request.order.rounds)
  const nowMs = clock.nowMs()
  const { registeredAtMs } = stored
  const fault = triggerFault(stored.order.trigger, reading, {
    registeredAtMs,
    nowS: Math.floor(nowMs / 1000),
  })
  if (fault === null && met === 'store') await markMet(db, stored.id, nowMs)
  return fault
}

/** The earliest of a leaf's lifetime, its order's end and the session's. */
function expiryOf({ order }: ControlFacts, { binding }: Session, atMs: number): number {
  const lifetime = Math.floor(atMs / 1000) + SESSION.leafTtlS
  const ends = order?.stored?.order.expiresAt ?? lifetime
  return Math.min(lifetime, ends, binding.expires_at)
}

async function isNamed(sql: Sql, { rootHash, clientId }: LeafRequest, sequence: number): Promise<boolean> {
  if (clientId === undefined) return false
  const rows = await sql.query(
    'select from leaves where root_hash = $1 and client_id = $2 and sequence <> $3',
    [rootHash, clientId, sequence],
  )
  return rows.length > 0
}

interface NewLeaf {
  controls: ControlFacts
  sequence: number
  expiresS: number
  atMs: number
}

async function addLeaf(
  sql: Sql,
  { controls, facts, rootHash, sequence, expiresS, atMs }: NewLeaf & { facts: LeafFacts; rootHash: string },
): Promise<void> {
  const { trade, order } = controls
  if (!trade) throw new Error('a call was counted that was not read')
  await sql.query(
    `insert into order_leaves (root_hash, sequence, order_id, part, token_in, token_out, amount_in, min_out,
       max_out, first_signed_at_ms, expires_at_s)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      rootHash,
      sequence,
      order?.id ?? null,
      order?.stored?.part ?? 1,
      trade.tokenIn,
      trade.tokenOut,
      trade.amountIn,
      trade.amountOutMin,
      mostOut(facts),
      atMs,
      expiresS,
    ],
  )
}

/** The row then describes the call that was signed last, with the largest input and the smallest minimum. */
async function signPartAgain(
  sql: Sql,
  { controls: { trade }, request, sequence, expiresS, atMs }: NewLeaf & { request: LeafRequest },
): Promise<void> {
  const { rootHash, executionHash, clientId } = request
  await sql.query(
    `update order_leaves set min_out = least(min_out, $3), expires_at_s = greatest(expires_at_s, $4)
     where root_hash = $1 and sequence = $2`,
    [rootHash, sequence, trade!.amountOutMin, expiresS],
  )
  // Its day counts from now on: it may be sent until this call expires.
  await sql.query(
    `update leaves set signed_at_ms = greatest(signed_at_ms, $3), execution_hash = $4, client_id = $5
     where root_hash = $1 and sequence = $2`,
    [rootHash, sequence, atMs, executionHash, clientId ?? null],
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
