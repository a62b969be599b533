import { type Address, LEAF_TTL_S, NATIVE } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { askEther, needAll } from '@pit/platform/reads'
import { COSIGNER, fail } from '@pit/protocol'
import { openSessionsOf } from '@pit/sessions'
import { feesOf } from '@pit/trading'
import type { AgentRequest, HostedDeps } from '../deps.ts'
import { executorsOf, type StoredExecutor } from '../executors.ts'
import { lastUnlanded } from '../run/orders.ts'
import { findOwnedOrDeleted, type StoredAgent } from '../store.ts'
import { openOf, type Refund, refundsOf } from './refundStore.ts'

/** Gas limit of a redemption: the router call, two signatures and a dozen caveats. */
const TRADE_GAS = 900_000n
/**
 * Below this many trades a top-up is suggested, so that the agent does not run out before its owner looks.
 */
const MIN_TRADES = 3n
const TOP_UP_TRADES = 50n
/** A plain transfer, with margin for a wallet that runs code. */
const REFUND_GAS = 50_000n

/** As the signing service counts it: leaf lifetime plus tolerated clock lag of the chain. */
const LEAF_LIVES_MS = (LEAF_TTL_S + COSIGNER.callWindowS) * 1_000

/** Gas state of an agent's executor: payer, balance, and whether it can be refunded. */
export interface ExecutorNow {
  agent: StoredAgent
  executor: Address
  balanceWei: bigint
  minWei: bigint
  /** Trades the balance pays for. */
  tradesLeft: number
  closed: boolean
  /** Suggested top-up; null if none is needed. */
  topUp: { wei: bigint; trades: number } | null
  /**
   * Code refund-gas would fail with, or NOTHING_LEFT if gas costs more than the balance; null if it would
   * succeed.
   */
  whyNoRefund: string | null
  lastRefund: Refund | null
  retired: (StoredExecutor & { balanceWei: bigint })[]
  /** Dollars per ETH, times 10^18; null without a price. */
  ethPriceE18: bigint | null
}

export async function readExecutor(deps: HostedDeps, request: AgentRequest): Promise<ExecutorNow> {
  const agent = await findOwnedOrDeleted(deps.db, request)
  const { executor } = agent
  if (executor === null) return fail('NO_EXECUTOR')
  const baseFeeWei = deps.market.head()?.baseFeeWei ?? fail('RPC_UNAVAILABLE')
  const [executors, refunds] = await Promise.all([
    executorsOf(deps.db, agent.id),
    refundsOf(deps.db, agent.id),
  ])
  const balances = await readBalances(deps, executors)
  const balanceWei = balances.get(executor) ?? 0n
  const { maxFeePerGasWei } = feesOf(baseFeeWei)
  const tradeWei = TRADE_GAS * maxFeePerGasWei
  const minWei = MIN_TRADES * tradeWei
  const closed = executors.some((one) => one.executor === executor && one.closedAtS !== null)
  const total = [...balances.values()].reduce((sum, wei) => sum + wei, 0n)
  const whyNot = await whyNoRefund(deps, agent, {
    executors,
    refunds,
    isThereAny: total > REFUND_GAS * maxFeePerGasWei,
  })
  const needsMore = balanceWei < minWei && !closed && agent.status !== 'stopped'
  return {
    agent,
    executor,
    balanceWei,
    minWei,
    tradesLeft: Number(balanceWei / tradeWei),
    closed,
    topUp: needsMore ? { wei: TOP_UP_TRADES * tradeWei - balanceWei, trades: Number(TOP_UP_TRADES) } : null,
    whyNoRefund: whyNot,
    lastRefund: refunds[0] ?? null,
    retired: executors
      .filter((one) => one.executor !== executor)
      .map((one) => ({ ...one, balanceWei: balances.get(one.executor) ?? 0n })),
    ethPriceE18: deps.market.mark(NATIVE)?.priceE18 ?? null,
  }
}

/** Nodes reject long batches; an agent may have had hundreds of executors. */
const BALANCES_AT_ONCE = 100

/** ETH balances. Throws RPC_UNAVAILABLE unless all of them are read. */
export async function readBalances(
  { rpc }: Pick<HostedDeps, 'rpc'>,
  executors: readonly Pick<StoredExecutor, 'executor'>[],
): Promise<Map<Address, bigint>> {
  const questions = executors.map(({ executor }) => askEther(executor))
  const balances = await needAll(rpc, questions, { perRequest: BALANCES_AT_ONCE }).catch(() =>
    fail('RPC_UNAVAILABLE'),
  )
  return new Map(executors.map(({ executor }, i) => [executor, balances[i]!]))
}

async function whyNoRefund(
  deps: HostedDeps,
  agent: StoredAgent,
  {
    executors,
    refunds,
    isThereAny,
  }: { executors: readonly StoredExecutor[]; refunds: readonly Refund[]; isThereAny: boolean },
): Promise<string | null> {
  if (agent.status !== 'stopped') return 'STOP_FIRST'
  if (deps.signer === null) return 'SIGNER_REQUIRED'
  if (!deps.submitEnabled) return 'SUBMIT_DISABLED'
  if (openOf(refunds)) return null
  const open = await openSessionsOf(deps.db, {
    wallet: agent.wallet,
    executors: executors.map(({ executor }) => executor),
    nowS: nowS(deps.clock),
  })
  if (open.some(({ status }) => status !== 'pending')) return 'SESSION_ACTIVE'
  const lastLeafMs = await lastUnlanded(deps.db, agent.id)
  if (lastLeafMs !== null && deps.clock.nowMs() < lastLeafMs + LEAF_LIVES_MS) return 'LEAF_LIVE'
  return isThereAny ? null : 'NOTHING_LEFT'
}
