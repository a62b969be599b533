import type { Hex } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import { type BindingControls, boundControls, CONTROLS, SESSION } from '@pit/protocol'
import { type BookPriceOf, profitOf, worstOf } from '../brakes/book.ts'
import { bookPricesOf } from '../brakes/bookPrices.ts'
import { isClosing } from '../brakes/closing.ts'
import { readBook } from '../brakes/store.ts'
import type { Failure } from '../checks.ts'
import { type LeafFacts, lossOf, spentMicroUsd } from '../leaves/rules.ts'
import type { Trade } from '../leaves/types.ts'
import type { Standing } from '../ledger/types.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { Session } from '../roots/readRoots.ts'
import type { BrakeFacts, ControlFacts, OrderInUse } from './controlRules.ts'
import { reserveFor } from './reserve.ts'
import { findOrder, openOrders, readPart, readTotals } from './store.ts'
import type { StoredOrder } from './types.ts'

/** Leaves of the last hour count, and those that may still be sent. */
const UNSIGNED_WINDOW_MS = (CONTROLS.unsignedWindowS + SESSION.leafTtlS) * 1000

export interface ControlInput {
  session: Session
  facts: LeafFacts
  standing: Standing
  triggerFault: Failure | null
  atMs: number
}

/** Everything the control rules need, of a root that is locked (or, in a rehearsal, at one moment). */
export async function readControls(
  sql: Sql,
  { pins, prices }: { pins: Pins; prices: Pick<Prices, 'own' | 'last' | 'headS'> },
  { session, facts, standing, triggerFault, atMs }: ControlInput,
): Promise<ControlFacts> {
  const { binding, rootHash } = session
  const controls = boundControls(binding)
  if (!controls) throw new Error('a session without controls has no control facts')
  const trade = 'rule' in facts.trade ? null : facts.trade
  const { order: requested, slippageBps } = facts.request
  const nowS = Math.floor(atMs / 1000)
  const priceOf = bookPricesOf({ pins, prices, binding, nowMs: atMs })
  const stored = requested ? await findOrder(sql, rootHash, requested.id) : null
  const isClose = trade !== null && isClosing(trade, pins)
  const open = trade === null || isClose ? [] : await openOrders(sql, rootHash, nowS)
  const totals = await readTotals(sql, stored ? [stored, ...open] : open)
  const loss = lossOf(facts)
  return {
    nowMs: atMs,
    headS: prices.headS() ?? nowS,
    limits: binding.limits,
    controls,
    trade,
    isClosing: isClose,
    microUsd: spentMicroUsd(facts),
    slippageBps,
    loss: loss && loss.witness !== 'owner' ? loss : null,
    order: requested ? { id: requested.id, stored: stored && (await inUse(stored, requested.part)) } : null,
    unsignedMicroUsd: requested ? 0n : await unsignedWorth(sql, rootHash, atMs),
    standing,
    reserved: reserveFor(open, {
      totals,
      more: { parentId: stored?.id ?? null, more: trade?.amountOutMin ?? 0n },
      priceOf,
      pins,
      maxTradeMicroUsd: binding.limits.max_trade_micro_usd,
    }),
    brakes: isClose ? null : await readBrakes(sql, rootHash, { controls, trade, priceOf, atMs }),
  }

  async function inUse(order: StoredOrder, part: number): Promise<OrderInUse> {
    const { leaf, otherPartMs } = await readPart(sql, order.id, part)
    const isMet = order.order.trigger.kind === 'none' || order.metAtMs !== null
    return { ...order, part, totals, leaf, otherPartMs, triggerFault: isMet ? null : (triggerFault ?? UNMET) }
  }
}

const UNMET: Failure = { message: 'The order’s trigger was not shown to be met.' }

/** Unsigned trades in the window that are not known to be unused. */
export async function unsignedWorth(sql: Sql, rootHash: Hex, atMs: number): Promise<bigint> {
  const [row] = await sql.query<{ worth: string }>(
    `select coalesce(sum(c.micro_usd), 0)::text as worth
     from order_leaves l join leaves c using (root_hash, sequence)
     where l.root_hash = $1 and l.order_id is null and l.state is distinct from 'unused'
       and l.first_signed_at_ms > $2`,
    [rootHash, atMs - UNSIGNED_WINDOW_MS],
  )
  return BigInt(row!.worth)
}

async function readBrakes(
  sql: Sql,
  rootHash: Hex,
  {
    controls: { breakers = [] },
    trade,
    priceOf,
    atMs,
  }: { controls: BindingControls; trade: Trade | null; priceOf: BookPriceOf; atMs: number },
): Promise<BrakeFacts | null> {
  if (breakers.length === 0) return null
  const { book, breakers: states } = await readBook(sql, rootHash, { breakers, atMs })
  const rows = await sql.query<{ token_in: Hex; token_out: Hex; amount_in: string; min_out: string }>(
    `select token_in, token_out, amount_in::text, min_out::text from order_leaves
     where root_hash = $1 and state is null`,
    [rootHash],
  )
  const leaves = rows.map((row) => ({
    tokenIn: row.token_in,
    tokenOut: row.token_out,
    amountIn: BigInt(row.amount_in),
    minOut: BigInt(row.min_out),
  }))
  if (trade) leaves.push({ ...trade, minOut: trade.amountOutMin })
  const profit = profitOf(book, priceOf)
  let worst = profit
  for (const leaf of leaves) {
    const change = worstOf(leaf, priceOf)
    worst = worst === null || change === null ? null : worst + change
  }
  return { breakers, states, profit, worst }
}
