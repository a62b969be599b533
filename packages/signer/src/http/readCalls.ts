import { type Address, type Hex, type SignedAuthorization, tryHexToBytes } from '@pit/chain'
import { fail } from '@pit/protocol'
import { type ExecutorTx, fromWireDelegation, fromWireExecution, type LostByRestore } from '@pit/signer-wire'
import type { AttestRequest } from '../executors/attestStock.ts'
import type { CreateRequest } from '../executors/createExecutor.ts'
import type { SignRequest } from '../executors/signExecutorTx.ts'
import type { CosignRequest, RequestedOrder } from '../leaves/types.ts'
import type { RegisterRequest } from '../roots/registerRoot.ts'

/**
 * Bodies of calls: one shape each and no other fields. Anything else is BAD_REQUEST with the field's name.
 */

export type Body = Record<string, unknown>

const ID = /^[A-Za-z0-9_.:-]{1,128}$/
const HASH = /^0x[0-9a-f]{64}$/
const WEI = /^(0|[1-9][0-9]{0,77})$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const MAX_NONCE = Number.MAX_SAFE_INTEGER
const MAX_GAS = 2 ** 31 - 1
/** The last second of the year 9999. */
const LAST_S = 253_402_300_799

export function readRegister(body: Body): RegisterRequest {
  allowFields(body, ['session_id', 'binding', 'root', 'curve_roots'])
  const { binding, root, curve_roots } = body
  if (!Array.isArray(curve_roots) || curve_roots.length > 2) bad('curve_roots')
  return {
    sessionId: idIn(body, 'session_id'),
    binding,
    root: fromWireDelegation(root) ?? bad('root'),
    curveRoots: curve_roots.map((one) => fromWireDelegation(one) ?? bad('curve_roots')),
  }
}

export function readCosign(body: Body, callNonce: string): CosignRequest {
  allowFields(body, [
    'root_hash',
    'execution',
    'curve_fee',
    'fee_bps',
    'slippage_bps',
    'sequence',
    'client_id',
    'order',
  ])
  return {
    rootHash: hashIn(body),
    execution: fromWireExecution(body['execution']) ?? bad('execution'),
    curveFeeWei: curveFeeIn(body['curve_fee']),
    feeBps: wholeIn(body, 'fee_bps', 10_000),
    slippageBps: wholeIn(body, 'slippage_bps', 10_000),
    sequence: wholeIn(body, 'sequence', 2 ** 31 - 1),
    callNonce,
    clientId: body['client_id'] === undefined ? undefined : idIn(body, 'client_id'),
    ...(body['order'] !== undefined && { order: orderIn(body['order']) }),
  }
}

export function readRevoke(body: Body): { rootHash: Hex; challenge?: Hex } {
  allowFields(body, ['root_hash', 'challenge'])
  return {
    rootHash: hashIn(body),
    ...(body['challenge'] !== undefined && { challenge: hashIn(body, 'challenge') }),
  }
}

/** Feeds count rounds in 80 bits. */
const ROUND = /^(0|[1-9][0-9]{0,24})$/
const MAX_ROUND = 2n ** 80n
const MAX_PART = 10_000

function orderIn(value: unknown): RequestedOrder {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) bad('order')
  const order = value as Body
  allowFields(order, ['id', 'part', 'rounds'])
  const { rounds } = order
  const part = wholeIn(order, 'part', MAX_PART)
  if (part === undefined || part < 1) bad('part')
  if (!Array.isArray(rounds) || rounds.length > 2) bad('rounds')
  const isRound = (one: unknown): one is string =>
    typeof one === 'string' && ROUND.test(one) && BigInt(one) < MAX_ROUND
  return {
    id: hashIn(order, 'id'),
    part,
    rounds: rounds.map((one: unknown) => (isRound(one) ? BigInt(one) : bad('rounds'))),
  }
}

export function readCreate(body: Body, callNonce: string): CreateRequest {
  allowFields(body, ['agent_id', 'owner', 'first'])
  const { first } = body
  if (first !== undefined && first !== true) bad('first')
  return {
    agentId: idIn(body, 'agent_id'),
    owner: addressIn(body, 'owner'),
    callNonce,
    isFirst: first === true,
  }
}

export function readExecutor(body: Body): { executor: Address } {
  allowFields(body, ['executor'])
  return { executor: addressIn(body, 'executor') }
}

