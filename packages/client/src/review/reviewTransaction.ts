import { lower } from '@pit/protocol'
import type { UnsignedStep } from '../verify/facts.ts'
import { inside } from '../verify/readPlan.ts'
import { sumEffects } from './effects.ts'
import { reviewCall } from './reviewCall.ts'
import {
  deny,
  type Reading,
  type ReviewContext,
  type ReviewedTransaction,
  type WalletTransaction,
} from './terms.ts'

const MAX_CALLS = 20

/** A transaction's effects: of its one call, or the sum over the calls of a delegated wallet's batch. */
export function reviewTransaction(
  context: ReviewContext,
  given: WalletTransaction,
): { transaction: ReviewedTransaction; reading: Reading } {
  const { pins, wallet } = context
  const step: UnsignedStep = { to: lower(given.to), value: BigInt(given.value), data: lower(given.data) }
  const transaction: ReviewedTransaction = {
    ...{ type: 'eip1559', chainId: pins.profile.chain_id, ...step },
    gas: BigInt(given.gas),
    nonce: Number(BigInt(given.nonce)),
    maxFeePerGas: BigInt(given.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(given.maxPriorityFeePerGas),
  }
  if (transaction.gas > BigInt(pins.limits.plan_gas)) deny('the gas limit is higher than any trade needs')
  const networkFee = { kind: 'network_fee', atMost: transaction.gas * transaction.maxFeePerGas } as const
  const { effects, ...reading } = step.to === wallet ? readBatch(context, step) : readSingle(context, step)
  return { transaction, reading: { ...reading, effects: [...sumEffects(effects), networkFee] } }
}

function readSingle(context: ReviewContext, call: UnsignedStep): Reading {
  const reading = reviewCall(context, call)
  if ('unknown' in reading) return unknownCall(context, call, reading.unknown)
  return reading
}

function readBatch(context: ReviewContext, step: UnsignedStep): Reading {
  const calls = inside(context.wallet, step)
  if (calls.length === 0 || calls.length > MAX_CALLS) deny(`a batch has 1 to ${MAX_CALLS} calls`)
  const readings = calls.map((call) => {
    if (call.to === context.wallet) return deny('a batch calls the wallet itself')
    const reading = reviewCall(context, call)
    return 'unknown' in reading
      ? deny(`a batch has an unknown call to ${call.to}: ${reading.unknown}`)
      : reading
  })
  const [first] = readings
  return {
    title: readings.length === 1 ? first!.title : `${readings.length} calls in one transaction`,
    effects: readings.flatMap(({ effects }) => effects),
    warnings: readings.flatMap(({ warnings = [] }) => warnings),
    confirmAddresses: readings.flatMap(({ confirmAddresses = [] }) => confirmAddresses),
  }
}

/** Consent to a call that nothing bounds: off unless its owner switched it on, and by the callee's address. */
function unknownCall({ allowsUnknownCalls }: ReviewContext, call: UnsignedStep, why: string): Reading {
  const { to, value, data } = call
  if (!allowsUnknownCalls)
    deny(`the call to ${to} is unknown: ${why}. Unknown calls are off in the wallet’s settings`)
  const selector = data.length >= 10 ? lower(data.slice(0, 10)) : null
  return {
    title: 'Unknown call',
    effects: [
      { kind: 'unknown_call', callee: to, valueWei: value, selector, dataBytes: (data.length - 2) / 2, why },
    ],
    warnings: [
      'The effects of this call are not known. It can take everything that this wallet holds, now or later.',
    ],
    confirmAddresses: [to],
  }
}
