import type { Hex } from '../bytes/hex.ts'
import {
  AbiFault,
  type Cursor,
  checkAt,
  checkEnd,
  passNumber,
  readBytes,
  readItems,
  readList,
  readNumber,
  readUint,
} from '../bytes/readWords.ts'
import { arrayTail, bytesTail, size } from '../bytes/words.ts'
import { decodeDelegations, delegationTuple, encodeDelegations } from './encode.ts'
import { decodeExecution, encodeExecution, SINGLE_MODE } from './execution.ts'
import type { Delegation, Redemption } from './types.ts'

const REDEEM_SELECTOR = 'cef6d209'
const DISABLE_SELECTOR = '49934047'
const ENABLE_SELECTOR = '3ed01015'
const HEX = /^0x(?:[0-9a-fA-F]{2})*$/

export type RedeemFault = 'NOT_HEX' | 'SELECTOR' | 'MODE' | 'NOT_CANONICAL'
export type DecodedRedeem = { ok: true; redemptions: Redemption[] } | { ok: false; why: RedeemFault }

/** Calldata of the manager's `redeemDelegations`, each act a single call that must succeed. */
export function encodeRedeem(redemptions: readonly Redemption[]): Hex {
  const contexts = arrayTail(
    redemptions.map(({ delegations }) => bytesTail(encodeDelegations(delegations).slice(2))),
  )
  const modes = size(redemptions.length) + SINGLE_MODE.slice(2).repeat(redemptions.length)
  const executions = arrayTail(
    redemptions.map(({ execution }) => bytesTail(encodeExecution(execution).slice(2))),
  )
  const modesAt = 0x60 + (contexts.length >> 1)
  const executionsAt = modesAt + (modes.length >> 1)
  const heads = size(0x60) + size(modesAt) + size(executionsAt)
  return `0x${REDEEM_SELECTOR}${heads}${contexts}${modes}${executions}`
}

/** Decodes the canonical encoding only, so that a redemption has a single reading. */
export function decodeRedeem(data: string): DecodedRedeem {
  if (!HEX.test(data)) return { ok: false, why: 'NOT_HEX' }
  const text = data.toLowerCase()
  if (text.slice(2, 10) !== REDEEM_SELECTOR) return { ok: false, why: 'SELECTOR' }
  try {
    return readRedeem(text)
  } catch (error) {
    if (error instanceof AbiFault) return { ok: false, why: 'NOT_CANONICAL' }
    throw error
  }
}

function readRedeem(digits: string): DecodedRedeem {
  const cursor: Cursor = { digits, at: 10 }
  passNumber(cursor, 0x60)
  const modesAt = readNumber(cursor)
  const executionsAt = readNumber(cursor)
  const contexts = readItems(cursor, readBytes)
  checkAt(cursor, 10, modesAt)
  const modes = readList(cursor, readUint)
  checkAt(cursor, 10, executionsAt)
  const executions = readItems(cursor, readBytes)
  checkEnd(cursor)
  const count = contexts.length
  if (modes.length !== count || executions.length !== count) return { ok: false, why: 'NOT_CANONICAL' }
  const redemptions: Redemption[] = []
  for (let i = 0; i < count; i++) {
    if (modes[i] !== 0n) return { ok: false, why: 'MODE' }
    const delegations = decodeDelegations(`0x${contexts[i]}`)
    const execution = decodeExecution(`0x${executions[i]}`)
    if (!delegations || !execution) return { ok: false, why: 'NOT_CANONICAL' }
    redemptions.push({ delegations, execution })
  }
  return { ok: true, redemptions }
}

/** Sent by the delegator: the manager refuses the delegation from then on. */
export function encodeDisable(delegation: Delegation): Hex {
  return call(DISABLE_SELECTOR, delegation)
}

/** Sent by the delegator: undoes `encodeDisable` on chain. Pit forgets a revoked session all the same. */
export function encodeEnable(delegation: Delegation): Hex {
  return call(ENABLE_SELECTOR, delegation)
}

function call(selector: string, delegation: Delegation): Hex {
  return `0x${selector}${size(0x20)}${delegationTuple(delegation)}`.toLowerCase() as Hex
}
