import type { SigningRequest, WalletTransaction } from '@pit/client'
import type { Hex } from 'viem'

/** The path of the frame that holds the wallet, on WALLET_ORIGIN or on the site's own origin. */
export const FRAME_PATH = '/wallet-frame'

/** Requests of a page. Everything else is refused. */
export type WalletRequest =
  | { type: 'address' | 'create' | 'unlock' | 'lock' | 'export' | 'settings' | 'return' }
  | ({ type: 'sign' } & SigningRequest)

export interface WalletStatus {
  exists: boolean
  /** Null before its backup was verified: it cannot be funded. */
  address: Hex | null
  returnAddress: Hex | null
  isLocked: boolean
  lockMinutes: number
}
export interface WalletError {
  code: number
  message: string
}

interface Marked {
  pit: 'wallet'
}
export interface ToFrame extends Marked {
  id: number
  request: WalletRequest
}
export type FromFrame = Marked &
  (
    | { id: number; result: unknown }
    | { id: number; error: WalletError }
    | { event: 'ready' | 'show' | 'hide' }
    | { event: 'size'; height: number }
    | { event: 'status'; status: WalletStatus }
  )

/** EIP-1193. */
export const DECLINED = 4001
export const UNKNOWN_REQUEST = 4200

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** Exactly these fields. */
const has = (value: unknown, ...names: string[]): value is Fields =>
  isObject(value) && Object.keys(value).sort().join() === [...names].sort().join()

/** A message of the page; null for anything that is not one of them, to the field. */
export function parseToFrame(data: unknown): ToFrame | null {
  if (!has(data, 'pit', 'id', 'request') || data['pit'] !== 'wallet') return null
  const { id, request } = data
  if (!Number.isSafeInteger(id) || Number(id) < 0) return null
  const parsed = parseRequest(request)
  return parsed && { pit: 'wallet', id: Number(id), request: parsed }
}

const PLAIN = ['address', 'create', 'unlock', 'lock', 'export', 'settings', 'return']

function parseRequest(value: unknown): WalletRequest | null {
  if (has(value, 'type') && PLAIN.includes(String(value['type']))) return value as WalletRequest
  if (!has(value, 'type', 'kind', 'payload') || value['type'] !== 'sign') return null
  return isSigning(value['kind'], value['payload']) ? (value as unknown as WalletRequest) : null
}

const MAX_TEXT = 10_000
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT
const isQuantity = (value: unknown): boolean =>
  typeof value === 'string' && /^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$/.test(value)
const isAddress = (value: unknown): boolean => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
const isHex = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= 200_000 && /^0x([0-9a-fA-F]{2})*$/.test(value)
const isNonce = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0

const QUANTITIES = ['value', 'gas', 'nonce', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const
const TRANSACTION = ['to', 'data', ...QUANTITIES] satisfies (keyof WalletTransaction)[]

function isSigning(kind: unknown, payload: unknown): boolean {
  switch (kind) {
    case 'message':
      return isText(payload)
    case 'typedData':
      return (
        has(payload, 'domain', 'types', 'primaryType', 'message') &&
        isText(payload['primaryType']) &&
        [payload['domain'], payload['types'], payload['message']].every(isObject)
      )
    case 'transaction':
      return (
        has(payload, ...TRANSACTION) &&
        isAddress(payload['to']) &&
        isHex(payload['data']) &&
        QUANTITIES.every((name) => isQuantity(payload[name]))
      )
    case 'authorization':
      return (
        has(payload, 'address', 'chainId', 'nonce') &&
        isAddress(payload['address']) &&
        isNonce(payload['chainId']) &&
        isNonce(payload['nonce'])
      )
    default:
      return false
  }
}

/** A message of the frame, as far as the page uses it. */
export function parseFromFrame(data: unknown): FromFrame | null {
  if (!isObject(data) || data['pit'] !== 'wallet') return null
  const { id, event } = data
  if (id !== undefined) {
    const { error } = data
    const isAnswer = Number.isSafeInteger(id) && (error === undefined ? 'result' in data : isError(error))
    return isAnswer ? (data as unknown as FromFrame) : null
  }
  if (event === 'size') return Number.isSafeInteger(data['height']) ? (data as unknown as FromFrame) : null
  if (event === 'status') return isObject(data['status']) ? (data as unknown as FromFrame) : null
  return ['ready', 'show', 'hide'].includes(String(event)) ? (data as unknown as FromFrame) : null
}

const isError = (value: unknown): boolean =>
  has(value, 'code', 'message') && typeof value['code'] === 'number' && isText(value['message'])
