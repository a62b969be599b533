import type { Address, Hex } from '@pit/chain'
import { askCall, type CallTerms, type ContractCall } from './accounts.ts'
import { addressWord } from './hex.ts'
import type { Question } from './question.ts'

/**
 * Several calls on one state in one call of Multicall3. Encoded by hand: every plan needs several, and a
 * general encoder takes as long as the node does.
 */

const AGGREGATE3 = '82ad56cb'
const sizeWord = (size: number): string => size.toString(16).padStart(64, '0')

/** In request order; null if one failed. Unread if the response does not match. */
export function askMulticall(
  multicall3: Address,
  calls: readonly ContractCall[],
  terms: CallTerms = {},
): Question<(Hex | null)[]> {
  const { call, parse } = askCall({ to: multicall3, data: encodeMulticall(calls) }, terms)
  return {
    call,
    parse: (result) => {
      const answer = parse(result)
      return answer === undefined ? undefined : decodeMulticall(answer, calls.length)
    },
  }
}

/** `aggregate3((address target, bool allowFailure, bytes callData)[])`, every failure allowed. */
export function encodeMulticall(calls: readonly ContractCall[]): Hex {
  let offset = calls.length * 32
  let heads = ''
  let tails = ''
  for (const { to, data } of calls) {
    const bytes = data.slice(2)
    const tail = `${addressWord(to)}${sizeWord(1)}${sizeWord(0x60)}${sizeWord(bytes.length / 2)}${bytes}`
    const padded = tail.padEnd(Math.ceil(tail.length / 64) * 64, '0')
    heads += sizeWord(offset)
    tails += padded
    offset += padded.length / 2
  }
  return `0x${AGGREGATE3}${sizeWord(0x20)}${sizeWord(calls.length)}${heads}${tails}`
}

/** In request order; null if one failed. Undefined if the response does not match. */
export function decodeMulticall(answer: Hex, count: number): (Hex | null)[] | undefined {
  const list = 2 + 64
  if (sizeAt(answer, 2) !== 0x20 || sizeAt(answer, list) !== count) return undefined
  return Array.from({ length: count }, (_, i): Hex | null => {
    const at = list + 64 + sizeAt(answer, list + 64 + i * 64) * 2
    const start = at + sizeAt(answer, at + 64) * 2
    const end = start + 64 + sizeAt(answer, start) * 2
    if (sizeAt(answer, at) !== 1 || !(end <= answer.length)) return null
    return `0x${answer.slice(start + 64, end)}`
  })
}

/** The word at this hex digit as a small number; NaN if there is none. */
function sizeAt(answer: Hex, at: number): number {
  const digits = answer.slice(at, at + 64)
  return digits.length === 64 && digits.startsWith('0'.repeat(56)) ? Number(`0x${digits}`) : Number.NaN
}
