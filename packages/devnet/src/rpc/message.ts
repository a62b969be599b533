export type Id = string | number | null

export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** `id` is absent in a notification, which gets no response. */
export type Incoming =
  | { kind: 'call'; id?: Id; method: string; params: unknown[] }
  | { kind: 'invalid'; id: Id; error: RpcError }

export const PARSE_ERROR: RpcError = { code: -32700, message: 'parse error' }
export const INVALID_REQUEST: RpcError = { code: -32600, message: 'invalid request' }

const isId = (value: unknown): value is Id =>
  value === null || typeof value === 'string' || typeof value === 'number'

export function readMessage(value: unknown): Incoming {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { kind: 'invalid', id: null, error: INVALID_REQUEST }
  const { id, method, params, jsonrpc } = value as Record<string, unknown>
  const answerTo = isId(id) ? id : null
  if (
    typeof method !== 'string' ||
    (jsonrpc !== undefined && jsonrpc !== '2.0') ||
    (id !== undefined && !isId(id))
  )
    return { kind: 'invalid', id: answerTo, error: INVALID_REQUEST }
  // viem omits params if a method has none.
  if (params !== undefined && params !== null && !Array.isArray(params))
    return { kind: 'invalid', id: answerTo, error: { code: -32602, message: 'params must be an array' } }
  const list = (params ?? []) as unknown[]
  return { kind: 'call', method, params: list, ...(id === undefined ? {} : { id }) }
}

const bigintsAsHex = (_: string, value: unknown) =>
  typeof value === 'bigint' ? `0x${value.toString(16)}` : value

export const resultText = (id: Id, result: unknown): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result ?? null, bigintsAsHex)}}`

export const errorText = (id: Id, error: RpcError): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error, bigintsAsHex)}}`

export const notificationText = (subscription: string, resultJson: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${subscription}",` +
  `"result":${resultJson}}}`
