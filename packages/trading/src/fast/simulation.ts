import { type Answer, feeOf } from '@pit/protocol'
import type { Check, PlanSimulation } from '../types.ts'
import type { Facts } from './facts.ts'

type Described = NonNullable<Answer<'live.fast'>['simulation']>

/** The simulation for the response, each of its checks by name. Null if there was none. */
export function describeSimulation(facts: Facts): Described | null {
  const { simulation } = facts
  if (simulation === null) return null
  return {
    ok: simulation.ok,
    amount_out: simulation.amountOut?.toString() ?? null,
    fee_transfer: simulation.feeTransfer?.toString() ?? null,
    gas_total: simulation.gasTotal,
    funded_by_overrides: simulation.fundedByOverrides,
    block: simulation.block,
    error: simulation.error,
    checks: simulationChecks(facts, simulation),
  }
}

function simulationChecks(facts: Facts, simulation: PlanSimulation): Check[] {
  const { amountOut, feeTransfer } = simulation
  const reverted = simulation.transactions.find(({ ok }) => !ok)
  const message = reverted ? `The transaction fails: ${reverted.error}.` : 'The transaction succeeds.'
  const due = feeDue(facts, simulation)
  const isOwnFee = facts.wallet === facts.fee.recipient
  return [
    { code: 'EXECUTES', ok: !reverted, message },
    {
      code: 'DELIVERED',
      ok: amountOut !== null && amountOut >= facts.request.minOut,
      message: 'The wallet must receive at least min_out.',
      value: amountOut === null ? null : String(amountOut),
      limit: String(facts.request.minOut),
    },
    {
      code: 'FEE_PAID',
      ok: amountOut !== null && (isOwnFee || (due !== null && feeTransfer === due)),
      message: isOwnFee
        ? 'The wallet is the fee recipient.'
        : 'The fee recipient must receive the exact fee.',
      value: feeTransfer === null ? null : String(feeTransfer),
      limit: due === null ? null : String(due),
    },
  ]
}

/** A simulation passes only if the fee recipient received the exact fee. */
export function withFeeChecked(simulation: PlanSimulation, facts: Facts): PlanSimulation {
  const due = feeDue(facts, simulation)
  if (!simulation.ok || due === null || simulation.feeTransfer === due) return simulation
  return {
    ...simulation,
    ok: false,
    error: `the fee recipient receives ${simulation.feeTransfer}, not ${due}`,
  }
}

/** Null if unknown: nothing was delivered, or the wallet is the recipient. */
function feeDue(
  { route, fee, request, wallet }: Facts,
  { amountOut, feeTransfer }: PlanSimulation,
): bigint | null {
  if (!route || amountOut === null || wallet === fee.recipient) return null
  if (route.row.fee.side === 'input') return feeOf(request.amountIn, fee.bps)
  return feeOf(amountOut + (feeTransfer ?? 0n), fee.bps)
}
