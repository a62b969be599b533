import type { BindingControls, SessionBinding } from '@pit/protocol'
import { type Breaker, type BreakerState, judgeBreaker } from '../brakes/breaker.ts'
import { bounded, type Failure, type Rules } from '../checks.ts'
import type { Trade } from '../leaves/types.ts'
import type { Standing } from '../ledger/types.ts'
import { budgetOf, partLimit, reservedOf } from './budget.ts'
import type { OrderTotals, PartLeaf, StoredOrder } from './types.ts'

/** Facts that the controls of a session judge a trade by, while its root is locked. */
export interface ControlFacts {
  nowMs: number
  /** Time of the newest block. */
  headS: number
  limits: SessionBinding['limits']
  controls: BindingControls
  /** Null if the call could not be read: other rules refuse it. */
  trade: Trade | null
  isClosing: boolean
  /** Null if it could not be valued. */
  microUsd: bigint | null
  slippageBps: number | undefined
  /** At the co-signer's own prices; null if one of them is the owner's mark, or missing. */
  loss: { lossBps: bigint; feeBps: number } | null
  /** Null for a trade without a signed order. */
  order: { stored: OrderInUse | null; id: string } | null
  /** Unsigned trades that count towards `signature_above`. */
  unsignedMicroUsd: bigint
  /** Null unless armed closing orders need room. */
  standing: Pick<Standing, 'sequence' | 'dayMicroUsd'> | null
  /** Needed by the armed closing orders. */
  reserved: { microUsd: bigint; trades: number }
  brakes: BrakeFacts | null
}

export interface OrderInUse extends StoredOrder {
  part: number
  totals: readonly OrderTotals[]
  /** The part's newest leaf. */
  leaf: PartLeaf | null
  /** The latest moment at which another part can have been mined. */
  otherPartMs: number | null
  triggerFault: Failure | null
}

export interface BrakeFacts {
  breakers: readonly Breaker[]
  states: readonly BreakerState[]
  /** P&L of the settled trades, and with the worst of all that is unsettled and of this trade. */
  profit: bigint | null
  worst: bigint | null
}

type OrderCheck<Verdict> = (
  facts: ControlFacts & { used: OrderInUse; swap: Trade; nowS: number },
) => Verdict | null
/** For rules about a trade under an order of the session. */
const ofOrder =
  <Verdict>(check: OrderCheck<Verdict>) =>
  (facts: ControlFacts): Verdict | null =>
    facts.order?.stored && facts.trade
      ? check({ ...facts, used: facts.order.stored, swap: facts.trade, nowS: Math.floor(facts.nowMs / 1000) })
      : null

/**
 * Whether another call of a part is signed under the sequence of its first one. That ends with the part's last
 * leaf, which never outlives the part's hard end; the chain then shows whether the sequence was used.
 */
export const isAgain = ({ order, nowMs }: Pick<ControlFacts, 'order' | 'nowMs'>): PartLeaf | null => {
  const leaf = order?.stored?.leaf
  return leaf && leaf.state === null && leaf.expiresS * 1000 > nowMs ? leaf : null
}

/**
 * What a trade adds to the session's count. Another call of a part adds what it is worth more by now: the part
 * counts at the largest value it was signed at.
 */
export function addedBy(
  facts: Pick<ControlFacts, 'order' | 'nowMs' | 'microUsd'>,
): { trades: number; microUsd: bigint } | null {
  const { microUsd } = facts
  if (microUsd === null) return null
  const again = isAgain(facts)
  if (!again) return { trades: 1, microUsd }
  return { trades: 0, microUsd: microUsd > again.microUsd ? microUsd - again.microUsd : 0n }
}

/** In order; every rule that can run runs. */
export const controlRules: Rules<ControlFacts> = [
  bounded('SIGNATURE_REQUIRED', ({ order, controls, unsignedMicroUsd, microUsd }) => {
    const limit = controls.signature_above_micro_usd
    if (order !== null || limit === undefined || microUsd === null) return null
    const value = unsignedMicroUsd + microUsd
    return {
      ok: value <= BigInt(limit),
      message: 'The owner must sign an order for this: unsigned trades of an hour, in micro-dollars.',
      value: value.toString(),
      limit,
    }
  }),
  {
    code: 'ORDER_SESSION',
    check: ({ order }) =>
      order === null || order.stored ? null : { message: 'The session has no such order.', value: order.id },
  },
  {
    code: 'ORDER_ENDED',
    check: ofOrder(({ used: { id, ended } }) =>
      ended === null ? null : { message: `The order was ${ended.how}.`, value: id },
    ),
  },
  bounded('ORDER_TIME', ofOrder(judgeTime)),
  {
    code: 'ORDER_TOKENS',
    check: ofOrder(({ used: { order }, swap }) => {
      const pair = `${swap.tokenIn} for ${swap.tokenOut}`
      const limit = `${order.tokenIn} for ${order.tokenOut}`
      return pair === limit ? null : { message: 'The order is for other tokens.', value: pair, limit }
    }),
  },
  bounded('ORDER_AMOUNT', ofOrder(judgeAmount)),
  bounded('ORDER_PRICE', ofOrder(judgePrice)),
  {
    code: 'ORDER_TRIGGER',
    check: ofOrder(({ used: { triggerFault } }) => triggerFault),
  },
  bounded('ORDER_RESERVED', judgeReserved),
  {
    code: 'BREAKER_UNPRICED',
    check: ({ isClosing, trade, brakes }) =>
      isClosing || trade === null || brakes === null || brakes.worst !== null
        ? null
        : { message: 'A holding of the session has had no price for five minutes: only closing trades.' },
  },
  bounded('BREAKER', judgeBreakers),
]

