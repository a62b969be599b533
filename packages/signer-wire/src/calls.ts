import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import {
  type Delegation,
  type Execution,
  type Hex,
  type SignedAuthorization,
  tryHexToBytes,
} from '@pit/chain'
import type { SessionBinding } from '@pit/protocol'

/** Wire protocol of server and signer: authentication and message shapes. */

export const CALL_HEADERS = {
  time: 'x-pit-time',
  nonce: 'x-pit-nonce',
  signature: 'x-pit-signature',
} as const

/** The signed part of a call. `path` as sent, `body` byte for byte. */
export interface Call {
  method: string
  path: string
  body: string | Uint8Array
  timeMs: number
  /** 32 hex digits, never reused. */
  nonce: string
}

export function callSignature(secret: string, { method, path, body, timeMs, nonce }: Call): string {
  const bodyHash = createHash('sha256').update(body).digest('hex')
  return createHmac('sha256', secret)
    .update(`${method}\n${path}\n${timeMs}\n${nonce}\n${bodyHash}`)
    .digest('hex')
}

/** Compares in constant time, for any input. */
export function isCallSignature(secret: string, call: Call, signature: string): boolean {
  const right = Buffer.from(callSignature(secret, call), 'hex')
  const candidate = Buffer.alloc(right.length)
  const isHex = /^[0-9a-f]{64}$/.test(signature)
  if (isHex) candidate.write(signature, 'hex')
  return timingSafeEqual(right, candidate) && isHex
}

/** A delegation as JSON; its salt has 64 hex digits. */
export type WireDelegation = Omit<Delegation, 'salt'> & { salt: Hex }
/** A call of the wallet as JSON; its value in decimal digits. */
export type WireExecution = { target: Hex; value_wei: string; calldata: Hex }

export const toWireDelegation = (delegation: Delegation): WireDelegation => ({
  ...delegation,
  salt: `0x${delegation.salt.toString(16).padStart(64, '0')}`,
})

const isAddress = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
const isWord = (value: unknown): value is Hex =>
  typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)
const isBytes = (value: unknown): value is Hex =>
  typeof value === 'string' && tryHexToBytes(value) !== undefined

/** Undefined for anything `toWireDelegation` would not produce, including extra fields. */
export function fromWireDelegation(value: unknown): Delegation | undefined {
  if (!hasExactly(value, ['authority', 'caveats', 'delegate', 'delegator', 'salt', 'signature']))
    return undefined
  const { delegate, delegator, authority, caveats, salt, signature } = value
  if (!isAddress(delegate) || !isAddress(delegator) || !isWord(authority) || !isWord(salt)) return undefined
  if (!isBytes(signature) || !Array.isArray(caveats)) return undefined
  const read: { enforcer: Hex; terms: Hex; args: Hex }[] = []
  for (const caveat of caveats as unknown[]) {
    if (!hasExactly(caveat, ['args', 'enforcer', 'terms'])) return undefined
    const { enforcer, terms, args } = caveat
    if (!isAddress(enforcer) || !isBytes(terms) || !isBytes(args)) return undefined
    read.push({ enforcer, terms, args })
  }
  return { delegate, delegator, authority, caveats: read, salt: BigInt(salt), signature }
}

export const toWireExecution = ({ target, valueWei, data }: Execution): WireExecution => ({
  target,
  value_wei: valueWei.toString(),
  calldata: data,
})

export function fromWireExecution(value: unknown): Execution | undefined {
  if (!hasExactly(value, ['calldata', 'target', 'value_wei'])) return undefined
  const { target, value_wei, calldata } = value
  if (!isAddress(target) || !isBytes(calldata)) return undefined
  if (typeof value_wei !== 'string' || !/^(0|[1-9][0-9]{0,77})$/.test(value_wei)) return undefined
  return {
    target: target.toLowerCase() as Hex,
    valueWei: BigInt(value_wei),
    data: calldata.toLowerCase() as Hex,
  }
}

function hasExactly<Name extends string>(
  value: unknown,
  names: readonly Name[],
): value is Record<Name, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const keys = Object.keys(value)
  return keys.length === names.length && names.every((name) => Object.hasOwn(value, name))
}

/** One failed rule of the co-signer, with the value found and its limit. */
export type SignerCheck = {
  rule: string
  ok: false
  message: string
  value?: string | number
  limit?: string | number
}

export type SignerHealth = {
  status: 'ok' | 'degraded'
  /** The impaired part; absent if all is well. */
  why?: string
  cosigner: Hex
  frozen: boolean
  version: string
}

/** Data missing from a ledger restored from a backup: nothing (it was stopped before), or unknown. */
export type LostByRestore = 'nothing' | 'unknown'

export type RegisterParams = {
  session_id: string
  binding: SessionBinding
  /** All signed by the wallet; `curve_roots` are the roots of the curves' calls and of their fees. */
  root: Delegation
  curve_roots: readonly Delegation[]
}

