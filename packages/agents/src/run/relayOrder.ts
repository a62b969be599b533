import type { Hex } from '@pit/chain'
import { lookUntil } from '@pit/platform/clock'
import { isPitError, type PitError, usdCentsText, usdOf } from '@pit/protocol'
import { isUnderWay, tradesByHash } from '@pit/relay'
import { type CosignedTrade, describeSpend } from '@pit/sessions'
import { writeLogs } from '../logs.ts'
import type { RunDeps } from './deps.ts'
import type { LiveRequest, OrderOutcome } from './holdOrder.ts'
import { moveOrder } from './orders.ts'
import { keepLastTrade } from './record.ts'

/** The hash is stored from here on: after any failure the bytes are only looked up, never signed again. */
export async function relayOrder(
  deps: RunDeps,
  request: LiveRequest,
  { raw, hash, trade: traded }: { raw: Hex; hash: Hex; trade: CosignedTrade },
): Promise<OrderOutcome> {
  const { agent, order, session, tick } = request
  const { plan, request: planned } = traded.planned
  const { fee, amountIn, risks } = planned.quote
  try {
    await deps.submitBytes({ by: { keyId: agent.keyId, wallet: agent.wallet }, raws: raw, reader: 'owner' })
  } catch (error) {
    if (!isPitError(error)) throw error
    return notRelayed(deps, request, hash, error)
  }
  const trade = (await tradesByHash(deps.db, [hash])).get(hash)
  const last = {
    pair: order.pair,
    side: order.side,
    usd: usdOf(order.microUsd),
    token_in: order.tokenIn.token,
    token_out: order.tokenOut.token,
    amount_in: amountIn.toString(),
    amount_out_min: plan.amountOutMin.toString(),
    tx_hash: hash,
    at: Math.floor(deps.clock.nowMs() / 1_000),
  }
  const doing = order.side === 'buy' ? 'Buying' : 'Selling'
  await deps.db.transaction(async (sql) => {
    const ended = { status: 'relayed', ...(trade && { tradeId: trade.id }) } as const
    if (!(await moveOrder(sql, order.id, 'signed', ended))) return
    await writeLogs(sql, {
      agentId: agent.id,
      tick,
      atMs: deps.clock.nowMs(),
      kind: 'trade',
      message: `${doing}: ${order.pair}, ${usdCentsText(order.microUsd)}, relayed as ${hash}. ${order.reason}`,
      fee: { bps: fee.bps, class: fee.class, tier: fee.tier },
      data: {
        order: { n: order.n, pair: order.pair, side: order.side, usd: usdOf(order.microUsd) },
        ...last,
        amount_out_expected: plan.amountOutExpected.toString(),
        session_id: session.id,
        executor: session.executor,
        trade_id: trade?.id ?? null,
        risks: risks.map(({ code }) => code),
        spend: describeSpend(traded.cosigned),
      },
    })
    await keepLastTrade(sql, agent.id, { ...last, fee_bps: fee.bps })
  })
  return 'relayed'
}

/** A refusal ends the order. After a lost response it stays open: the next tick looks up the hash. */
async function notRelayed(
  deps: RunDeps,
  { agent, order, tick }: LiveRequest,
  hash: Hex,
  error: PitError,
): Promise<OrderOutcome> {
  const isLost = error.code === 'SEQUENCER_UNREACHABLE'
  await deps.db.transaction(async (sql) => {
    if (!isLost && !(await moveOrder(sql, order.id, 'signed', { status: 'failed', code: error.code }))) return
    await writeLogs(sql, {
      agentId: agent.id,
      tick,
      atMs: deps.clock.nowMs(),
      kind: 'error',
      code: error.code,
      message: `${error.message}${isLost ? ' The transaction hash is looked up before the next trade.' : ''}`,
      data: { order: { n: order.n, pair: order.pair, side: order.side }, tx_hash: hash },
    })
  })
  return 'failed'
}

const WAIT_MS = 6_000
const WAIT_STEP_MS = 150

/** Waits briefly; returns whether a relayed order's trade was mined without a revert. */
export async function isLanded(
  { db, clock }: Pick<RunDeps, 'db' | 'clock'>,
  orderId: number,
): Promise<boolean> {
  const [order] = await db.query<{ tx_hash: Hex | null }>('select tx_hash from hosted_orders where id = $1', [
    orderId,
  ])
  const hash = order?.tx_hash ?? null
  if (hash === null) return false
  const trade = await lookUntil(clock, async () => (await tradesByHash(db, [hash])).get(hash), {
    holds: (record) => record !== undefined && !isUnderWay(record),
    withinMs: WAIT_MS,
    everyMs: WAIT_STEP_MS,
  })
  return trade?.status === 'mined'
}
