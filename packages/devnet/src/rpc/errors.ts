import { revertMessage } from '../engine/simulateFailure.ts'
import type { Hex } from '../engine/types.ts'
import type { RpcError } from './message.ts'

const METHOD_NOT_FOUND = -32601
const EDR_UNSUPPORTED = -32004
const INVALID_PARAMS = -32602

// EDR gives every rejection the same code, so only its text distinguishes them. The wording clients expect is
// on the left.
const WORDS: readonly [geth: string, edr: RegExp][] = [
  ['nonce too low', /^(transaction )?nonce too low/i],
  ['already known', /^known transaction/i],
  ['replacement transaction underpriced', /^replacement transaction underpriced/i],
  ['insufficient funds for gas * price + value', /enough funds to send tx/i],
  ['exceeds block gas limit', /exceeds block gas limit/i],
  ['intrinsic gas too low', /requires at least \d+ gas/i],
  ['max fee per gas less than block base fee', /too low for the next block/i],
]

/** EDR's data of a failed call: `reason` is `{Revert: …}` or the name of the halt. */
interface CallFailure {
  reason: { Revert?: Hex } | string
  data: Hex
}

/** Any error as a standard JSON-RPC error; a revert is code 3 with its data. */
export function toRpcError(thrown: unknown): RpcError {
  const { code, message, data } = (thrown ?? {}) as { code?: unknown; message?: unknown; data?: unknown }
  const text = typeof message === 'string' ? message : 'internal error'
  if (isCallFailure(data)) return ofCall(data)
  if (code === EDR_UNSUPPORTED) return { code: METHOD_NOT_FOUND, message: methodMissing(text) }
  // EDR repeats the whole request as data.
  if (code === INVALID_PARAMS) return { code: INVALID_PARAMS, message: text }
  if (typeof code !== 'number') return { code: -32603, message: text }
  if (code !== -32000) return { code, message: text, ...(data === undefined ? {} : { data }) }
  const wording = WORDS.find(([, pattern]) => pattern.test(text))
  return { code, message: wording ? `${wording[0]}: ${text}` : text }
}

function ofCall({ reason, data }: CallFailure): RpcError {
  if (typeof reason === 'string')
    return { code: -32000, message: HALTS[reason] ?? `execution stopped: ${reason}` }
  return { code: 3, message: revertMessage(data), data }
}

const HALTS: Record<string, string> = {
  OpcodeNotFound: 'invalid opcode',
  InvalidFEOpcode: 'invalid opcode: INVALID',
  OutOfGas: 'out of gas',
  StackUnderflow: 'stack underflow',
  StackOverflow: 'stack limit reached 1024',
  InvalidJump: 'invalid jump destination',
  CreateCollision: 'contract address collision',
}

function isCallFailure(data: unknown): data is CallFailure {
  if (typeof data !== 'object' || data === null) return false
  const { reason, data: output } = data as Record<string, unknown>
  if (typeof output !== 'string') return false
  if (typeof reason === 'string') return true
  return typeof reason === 'object' && reason !== null
}

const methodMissing = (text: string) => {
  const name = /Method (\S+) is not supported/.exec(text)?.[1]
  return name ? `the method ${name} does not exist/is not available` : text
}