/** The signed order that a trade carries out. */
export type OrderUse = {
  id: Hex
  /**
   * Counts the order's trades from 1. While the leaf of a part may still be sent, another call of the same part,
   * not larger, is signed under the same sequence: only one of them can run.
   */
  part: number
  /**
   * Rounds of the trigger's feed that show it met, in decimal digits: one, or the earlier and the later of a
   * trailing trigger. Empty without a trigger, for a token without rounds, and once it was met.
   */
  rounds: readonly string[]
}

export type CosignParams = {
  root_hash: Hex
  execution: Execution
  /** For a curve trade, whose fee is paid separately. */
  curve_fee?: { amount_wei: bigint }
  /**
   * The service's fee and slippage tolerance: refused if the binding or the co-signer does not allow them.
   */
  fee_bps?: number
  slippage_bps?: number
  /** The leaf the service expects; any other is refused. */
  sequence?: number
  /** Names the trade under its root: a repeated request returns the same leaf, counted once. */
  client_id?: string
  /** In a session with controls. */
  order?: OrderUse
}

/** Micro-dollars. */
export type Spend = {
  trades: number
  trades_left: number
  day_micro_usd: number
  day_left_micro_usd: number
}

export type Cosigned = {
  leaf: Delegation
  leaf_hash: Hex
  /** Pays a curve trade's fee; add it to the leaf with `payFee`, followed by the signed fee root. */
  fee_leaf?: Delegation
  expires_at: number
  sequence: number
  spend: Spend & { this_micro_usd: number }
}

export type RootStatus = {
  root_hash: Hex
  session_id: string
  wallet: Hex
  executor: Hex
  binding_version: number
  status: 'active' | 'revoked' | 'expired'
  registered_at: number
  expires_at: number
  revoked_at: number | null
  sequence: number
  spend: Spend
}

/** Of a hosted agent: the signer creates and holds its key. */
/** `first`: the agent's first key; a repeated request returns the same one. */
export type CreateExecutorRequest = { agent_id: string; owner: Hex; first?: true }
/** `text` is `executorAttestationText` of the same fields, `signature` the co-signer's (EIP-191). */
export type AttestedExecutor = { text: string; signature: Hex; cosigner: Hex }
export type CreatedExecutor = { executor: Hex; attestation: AttestedExecutor }

/** The executor's redeemDelegations. Type 4 with authorizations, otherwise type 2. */
export type ExecutorTx = {
  to: Hex
  value_wei: bigint
  data: Hex
  nonce: number
  gas: number
  max_fee_per_gas: bigint
  max_priority_fee_per_gas: bigint
  authorizations?: readonly SignedAuthorization[]
}
export type SignedExecutorTx = { raw: Hex; tx_hash: Hex }
/** Amounts in decimal digits. */
export type WireExecutorTx = Omit<
  ExecutorTx,
  'value_wei' | 'max_fee_per_gas' | 'max_priority_fee_per_gas'
> & {
  value_wei: string
  max_fee_per_gas: string
  max_priority_fee_per_gas: string
}

export const toWireExecutorTx = (tx: ExecutorTx): WireExecutorTx => ({
  ...tx,
  value_wei: tx.value_wei.toString(),
  max_fee_per_gas: tx.max_fee_per_gas.toString(),
  max_priority_fee_per_gas: tx.max_priority_fee_per_gas.toString(),
})

/**
 * The owner's attestation for stock tokens; `signature` is of `stockAttestationText`. Times in unix seconds.
 */
export type AttestStockRequest = {
  executor: Hex
  agent_id: string
  owner: Hex
  session_id: string
  root_hash: Hex
  issued: number
  expires: number
  signature: Hex
}

/** One plain transfer of the executor's ETH to its owner on record. Amounts in decimal digits. */
export type SignedRefund = {
  raw: Hex
  tx_hash: Hex
  executor: Hex
  to: Hex
  value_wei: string
  /** Balance before the transfer. */
  balance_wei: string
  nonce: number
  gas: number
  max_fee_per_gas: string
  /** Whether these bytes were returned before. */
  already: boolean
  closed: true
}

export type ExecutorStatus = {
  executor: Hex
  owner: Hex
  agent_id: string
  created_at: number
  /** Permanent: it no longer trades, signs or registers sessions. */
  closed: boolean
  closed_at: number | null
  attestation: AttestedExecutor
  /** Roots that can still be co-signed. */
  active_roots: number
  stock: {
    session_id: string
    root_hash: Hex
    issued: number
    expires: number
    revoked_at: number | null
  } | null
  /** A new stock attestation must be issued after this. */
  stock_not_before: number | null
  /** Time of the last refund. */
  refund: { tx_hash: Hex; nonce: number; value_wei: string; signed_at: number } | null
}
