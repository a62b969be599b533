import { EXECUTE_SELECTOR, EXECUTE_WITH_DEADLINE_SELECTOR } from './constants.ts'
import { decodeCommand } from './decodeCommand.ts'
import { encodeExecute } from './encodeExecute.ts'
import { AbiFault, bytesArrayAt, bytesAt, type DecodeFault, numberAt, uintAt } from './readWords.ts'
import type { RouterCall, RouterLayout } from './types.ts'

export type DecodedCall = { ok: true; call: RouterCall } | { ok: false; why: DecodeFault }

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * Reads calldata of `execute`, taking only the one text our encoder writes for what was read: no dirty padding, no
 * odd or shared offsets, nothing beside, no command Pit does not build. Whoever signs or relays by what a call says
 * can rely on there being no second reading of it.
 */
export function decodeExecute(data: string, layout: RouterLayout = '2.1.0'): DecodedCall {
  if (!HEX.test(data)) return { ok: false, why: 'NOT_HEX' }
  const text = data.toLowerCase()
  try {
    const call = readCall(text, layout)
    return encodeExecute(call, layout) === text ? { ok: true, call } : { ok: false, why: 'NOT_CANONICAL' }
  } catch (error) {
    if (error instanceof AbiFault) return { ok: false, why: error.fault }
    // The encoder refuses what does not fit its word.
    if (error instanceof RangeError) return { ok: false, why: 'NOT_CANONICAL' }
    throw error
  }
}

function readCall(text: string, layout: RouterLayout): RouterCall {
  const selector = text.slice(2, 10)
  const timed = selector === EXECUTE_WITH_DEADLINE_SELECTOR
  if (!timed && selector !== EXECUTE_SELECTOR) throw new AbiFault('SELECTOR')
  const digits = text.slice(10)
  const bytes = bytesAt(digits, numberAt(digits, 0))
  const inputs = bytesArrayAt(digits, numberAt(digits, 0x20))
  if (inputs.length * 2 !== bytes.length) throw new AbiFault('NOT_CANONICAL')
  const commands = inputs.map((input, i) => decodeCommand(bytes.slice(2 * i, 2 * i + 2), input, layout))
  return { commands, deadlineS: timed ? uintAt(digits, 0x40) : undefined }
}
