/**
 * What a wallet reads from a node, and how many parameters of each are passed on: state overrides, which come
 * last, are not. Logs, traces, filters and the pool of others' transactions are not served here.
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

export const isRead = (method: string): boolean => Object.hasOwn(TAKES, method)

/** The parameters that go to the node; null where they ask for more than is served. */
export function paramsOf(method: string, params: readonly unknown[]): unknown[] | null {
  if (params.length > TAKES[method]!) return null
  if (!WITHOUT_TRANSACTIONS.has(method)) return [...params]
  const [block, whole = false] = params
  return whole === false ? [block, false] : null
}