export function readAttest(body: Body): AttestRequest {
  allowFields(body, [
    'executor',
    'agent_id',
    'owner',
    'session_id',
    'root_hash',
    'issued',
    'expires',
    'signature',
  ])
  const { signature } = body
  if (typeof signature !== 'string' || !/^0x[0-9a-fA-F]{130}$/.test(signature)) bad('signature')
  return {
    executor: addressIn(body, 'executor'),
    agentId: idIn(body, 'agent_id'),
    owner: addressIn(body, 'owner'),
    sessionId: idIn(body, 'session_id'),
    rootHash: hashIn(body),
    issuedS: wholeIn(body, 'issued', LAST_S) ?? bad('issued'),
    expiresS: wholeIn(body, 'expires', LAST_S) ?? bad('expires'),
    signature: signature as Hex,
  }
}

export function readSign(body: Body): SignRequest {
  allowFields(body, ['executor', 'tx'])
  const { tx } = body
  if (typeof tx !== 'object' || tx === null || Array.isArray(tx)) bad('tx')
  return { executor: addressIn(body, 'executor'), tx: txIn(tx as Body) }
}

function txIn(tx: Body): ExecutorTx {
  allowFields(tx, [
    'to',
    'value_wei',
    'data',
    'nonce',
    'gas',
    'max_fee_per_gas',
    'max_priority_fee_per_gas',
    'authorizations',
  ])
  const { data, authorizations } = tx
  if (typeof data !== 'string' || tryHexToBytes(data) === undefined) bad('data')
  if (authorizations !== undefined && (!Array.isArray(authorizations) || authorizations.length > 1))
    bad('authorizations')
  return {
    to: addressIn(tx, 'to'),
    value_wei: weiIn(tx, 'value_wei'),
    data: data.toLowerCase() as Hex,
    nonce: wholeIn(tx, 'nonce', MAX_NONCE) ?? bad('nonce'),
    gas: wholeIn(tx, 'gas', MAX_GAS) ?? bad('gas'),
    max_fee_per_gas: weiIn(tx, 'max_fee_per_gas'),
    max_priority_fee_per_gas: weiIn(tx, 'max_priority_fee_per_gas'),
    ...(authorizations && { authorizations: authorizations.map(authorizationIn) }),
  }
}

function authorizationIn(value: unknown): SignedAuthorization {
  if (typeof value !== 'object' || value === null) bad('authorizations')
  const one = value as Body
  allowFields(one, ['chainId', 'address', 'nonce', 'yParity', 'r', 's'])
  const { yParity, r, s } = one
  const isWord = (word: unknown): word is Hex => typeof word === 'string' && HASH.test(word)
  if ((yParity !== 0 && yParity !== 1) || !isWord(r) || !isWord(s)) bad('authorizations')
  return {
    chainId: wholeIn(one, 'chainId', MAX_NONCE) ?? bad('authorizations'),
    address: addressIn(one, 'address'),
    nonce: wholeIn(one, 'nonce', MAX_NONCE) ?? bad('authorizations'),
    yParity,
    r,
    s,
  }
}

export function readAccept(body: Body): { lost: LostByRestore } {
  allowFields(body, ['lost'])
  const { lost } = body
  return lost === 'nothing' || lost === 'unknown' ? { lost } : bad('lost')
}

export function readFreeze(body: Body): { frozen: boolean } {
  allowFields(body, ['frozen'])
  const { frozen } = body
  return typeof frozen === 'boolean' ? { frozen } : bad('frozen')
}

export function allowFields(body: Body, names: readonly string[]): void {
  const strange = Object.keys(body).find((name) => !names.includes(name))
  if (strange !== undefined) bad(strange.slice(0, 80))
}

export function hashIn(body: Body, name = 'root_hash'): Hex {
  const value = body[name]
  return typeof value === 'string' && HASH.test(value) ? (value as Hex) : bad(name)
}

function idIn(body: Body, name: string): string {
  const value = body[name]
  return typeof value === 'string' && ID.test(value) ? value : bad(name)
}

export function addressIn(body: Body, name: string): Address {
  const value = body[name]
  return typeof value === 'string' && ADDRESS.test(value) ? (value.toLowerCase() as Address) : bad(name)
}

function weiIn(body: Body, name: string): bigint {
  const value = body[name]
  return typeof value === 'string' && WEI.test(value) ? BigInt(value) : bad(name)
}

function curveFeeIn(value: unknown): bigint | null {
  if (value === undefined) return null
  const { amount_wei, ...rest } = (value ?? {}) as Body
  if (typeof amount_wei !== 'string' || !WEI.test(amount_wei) || Object.keys(rest).length > 0)
    bad('curve_fee')
  return BigInt(amount_wei)
}

export function wholeIn(body: Body, name: string, max: number): number | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  const isWhole = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max
  return isWhole ? value : bad(name)
}

export function bad(field: string): never {
  fail('BAD_REQUEST', { field, message: `\`${field}\` is malformed or not allowed.` })
}
