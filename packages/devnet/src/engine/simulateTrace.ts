import { toHex } from './hex.ts'
import type { Call } from './provider.ts'
import type { SenderState } from './simulateChecks.ts'
import type { Frame } from './simulateLogs.ts'
import type { SimulatedCall } from './simulateRequest.ts'
import type { StateDiff } from './simulateState.ts'
import type { Hex } from './types.ts'

const CALL_TRACER = { tracer: 'callTracer', tracerConfig: { withLog: true } }
// One run yields both the result and the state changes.
const TRACER = {
  tracer: 'muxTracer',
  tracerConfig: { callTracer: { withLog: true }, prestateTracer: { diffMode: true } },
}

interface Trace {
  callTracer: Frame
  prestateTracer: StateDiff
}

/** Sends to the engine, together with all queued requests. */
type Ask = (calls: readonly Call[]) => Promise<unknown[]>

interface Terms {
  gas: bigint
  priceWei: bigint
}

interface Traced {
  frame: Frame
  sender: SenderState
  /** Absent if not needed. */
  diff?: StateDiff
}

/** A call's result, and its changes for later calls. */
export async function traceWhole(request: Ask, call: SimulatedCall, terms: Terms): Promise<Traced> {
  const [trace] = await request([['debug_traceCall', [engineCall(call, terms), 'latest', TRACER]]])
  const { callTracer: frame, prestateTracer: diff } = trace as Trace
  const before = diff.pre[call.from]
  const sender = { balanceWei: BigInt(before?.balance ?? '0x0'), nonce: BigInt(before?.nonce ?? 0) }
  return { frame, sender, diff }
}

/** The last call's changes are not needed, and reporting them takes long. */
export async function traceLast(request: Ask, call: SimulatedCall, terms: Terms): Promise<Traced> {
  const [balance, nonce, frame] = (await request([
    ['eth_getBalance', [call.from, 'latest']],
    ['eth_getTransactionCount', [call.from, 'latest']],
    ['debug_traceCall', [engineCall(call, terms), 'latest', CALL_TRACER]],
  ])) as [Hex, Hex, Frame]
  return { frame, sender: { balanceWei: BigInt(balance), nonce: BigInt(nonce) } }
}

// A traced call runs at base fee zero, so the whole price is passed as the tip.
const engineCall = (call: SimulatedCall, { gas, priceWei }: Terms): Record<string, unknown> => ({
  from: call.from,
  ...(call.to === undefined ? {} : { to: call.to }),
  gas: toHex(gas),
  value: toHex(call.valueWei),
  data: call.data,
  ...(call.accessList ? { accessList: call.accessList } : {}),
  ...(call.authorizationList ? { authorizationList: call.authorizationList } : {}),
  ...(priceWei > 0n ? { maxFeePerGas: toHex(priceWei), maxPriorityFeePerGas: toHex(priceWei) } : {}),
})