type Verdict = Failure & { ok: boolean }

/** The start by the earlier and the expiry by the later of two clocks. */
function judgeTime(facts: Parameters<OrderCheck<Verdict>>[0]): Verdict {
  const { used, nowS, headS } = facts
  const { startsAt, expiresAt, everyS, slices } = used.order
  const [earlier, later] = nowS < headS ? [nowS, headS] : [headS, nowS]
  if (earlier < startsAt)
    return { ok: false, message: 'The order has not started.', value: earlier, limit: startsAt }
  if (later >= expiresAt)
    return { ok: false, message: 'The order has expired.', value: later, limit: expiresAt }
  if (slices > 1 && used.otherPartMs !== null && !isAgain(facts)) {
    const limit = Math.ceil(used.otherPartMs / 1000) + everyS
    if (earlier < limit)
      return { ok: false, message: 'The order’s next part is not due yet.', value: earlier, limit }
  }
  return { ok: true, message: 'The order has expired.', value: later, limit: expiresAt }
}

function judgeAmount(facts: Parameters<OrderCheck<Verdict>>[0]): Verdict {
  const { used, swap } = facts
  const verdict = (message: string, value: bigint, limit: bigint): Verdict => ({
    ok: value <= limit,
    message,
    value: value.toString(),
    limit: limit.toString(),
  })
  const again = isAgain(facts)
  if (again) return verdict('The part was signed for less before.', swap.amountIn, again.amountIn)
  if (used.leaf?.state === 'used') return { ok: false, message: 'This part was traded.', value: used.part }
  if (used.leaf?.state === null)
    return { ok: false, message: 'This part’s leaf expired and is not settled yet.', value: used.part }
  const most = partLimit(used.order, used.part)
  if (most === null)
    return { ok: false, message: 'The order has no such part.', value: used.part, limit: used.order.slices }
  const part = verdict('The trade exceeds a part of the order, in atoms.', swap.amountIn, most)
  if (!part.ok) return part
  return verdict(
    used.parentId === null
      ? 'The trade exceeds the order’s budget, in atoms.'
      : 'The trade exceeds what the order’s entry has received, in atoms.',
    reservedOf(used.totals, used) + swap.amountIn,
    budgetOf(used, used.totals),
  )
}

function judgePrice({ used, swap, slippageBps, loss }: Parameters<OrderCheck<Verdict>>[0]): Verdict {
  const { amountIn, minAmountOut, maxSlippageBps } = used.order
  if (slippageBps !== undefined && slippageBps > maxSlippageBps)
    return {
      ok: false,
      message: 'The slippage exceeds the order’s, in basis points.',
      value: slippageBps,
      limit: maxSlippageBps,
    }
  const most = BigInt(maxSlippageBps + (loss?.feeBps ?? 0))
  if (loss && loss.lossBps > most)
    return {
      ok: false,
      message: 'The minimum output is below the order’s slippage at the co-signer’s price, in basis points.',
      value: Number(loss.lossBps),
      limit: Number(most),
    }
  const least = (minAmountOut * swap.amountIn + amountIn - 1n) / amountIn
  return {
    ok: swap.amountOutMin * amountIn >= minAmountOut * swap.amountIn,
    message: 'The minimum output is below the order’s, in atoms.',
    value: swap.amountOutMin.toString(),
    limit: least.toString(),
  }
}

/** Opening trades leave the day's room and the trades that armed closing orders need. */
function judgeReserved(facts: ControlFacts): Verdict | null {
  const { isClosing, trade, reserved, standing, limits } = facts
  const added = addedBy(facts)
  if (isClosing || trade === null || standing === null || !added?.microUsd) return null
  const trades = standing.sequence + added.trades + reserved.trades
  if (trades > limits.max_trades)
    return {
      ok: false,
      message: 'The session’s remaining trades are reserved for its closing orders.',
      value: trades,
      limit: limits.max_trades,
    }
  const day = standing.dayMicroUsd + added.microUsd + reserved.microUsd
  return {
    ok: day <= BigInt(limits.max_day_micro_usd),
    message: 'The session’s remaining day is reserved for its closing orders, in micro-dollars.',
    value: day.toString(),
    limit: limits.max_day_micro_usd,
  }
}

function judgeBreakers({ isClosing, trade, brakes, nowMs }: ControlFacts): Verdict | null {
  if (isClosing || trade === null || brakes === null) return null
  const { breakers, states, profit, worst } = brakes
  let nearest: Verdict | null = null
  for (const [i, breaker] of breakers.entries()) {
    const state = states[i]
    if (!state) throw new Error('a breaker has no state')
    const at = { atMs: nowMs, profit: profit ?? 0n, worst: worst ?? 0n }
    const judged = judgeBreaker(state, breaker, at)
    if ('trippedUntilMs' in judged)
      return {
        ok: false,
        message: 'A brake tripped: only closing trades until its cool-down ends.',
        value: Math.floor(nowMs / 1000),
        limit: Math.ceil(judged.trippedUntilMs / 1000),
      }
    if (profit === null || worst === null) continue
    const limit = breaker.max_fall_micro_usd
    const verdict: Verdict = {
      ok: judged.fallMicroUsd <= BigInt(limit),
      message: 'The worst case of the open trades would trip a brake, in micro-dollars.',
      value: judged.fallMicroUsd.toString(),
      limit,
    }
    if (!verdict.ok) return verdict
    nearest ??= verdict
  }
  return nearest
}
