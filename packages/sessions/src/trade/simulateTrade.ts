import { NATIVE } from '@pit/chain'
import { etherText, fail, groupedText } from '@pit/protocol'
import {
  judgeSimulation,
  type Planned,
  type PlanSimulation,
  type PlanTx,
  type StepKind,
  simulationJson,
} from '@pit/trading'
import type { SessionDeps } from '../deps.ts'
import type { Executor } from './executor.ts'

type Deps = Pick<SessionDeps, 'trade'>

/** Margin for an underestimate; the response reports actual usage. */
const ROOM = 3

/** Simulates exactly the executor's transaction on the current chain. */
export function simulateExact(
  { trade: { simulator } }: Deps,
  planned: Planned,
  tx: PlanTx,
  { balanceWei }: Executor,
): Promise<PlanSimulation> {
  const roomy = Math.max(tx.gas, Math.min(tx.gas * ROOM, simulator.gasCeiling))
  const gas = BigInt(roomy) * tx.maxFeePerGasWei <= balanceWei ? roomy : tx.gas
  return simulator.simulatePlan({
    ...simulationRequest(planned),
    ...one('swap', { ...tx, gas }),
    fund: false,
  })
}

/**
 * Simulates the wallet's own call without a session: for trades that are not co-signed, on borrowed funds if
 * requested.
 */
export async function runCall({ trade: { simulator } }: Deps, planned: Planned, fund: boolean) {
  const { plan } = planned
  const transactions = plan.steps.flatMap(({ kind, tx }) => (tx ? [{ kind, tx }] : []))
  const request = { ...simulationRequest(planned), transactions, fund }
  const simulation = await simulator.simulatePlan(request)
  const judgement = await judgeSimulation(simulator, { request, plan, simulation })
  return { simulation, judgement }
}

/** As `runCall`, but fails like a plan's simulation. */
export async function simulateCall(deps: Deps, planned: Planned, fund: boolean): Promise<PlanSimulation> {
  const { plan } = planned
  const { simulation, judgement } = await runCall(deps, planned, fund)
  if (judgement) {
    fail(judgement.code, { message: judgement.message, simulation: simulationJson(simulation, plan) })
  }
  return simulation
}

/**
 * Simulates tokens by address before counting, because a token that delivers less than quoted would use up
 * the session. A sale needs the wallet's own balance and gas; otherwise the exact simulation checks it.
 */
export async function tryFirst(deps: Deps, planned: Planned): Promise<void> {
  const { quote, wallet } = planned.request
  if (quote.tokenIn.core !== null && quote.tokenOut.core !== null) return
  if (quote.tokenIn.core !== null) {
    await simulateCall(deps, planned, true)
    return
  }
  const gasWei = planned.plan.steps.reduce(
    (sum, { tx }) => (tx ? sum + BigInt(tx.gas) * tx.maxFeePerGasWei + tx.valueWei : sum),
    0n,
  )
  if (wallet.balanceWei >= gasWei) await simulateCall(deps, planned, false)
}

const one = (kind: StepKind, tx: PlanTx) => ({ transactions: [{ kind, tx }] })

function simulationRequest({ plan, request: { quote, wallet, route } }: Planned) {
  return {
    wallet: wallet.wallet,
    tokenIn: quote.tokenIn.address,
    tokenOut: quote.tokenOut.address,
    amountIn: quote.amountIn,
    fee: { token: quote.fee.token, recipient: quote.fee.recipient },
    amountOutMin: plan.amountOutMin,
    holdsInput: true,
    approvals: 'as planned' as const,
    spenders: route.way.kind === 'curve' ? [route.way.curve.id] : [],
  }
}

/** Balances missing to send the trade now; empty if complete. */
export function lacking({ request: { quote, wallet } }: Planned, tx: PlanTx, executor: Executor): string[] {
  const missing: string[] = []
  const { tokenIn, amountIn } = quote
  const held = tokenIn.address === NATIVE ? wallet.balanceWei : wallet.balanceIn
  if (held < amountIn) {
    const text = (atoms: bigint) => `${groupedText(atoms, tokenIn.decimals)} ${tokenIn.symbol.slice(0, 32)}`
    missing.push(`the wallet holds ${text(held)} of ${text(amountIn)}; send ${text(amountIn - held)} to it`)
  }
  const gasWei = BigInt(tx.gas) * tx.maxFeePerGasWei
  if (executor.balanceWei < gasWei) {
    missing.push(
      `the executor holds ${etherText(executor.balanceWei)} and gas may cost ${etherText(gasWei)}; send ` +
        `${etherText(gasWei - executor.balanceWei)} to ${executor.address}`,
    )
  }
  return missing
}
