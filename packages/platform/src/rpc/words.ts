import type { RpcCall, RpcError } from './types.ts'

const REVERT_CODE = 3
const REVERT = /execution reverted|transaction reverted|vm exception|vm execution error/i
/** Revert data as nodes return it: bare, after a word (`Reverted 0x…`), or inside an object. */
const REVERT_DATA = /^(reverted )?0x([0-9a-f]{2})+$/i

/** A contract reverted. The text is the contract's, so it says nothing about the node. */
export const saysReverted = ({ code, message, data }: Pick<RpcError, 'code' | 'message' | 'data'>): boolean =>
  code === REVERT_CODE || isRevertData(data) || REVERT.test(message)

function isRevertData(data: unknown): boolean {
  const bytes = typeof data === 'object' ? (data as { data?: unknown } | null)?.data : data
  return typeof bytes === 'string' && REVERT_DATA.test(bytes)
}

const RATE_CODES: ReadonlySet<number> = new Set([429, -32_029])
const RATE = /too many requests|rate.?limit|request rate|requests? per|compute units|throughput|throttl/i

/** The node is rate limiting. */
export const saysBusy = (error: Pick<RpcError, 'code' | 'message' | 'data'>): boolean =>
  !saysReverted(error) && (RATE_CODES.has(error.code) || RATE.test(error.message))

const METHOD_NOT_FOUND = -32_601
export const saysNoMethod = ({ code }: Pick<RpcError, 'code'>): boolean => code === METHOD_NOT_FOUND

const INTERNAL = -32_603
const OWN =
  /header not found|unknown block|block not found|missing trie|pruned|not available|internal error|unavailable/i
/** An error about this node and not about the request: another node may answer. */
export const saysOwnTrouble = (error: Pick<RpcError, 'code' | 'message' | 'data'>): boolean =>
  !saysReverted(error) && (error.code === INTERNAL || saysNoMethod(error) || OWN.test(error.message))

/** Index of the block parameter by method. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_simulateV1: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_feeHistory: 1,
  eth_getStorageAt: 2,
  eth_getBlockByNumber: 0,
}
export const blockPlace = (method: string): number | undefined => BLOCK_AT[method]

const numberOf = (tag: unknown): number | null =>
  typeof tag === 'string' && /^0x[0-9a-f]{1,13}$/i.test(tag) ? Number(tag) : null

/** The block number a read requests; null if none. */
export function blockNamed([method, params]: RpcCall): number | null {
  if (method === 'eth_getLogs') {
    const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: unknown; toBlock?: unknown }
    return numberOf(toBlock) ?? numberOf(fromBlock)
  }
  const place = blockPlace(method)
  return place === undefined ? null : numberOf(params[place])
}

/** The newest block in a result; null if none. */
export function headTold([method, params]: RpcCall, result: unknown): number | null {
  if (method === 'eth_blockNumber') return numberOf(result)
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return null
  return numberOf((result as { number?: unknown } | null)?.number)
}
