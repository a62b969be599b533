import { rpcFailure } from './provider.ts'
import { SIMULATE_CODE } from './simulateFailure.ts'
import type { SimulatedCall } from './simulateRequest.ts'

export interface CallTerms {
  call: SimulatedCall
  gas: bigint
  gasLeftInBlock: bigint
  baseFeeWei: bigint
  validation: boolean
}

/** The sender before the call. */
export interface SenderState {
  balanceWei: bigint
  nonce: bigint
}

interface Rule<T> {
  code: number
  message: string
  broken: (terms: T) => boolean
}

const MAX_INIT_CODE_BYTES = 49_152

/** Checked before a call runs: calls no block could contain. */
const BEFORE: Rule<CallTerms>[] = [
  {
    code: SIMULATE_CODE.blockGasLimit,
    message: 'block gas limit reached',
    broken: ({ gas, gasLeftInBlock }) => gas > gasLeftInBlock,
  },
  {
    code: SIMULATE_CODE.initCodeTooLarge,
    message: 'max initcode size exceeded',
    broken: ({ call }) => call.to === undefined && byteLength(call) > MAX_INIT_CODE_BYTES,
  },
  {
    code: SIMULATE_CODE.intrinsicGas,
    message: 'intrinsic gas too low',
    broken: ({ call, gas }) => gas < intrinsicGas(call),
  },
  {
    code: SIMULATE_CODE.feeCapTooLow,
    message: 'max fee per gas less than block base fee',
    broken: ({ call, baseFeeWei, validation }) => validation && feeCapWei(call) < baseFeeWei,
  },
]

/** Checked against the sender as traced before the call. */
const OF_SENDER: Rule<CallTerms & { sender: SenderState }>[] = [
  {
    code: SIMULATE_CODE.nonceTooLow,
    message: 'nonce too low',
    broken: ({ call, sender, validation }) =>
      validation && call.nonce !== undefined && call.nonce < sender.nonce,
  },
  {
    code: SIMULATE_CODE.nonceTooHigh,
    message: 'nonce too high',
    broken: ({ call, sender, validation }) =>
      validation && call.nonce !== undefined && call.nonce > sender.nonce,
  },
  {
    code: SIMULATE_CODE.insufficientFunds,
    message: 'insufficient funds for gas * price + value',
    broken: ({ call, gas, sender }) => sender.balanceWei < call.valueWei + gas * feeCapWei(call),
  },
]

export const fitsBlock = ({ gas, gasLeftInBlock }: CallTerms): boolean => gas > 0n && gas <= gasLeftInBlock

export function checkCall(terms: CallTerms): void {
  refuse(BEFORE, terms, terms.call)
}

export function checkSender(terms: CallTerms, sender: SenderState): void {
  refuse(OF_SENDER, { ...terms, sender }, terms.call)
}

function refuse<T>(rules: readonly Rule<T>[], terms: T, call: SimulatedCall): void {
  const broken = rules.find((rule) => rule.broken(terms))
  if (broken) throw rpcFailure(broken.code, `${broken.message}: address ${call.from}`)
}

export function feeCapWei(call: SimulatedCall): bigint {
  if (call.fees.kind === 'none') return 0n
  return call.fees.kind === 'legacy' ? call.fees.priceWei : call.fees.capWei
}

/** The sender's price per gas. */
export function paidPriceWei(call: SimulatedCall, baseFeeWei: bigint): bigint {
  const capWei = feeCapWei(call)
  if (call.fees.kind !== 'market') return capWei
  return lesser(baseFeeWei + call.fees.tipWei, capWei)
}

export const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const byteLength = (call: SimulatedCall) => (call.data.length - 2) / 2

/** Prague's minimum gas of a transaction: its intrinsic gas, or EIP-7623's floor if higher. */
export function intrinsicGas(call: SimulatedCall): bigint {
  let zeros = 0
  for (let at = 2; at < call.data.length; at += 2) {
    if (call.data.charCodeAt(at) === 48 && call.data.charCodeAt(at + 1) === 48) zeros += 1
  }
  const length = byteLength(call)
  const tokens = zeros + (length - zeros) * 4
  const creation = call.to === undefined ? 32_000 + 2 * Math.ceil(length / 32) : 0
  const keys = (call.accessList ?? []).reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
  const listed = (call.accessList?.length ?? 0) * 2_400 + keys * 1_900
  const delegations = (call.authorizationList?.length ?? 0) * 25_000
  return BigInt(Math.max(21_000 + tokens * 4 + creation + listed + delegations, 21_000 + tokens * 10))
}
