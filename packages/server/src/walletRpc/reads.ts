/**
 * Reads a wallet may make, and how many parameters of each are passed on: state overrides, which come last,
 * are not. Logs, traces, filters and the transaction pool are not supported.
 */
const TAKES: Readonly<Record<string, number>> = {
  eth_blockNumber: 0,
  eth_call: 2,
  eth_chainId: 0,
  eth_estimateGas: 2,
  eth_feeHistory: 3,
  eth_gasPrice: 0,
  eth_getBalance: 2,
  eth_getBlockByHash: 2,
  eth_getBlockByNumber: 2,
  eth_getCode: 2,
  eth_getStorageAt: 3,
  eth_getTransactionByHash: 1,
  eth_getTransactionCount: 2,
  eth_getTransactionReceipt: 1,
  eth_maxPriorityFeePerGas: 0,
  net_version: 0,
  web3_clientVersion: 0,
}
/** A block with all its transactions can be megabytes. */
const WITHOUT_TRANSACTIONS = new Set(['eth_getBlockByHash', 'eth_getBlockByNumber'])

/** Enough for any swap this service builds; a node's own cap is five times as high. */
export const MAX_CALL_GAS = 10_000_000n
const RUNS_CODE = new Set(['eth_call', 'eth_estimateGas'])
/** Nodes in Go match field names case-insensitively, so a second spelling could carry another limit. */
const GAS_LIMIT = /^gas(limit)?$/i

export const isRead = (method: string): boolean => Object.hasOwn(TAKES, method)

/** The parameters for the node; null if the request is not supported. */
export function paramsOf(method: string, params: readonly unknown[]): unknown[] | null {
  if (params.length > TAKES[method]!) return null
  if (RUNS_CODE.has(method)) return withGasCap(params)
  if (!WITHOUT_TRANSACTIONS.has(method)) return [...params]
  const [block, whole = false] = params
  return whole === false ? [block, false] : null
}

function withGasCap([call, ...rest]: readonly unknown[]): unknown[] | null {
  if (typeof call !== 'object' || call === null || Array.isArray(call)) return null
  const others = Object.entries(call).filter(([name]) => !GAS_LIMIT.test(name))
  return [{ ...Object.fromEntries(others), gas: gasOf((call as { gas?: unknown }).gas) }, ...rest]
}

function gasOf(requested: unknown): string {
  const isQuantity = typeof requested === 'string' && /^0x[0-9a-f]{1,64}$/i.test(requested)
  const gas = isQuantity && BigInt(requested) < MAX_CALL_GAS ? BigInt(requested) : MAX_CALL_GAS
  return `0x${gas.toString(16)}`
}
