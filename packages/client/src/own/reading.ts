import { type Address, type Hex, NATIVE } from '@pit/chain'
import { PitRefusal } from '../errors.ts'
import { isReverted, isUnsupported, type Rpc, type RpcCall, RpcFailure, resultOf } from './rpc.ts'

/** The newest block. */
export interface Head {
  number: number
  timestampS: number
  baseFeeWei: bigint
}

/**
 * State to sign by: read in one exchange with a newest block of at most the pinned age. Only `readState` makes one,
 * so whatever takes a reading was read at such a block and without a failure of the node.
 */
export type Reading = InstanceType<typeof ReadingOfNode>

/** Reads state to sign by. */
export interface StateReader {
  /**
   * One exchange with the newest block.
   * @throws NODE_BEHIND the newest block is too old, or too far ahead of the local clock
   * @throws RPC_UNAVAILABLE the node failed a call
   */
  read(calls: readonly RpcCall[], signal?: AbortSignal): Promise<Reading>
}

const HEAD: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] }
/** Of transactions that cannot be mined as they are: eth_simulateV1's own codes. */
const isInvalidTransaction = ({ code = 0 }: RpcFailure): boolean => code <= -38_000 && code > -39_000

class ReadingOfNode {
  readonly head: Head
  readonly #answers: ReadonlyMap<RpcCall, unknown>

  constructor(head: Head, answers: ReadonlyMap<RpcCall, unknown>) {
    this.head = head
    this.#answers = answers
  }

  /** Result of a call; null if it reverts or there is no code at the address. */
  returned(call: RpcCall): Hex | null {
    const answer = this.#answers.get(call)
    return answer instanceof RpcFailure || answer === '0x' ? null : hexOf(call, answer)
  }

  /** Result of a call that must have one. */
  value(call: RpcCall): Hex {
    return this.returned(call) ?? unreadable(call, 'it reverts, or there is no contract')
  }

  /** The blocks of eth_simulateV1, or the error that says why it cannot run. */
  simulated(call: RpcCall): readonly unknown[] | RpcFailure {
    const answer = this.#answers.get(call)
    return answer instanceof RpcFailure || Array.isArray(answer) ? answer : malformed(call)
  }
}

export async function readState(
  rpc: Rpc,
  calls: readonly RpcCall[],
  { nowMs, maxAgeS, signal }: { nowMs(): number; maxAgeS: number; signal?: AbortSignal | undefined },
): Promise<Reading> {
  const [block, ...answers] = await rpc.all([HEAD, ...calls], signal)
  const head = headIn(block)
  checkHead(head, { nowMs: nowMs(), maxAgeS })
  for (const [i, call] of calls.entries()) {
    const answer = answers[i]
    if (answer instanceof RpcFailure && !isDecided(call, answer)) unreadable(call, answer.message, answer)
  }
  return new ReadingOfNode(head, new Map(calls.map((call, i) => [call, answers[i]])))
}

/** Whether the error is a result of the chain, or of the method, rather than a failure of the node. */
function isDecided({ method }: RpcCall, failure: RpcFailure): boolean {
  if (method === 'eth_call') return isReverted(failure)
  return method === 'eth_simulateV1' && (isUnsupported(failure) || isInvalidTransaction(failure))
}

function headIn(block: unknown): Head {
  const { number, timestamp, baseFeePerGas } = resultOf<{
    number?: unknown
    timestamp?: unknown
    baseFeePerGas?: unknown
  }>(block) ?? { number: null }
  return {
    number: Number(quantityIn(number)),
    timestampS: Number(quantityIn(timestamp)),
    baseFeeWei: quantityIn(baseFeePerGas ?? '0x0'),
  }
}

const quantityIn = (value: unknown): bigint =>
  typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)
    ? BigInt(value)
    : unreadable(HEAD, 'the block is malformed')

const hexOf = (call: RpcCall, answer: unknown): Hex =>
  typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer) ? (answer as Hex) : malformed(call)

export const ageS = ({ timestampS }: Head, nowMs: number): number => Math.round(nowMs / 1000 - timestampS)

/** By the local clock, which may be the one that is wrong: the message names both times. */
function checkHead(head: Head, { nowMs, maxAgeS }: { nowMs: number; maxAgeS: number }): void {
  const age = ageS(head, nowMs)
  if (Math.abs(age) <= maxAgeS) return
  const times = `Block ${head.number} is of ${utc(head.timestampS * 1000)}, this computer’s clock shows ${utc(nowMs)}`
  const [fault, cure] =
    age > 0
      ? [
          `is ${duration(age)} old, and the limit is ${duration(maxAgeS)}`,
          'Wait until your node follows the chain again, or use another node. If it is up to date, set this computer’s clock.',
        ]
      : [
          `is ${duration(-age)} ahead of this computer’s clock, and the limit is ${duration(maxAgeS)}`,
          'Set this computer’s clock.',
        ]
  throw new PitRefusal(
    'NODE_BEHIND',
    `The newest block of your node ${fault}, so nothing was signed. ${times}.`,
    {
      retry: 'pause',
      hint: cure,
      details: { block: head.number, block_time: head.timestampS, age_s: age, max_age_s: maxAgeS },
    },
  )
}

const utc = (timeMs: number): string => `${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
const duration = (seconds: number): string =>
  seconds < 120
    ? `${seconds} seconds`
    : seconds < 7_200
      ? `${Math.round(seconds / 60)} minutes`
      : `${Math.round(seconds / 3_600)} hours`

export const malformed = (call: RpcCall): never => unreadable(call, 'the answer is malformed')

function unreadable(call: RpcCall, why: string, cause?: RpcFailure): never {
  throw new PitRefusal(
    'RPC_UNAVAILABLE',
    `Your node could not answer ${nameOf(call)}: ${why}. Nothing was signed.`,
    {
      retry: 'pause',
      details: { method: call.method },
      cause,
    },
  )
}

function nameOf({ method, params: [first] }: RpcCall): string {
  const to = (first as { to?: Address } | undefined)?.to
  return method === 'eth_call' && to !== undefined && to !== NATIVE ? `${method} to ${to}` : method
}
