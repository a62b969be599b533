import { decideOrders, type OrderPart, type OrdersDecision, unconfirmedText } from '@pit/orders'
import { usdOf } from '@pit/protocol'
import { applyVerdicts, changedVerdicts, type SignedChanges } from '../signed/applyVerdicts.ts'
import { shortId } from '../signed/orderLogs.ts'
import { ordersInput } from '../signed/ordersInput.ts'
import { openLists, type StoredList } from '../signed/store.ts'
import type { Judged } from './checks.ts'
import type { RunDeps } from './deps.ts'
import type { Ready } from './prepare.ts'
import type { TickRecord } from './record.ts'
import { referencesOf } from './references.ts'
import type { ClaimedAgent } from './types.ts'

interface DecidedSigned {
  prepared: Ready
  record: TickRecord
  judged: readonly Judged[]
  outcome: 'decision'
}

/** The tick of an agent with signed orders: new states, and the parts to trade now. */
export async function decideSigned(
  deps: RunDeps,
  ready: Ready,
  lists: readonly StoredList[],
): Promise<DecidedSigned> {
  const { agent } = ready
  const decision = await decideNow(deps, ready, { lists, canTrade: pendingOf(ready) === null })
  const judged = decision.parts.flatMap((part, n) => judgedOf(agent, part, n) ?? [])
  const tick = agent.tick + 1
  const atMs = deps.clock.nowMs()
  const reason = `${decision.orders.length} open orders, ${judged.length} parts to trade.`
  return {
    prepared: ready,
    judged,
    outcome: 'decision',
    record: {
      agent,
      tick,
      state: undefined,
      lastDecision: {
        tick,
        at: Math.floor(atMs / 1_000),
        reason,
        orders: judged.map(({ order }) => ({
          pair: order.pair,
          side: order.side,
          usd: usdOf(order.microUsd),
          reason: order.reason,
        })),
        outcome: judged.map(({ n, order }) => ({ n, outcome: 'begun' as const, usd: usdOf(order.microUsd) })),
      },
      logs: [],
      orders: judged.map(({ n, order, trade }) => ({ ...order, n, signed: trade?.signed ?? null })),
      signed: changesOf(lists, decision),
    },
  }
}

/** After the trades: the states that follow from their outcomes. */
export async function storeStates(deps: RunDeps, ready: Ready, tick: number): Promise<void> {
  const { agent } = ready
  const atMs = deps.clock.nowMs()
  const lists = await openLists(deps.db, [agent.id], atMs)
  const decision = await decideNow(deps, ready, { lists, canTrade: false })
  await deps.db.transaction((sql) =>
    applyVerdicts(sql, { agentId: agent.id, tick, atMs }, changesOf(lists, decision)),
  )
}

const changesOf = (lists: readonly StoredList[], { orders, dueMs }: OrdersDecision): SignedChanges => ({
  verdicts: changedVerdicts(lists, orders),
  dueMs,
})

async function decideNow(
  deps: RunDeps,
  ready: Ready,
  { lists, canTrade }: { lists: readonly StoredList[]; canTrade: boolean },
): Promise<OrdersDecision> {
  const { agent, held, book } = ready
  const referenceMicroUsd = await referencesOf(deps, { agent, held })
  const nowMs = deps.clock.nowMs()
  const pending = pendingOf(ready)
  const isLate = pending !== null && nowMs - pending.createdAtMs > USUAL_MS
  const blockedBy = isLate ? unconfirmedText(pending.txHash) : null
  const now = { agent, lists, held, book, referenceMicroUsd, canTrade, blockedBy, nowMs }
  return decideOrders(ordersInput(deps.orderMarket, now))
}

/** A trade is usually confirmed within this time. */
const USUAL_MS = 15_000

/** All trades of an agent share its executor’s nonce, so each waits for the one before. */
const pendingOf = (ready: Ready) => (ready.mode === 'live' ? ready.pending : null)

/** Null if the agent no longer has its tokens. */
function judgedOf(agent: ClaimedAgent, part: OrderPart, n: number): Judged | null {
  const tokenIn = agent.tokens.find(({ address }) => address === part.tokenIn)
  const tokenOut = agent.tokens.find(({ address }) => address === part.tokenOut)
  if (!tokenIn || !tokenOut) return null
  const buy = `${tokenOut.token}/${tokenIn.token}`
  const isBuy = agent.pairs.includes(buy)
  const order = {
    pair: isBuy ? buy : `${tokenIn.token}/${tokenOut.token}`,
    side: isBuy ? ('buy' as const) : ('sell' as const),
    microUsd: part.microUsd,
    reason: `Order ${shortId(part.id)}, part ${part.part}.`,
  }
  const { id, amountIn, minAmountOut, maxSlippageBps, rounds, microUsd } = part
  const signed = { id, part: part.part, amountIn, minAmountOut, maxSlippageBps, rounds }
  return { n, order, hold: null, trade: { tokenIn, tokenOut, microUsd, allAtoms: null, signed } }
}
