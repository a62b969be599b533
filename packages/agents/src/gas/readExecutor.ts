import { LEAF_TTL_S, NATIVE } from '@pit/chain'
import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, COSIGNER, fail } from '@pit/protocol'
import { feesOf, usdOf } from '@pit/trading'
import type { HostedDeps } from '../deps.ts'
import { executorsOf } from '../executors.ts'
import { findOwnedOrDeleted } from '../findOwned.ts'
import { lastUnlanded, openSessionsOf } from '../sessions.ts'
import type { StoredAgent } from '../store.ts'
import { readBalances } from './balances.ts'
import { openOf, type Refund, refundJson, refundsOf } from './refundStore.ts'

type Answered = Answer<'hosted.executor'>

/** What a redemption is given: the router call, two signatures and a dozen caveats. */
const TRADE_GAS = 900n
const THOUSAND = 1_000n
/** Fewer trades than this, and an agent may stand still before its owner looks. */
const LEAST_TRADES = 3n
const TOP_UP_TRADES = 50n
/** A plain transfer's, with room for a wallet that runs code. */
const REFUND_GAS = 50_000n

/** As the signing service counts it: a leaf's time, and what the chain's clock may be behind. */
const LEAF_LIVES_MS = (LEAF_TTL_S + COSIGNER.callWindowS) * 1_000

/** hosted/<id>/executor: who pays the agent's gas, how long it lasts, and how it comes home. */
export async function readExecutor(
  deps: HostedDeps,
  { params, caller }: Call<'hosted.executor'>,
): Promise<Answered> {
  const agent = await findOwnedOrDeleted(deps, caller, params.id)
  const { executor } = agent
  if (executor === null) return fail('NO_EXECUTOR')
  const baseFeeWei = deps.market.head()?.baseFeeWei ?? fail('RPC_UNAVAILABLE')
  const [executors, refunds] = await Promise.all([
    executorsOf(deps.db, agent.id),
    refundsOf(deps.db, agent.id),
  ])
  const balances = await readBalances(
    deps,
    executors.map((one) => one.executor),
  )
  const balanceWei = balances.get(executor) ?? 0n
  const { maxFeePerGasWei } = feesOf(baseFeeWei)
  const tradeWei = TRADE_GAS * THOUSAND * maxFeePerGasWei
  const leastWei = LEAST_TRADES * tradeWei
  const closed = executors.some((one) => one.executor === executor && one.closedAtS !== null)
  const enough = balanceWei >= leastWei
  const total = [...balances.values()].reduce((sum, wei) => sum + wei, 0n)
  const whyNot = await whyNoRefund(deps, agent, {
    refunds,
    isThereAny: total > REFUND_GAS * maxFeePerGasWei,
  })
  return {
    executor,
    balance_wei: balanceWei.toString(),
    balance_usd: dollars(deps, balanceWei),
    min_balance_wei: leastWei.toString(),
    min_balance_usd: dollars(deps, leastWei),
    enough,
    top_up:
      enough || closed || agent.status === 'stopped' ? null : topUp(deps, { executor, balanceWei, tradeWei }),
    refund: {
      available: whyNot === null,
      why_not: whyNot,
      route: `POST /api/v1/hosted/${agent.id}/refund-gas`,
      last: refunds[0] ? refundJson(refunds[0], { already: true }) : null,
    },
    executor_attestation: agent.executorAttestation && { ...agent.executorAttestation },
    trades_left: Number(balanceWei / tradeWei),
    closed,
    retired: executors
      .filter((one) => one.executor !== executor)
      .map((one) => ({
        executor: one.executor,
        balance_wei: (balances.get(one.executor) ?? 0n).toString(),
        retired_at: one.retiredAtS,
        closed: one.closedAtS !== null,
      })),
  }
}

function topUp(
  deps: HostedDeps,
  { executor, balanceWei, tradeWei }: { executor: string; balanceWei: bigint; tradeWei: bigint },
): Record<string, unknown> {
  const wei = TOP_UP_TRADES * tradeWei - balanceWei
  const usd = dollars(deps, wei)
  const worth = usd === null ? '' : ` (about ${usd.toFixed(2)} dollars)`
  return {
    to: executor,
    amount_wei: wei.toString(),
    amount_usd: usd,
    trades: Number(TOP_UP_TRADES),
    chain_id: deps.profile.chain_id,
    message: `Send ${etherText(wei)} ETH${worth} from any wallet to ${executor}: gas for about ${TOP_UP_TRADES} trades at today’s fees. What is left comes back with refund-gas once the agent is stopped.`,
  }
}

/** The code refund-gas would refuse with; NOTHING_LEFT where the gas of a transfer is more than there is. */
async function whyNoRefund(
  deps: HostedDeps,
  agent: StoredAgent,
  { refunds, isThereAny }: { refunds: readonly Refund[]; isThereAny: boolean },
): Promise<string | null> {
  if (agent.status !== 'stopped') return 'STOP_FIRST'
  if (deps.signer === null) return 'SIGNER_REQUIRED'
  if (!deps.submitEnabled) return 'SUBMIT_DISABLED'
  if (openOf(refunds)) return null
  const executors = (await executorsOf(deps.db, agent.id)).map(({ executor }) => executor)
  const open = await openSessionsOf(deps.db, { wallet: agent.wallet, executors, nowS: nowS(deps.clock) })
  if (open.some(({ status }) => status !== 'pending')) return 'SESSION_ACTIVE'
  const lastLeafMs = await lastUnlanded(deps.db, agent.id)
  if (lastLeafMs !== null && deps.clock.nowMs() < lastLeafMs + LEAF_LIVES_MS) return 'LEAF_LIVE'
  return isThereAny ? null : 'NOTHING_LEFT'
}

const E18 = 10n ** 18n

function dollars({ market }: HostedDeps, wei: bigint): number | null {
  const mark = market.mark(NATIVE)
  return mark ? usdOf((wei * mark.priceE18) / (E18 * 10n ** 12n)) : null
}

/** Rounded up to a millionth: what is sent must suffice. */
function etherText(wei: bigint): string {
  const micro = (wei + 10n ** 12n - 1n) / 10n ** 12n
  return (Number(micro) / 1e6).toString()
}
