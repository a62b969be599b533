import type { Hex } from '@pit/chain'
import { fromWireDelegation, fromWireExecution } from '@pit/platform/signerCalls'
import { fail } from '@pit/protocol'
import type { CosignRequest } from '../leaves/types.ts'
import type { RegisterRequest } from '../roots/registerRoot.ts'

/** Bodies of calls: one shape each, nothing beside it. What breaks it is BAD_REQUEST with the field. */

type Body = Record<string, unknown>

const SESSION_ID = /^[A-Za-z0-9_.:-]{1,128}$/
const HASH = /^0x[0-9a-f]{64}$/
const WEI = /^(0|[1-9][0-9]{0,77})$/

export function readRegister(body: Body): RegisterRequest {
  takes(body, ['session_id', 'binding', 'root', 'curve_roots'])
  const { session_id, binding, root, curve_roots } = body
  if (typeof session_id !== 'string' || !SESSION_ID.test(session_id)) bad('session_id')
  if (!Array.isArray(curve_roots) || curve_roots.length > 2) bad('curve_roots')
  return {
    sessionId: session_id,
    binding,
    root: fromWireDelegation(root) ?? bad('root'),
    curveRoots: curve_roots.map((one) => fromWireDelegation(one) ?? bad('curve_roots')),
  }
}

export function readCosign(body: Body, callNonce: string): CosignRequest {
  takes(body, ['root_hash', 'execution', 'curve_fee', 'fee_bps', 'slippage_bps', 'sequence'])
  return {
    rootHash: hashIn(body),
    execution: fromWireExecution(body['execution']) ?? bad('execution'),
    curveFeeWei: curveFeeIn(body['curve_fee']),
    feeBps: wholeIn(body, 'fee_bps', 10_000),
    slippageBps: wholeIn(body, 'slippage_bps', 10_000),
    sequence: wholeIn(body, 'sequence', 2 ** 31 - 1),
    callNonce,
  }
}

export function readRevoke(body: Body): { rootHash: Hex } {
  takes(body, ['root_hash'])
  return { rootHash: hashIn(body) }
}

export function readFreeze(body: Body): { frozen: boolean } {
  takes(body, ['frozen'])
  const { frozen } = body
  return typeof frozen === 'boolean' ? { frozen } : bad('frozen')
}

function takes(body: Body, names: readonly string[]): void {
  const strange = Object.keys(body).find((name) => !names.includes(name))
  if (strange !== undefined) bad(strange.slice(0, 80))
}

function hashIn({ root_hash }: Body): Hex {
  return typeof root_hash === 'string' && HASH.test(root_hash) ? (root_hash as Hex) : bad('root_hash')
}

function curveFeeIn(value: unknown): bigint | null {
  if (value === undefined) return null
  const { amount_wei, ...rest } = (value ?? {}) as Body
  if (typeof amount_wei !== 'string' || !WEI.test(amount_wei) || Object.keys(rest).length > 0)
    bad('curve_fee')
  return BigInt(amount_wei)
}

function wholeIn(body: Body, name: string, most: number): number | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most
  return isWhole ? value : bad(name)
}

function bad(field: string): never {
  fail('BAD_REQUEST', { field, message: `\`${field}\` is malformed or not taken.` })
}
