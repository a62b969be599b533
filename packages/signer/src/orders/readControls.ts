import type { Sql } from '@pit/platform/db'
import { boundControls } from '@pit/protocol'
import { type BookPriceOf, profitOf, worstOf } from '../brakes/book.ts'
import { bookPricesOf } from '../brakes/bookPrices.ts'
import type { Breaker } from '../brakes/breaker.ts'
import { isClosing } from '../brakes/closing.ts'
import type { Failure } from '../checks.ts'
import { type LeafFacts, lossOf, spentMicroUsd } from '../leaves/rules.ts'
import type { Trade } from '../leaves/types.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { Session } from '../roots/readRoots.ts'
import { type BrakeFacts, type ControlFacts, isAgain, type OrderInUse } from './controlRules.ts'
import { type ControlRows, needsRows, type RowsNeeded, readControlRows } from './readControlRows.ts'
import { reserveFor } from './reserve.ts'
import type { PartLeaf } from './types.ts'

export interface ControlInput {
  session: Session
  facts: LeafFacts
  triggerFault: Failure | null
  atMs: number
}

/** What the control rules need, and the state of the root it was read in; null if no row was needed. */
export interface ReadControls {
  controls: ControlFacts
  state: { version: number; sequence: number } | null
}

/** At one moment: counting a leaf checks that the root is still in that state. */
export async function readControls(
  sql: Sql,
  deps: { pins: Pins; prices: Pick<Prices, 'own' | 'last' | 'headS'> },
  input: ControlInput,
): Promise<ReadControls> {
  const { session, facts, atMs } = input
  const controls = boundControls(session.binding)
  if (!controls) throw new Error('a session without controls has no control facts')
  const trade = 'rule' in facts.trade ? null : facts.trade
  const opens = trade !== null && !isClosing(trade, deps.pins)
  const { order = null } = facts.request
  const needed: RowsNeeded = {
    order,
    openOrders: opens,
    unsigned: order === null && controls.signature_above_micro_usd !== undefined,
    breakers: opens && controls.breakers ? controls.breakers : null,
  }
  const { rootHash } = session
  const rows = needsRows(needed) ? await readControlRows(sql, { rootHash, atMs }, needed) : null
  return { controls: controlFactsOf(deps, input, rows ?? NO_ROWS), state: rows }
}

const NO_ROWS: ControlRows = {
  version: 0,
  sequence: 0,
  dayMicroUsd: null,
  order: null,
  openOrders: [],
  totals: [],
  unsignedMicroUsd: 0n,
  brakes: null,
}

function controlFactsOf(
  { pins, prices }: { pins: Pins; prices: Pick<Prices, 'own' | 'last' | 'headS'> },
  { session: { binding }, facts, triggerFault, atMs }: ControlInput,
  rows: ControlRows,
): ControlFacts {
  const controls = boundControls(binding)!
  const trade = 'rule' in facts.trade ? null : facts.trade
  const { order: requested, slippageBps } = facts.request
  const priceOf = bookPricesOf({ pins, prices, binding, nowMs: atMs })
  const { totals, openOrders, order: stored } = rows
  const loss = lossOf(facts)
  const order = requested ? { id: requested.id, stored: stored && inUse(stored, requested.part) } : null
  const again = order ? isAgain({ order, nowMs: atMs }) : null
  const reserved = reserveFor(openOrders, {
    totals,
    more: { parentId: stored?.id ?? null, more: trade?.amountOutMin ?? 0n },
    priceOf,
    pins,
    maxTradeMicroUsd: binding.limits.max_trade_micro_usd,
  })
  return {
    nowMs: atMs,
    headS: prices.headS() ?? Math.floor(atMs / 1000),
    limits: binding.limits,
    controls,
    trade,
    isClosing: trade !== null && isClosing(trade, pins),
    microUsd: spentMicroUsd(facts),
    slippageBps,
    loss: loss && loss.witness !== 'owner' ? loss : null,
    order,
    unsignedMicroUsd: rows.unsignedMicroUsd,
    standing:
      reserved.trades > 0 && rows.dayMicroUsd !== null
        ? { sequence: rows.sequence, dayMicroUsd: rows.dayMicroUsd }
        : null,
    reserved,
    brakes: rows.brakes && brakesOf(rows.brakes, { breakers: controls.breakers!, trade, again, priceOf }),
  }

  function inUse(order: NonNullable<ControlRows['order']>, part: number): OrderInUse {
    const isMet = order.order.trigger.kind === 'none' || order.metAtMs !== null
    return { ...order, part, totals, triggerFault: isMet ? null : (triggerFault ?? UNMET) }
  }
}

const UNMET: Failure = { message: 'The order’s trigger was not shown to be met.' }

function brakesOf(
  { book, breakers: states, leaves }: NonNullable<ControlRows['brakes']>,
  {
    breakers,
    trade,
    again,
    priceOf,
  }: {
    breakers: readonly Breaker[]
    trade: Trade | null
    /** The earlier leaf whose place this trade takes. */
    again: PartLeaf | null
    priceOf: BookPriceOf
  },
): BrakeFacts {
  const unsettled: Parameters<typeof worstOf>[0][] = leaves.filter(
    ({ sequence }) => sequence !== again?.sequence,
  )
  if (trade) unsettled.push({ ...trade, minOut: trade.amountOutMin })
  const profit = profitOf(book, priceOf)
  let worst = profit
  for (const leaf of unsettled) {
    const change = worstOf(leaf, priceOf)
    worst = worst === null || change === null ? null : worst + change
  }
  return { breakers, states, profit, worst }
}
