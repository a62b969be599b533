import {
  AbiFault,
  type Cursor,
  checkAt,
  checkEnd,
  type DecodeFault,
  passNumber,
  readBytes,
  readItems,
  readNumber,
  readUint,
} from '../bytes/readWords.ts'
import { EXECUTE_SELECTOR, EXECUTE_WITH_DEADLINE_SELECTOR } from './constants.ts'
import { decodeCommand } from './decodeCommand.ts'
import type { RouterCall, RouterLayout } from './types.ts'

export type DecodedCall = { ok: true; call: RouterCall } | { ok: false; why: DecodeFault }

const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

/**
 * Decodes calldata of `execute` in its canonical encoding only: no dirty padding, no odd or shared offsets, no
 * extra bytes, no command Pit does not build. So a signer or relay can rely on a call having a single reading.
 */
export function decodeExecute(data: string, layout: RouterLayout = '2.1.0'): DecodedCall {
  if (!HEX.test(data)) return { ok: false, why: 'NOT_HEX' }
  try {
    return { ok: true, call: readCall(data.toLowerCase(), layout) }
  } catch (error) {
    if (error instanceof AbiFault) return { ok: false, why: error.fault }
    throw error
  }
}

function readCall(text: string, layout: RouterLayout): RouterCall {
  const selector = text.slice(2, 10)
  const timed = selector === EXECUTE_WITH_DEADLINE_SELECTOR
  if (!timed && selector !== EXECUTE_SELECTOR) throw new AbiFault('SELECTOR')
  const cursor: Cursor = { digits: text, at: 10 }
  passNumber(cursor, timed ? 0x60 : 0x40)
  const inputsAt = readNumber(cursor)
  const deadlineS = timed ? readUint(cursor) : undefined
  const bytes = readBytes(cursor)
  checkAt(cursor, 10, inputsAt)
  const inputs = readItems(cursor, readBytes)
  checkEnd(cursor)
  if (inputs.length * 2 !== bytes.length) throw new AbiFault('NOT_CANONICAL')
  const commands = inputs.map((input, i) => decodeCommand(bytes.slice(2 * i, 2 * i + 2), input, layout))
  return { commands, deadlineS }
}
