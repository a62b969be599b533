import { rpcFailure } from '../engine/provider.ts'
import { createSimulate } from '../engine/simulate.ts'
import type { Chain, Hex, OwnedTx } from '../engine/types.ts'
import type { Filters } from './filters.ts'
import type { PendingHashes } from './pendingHashes.ts'

export type Method = (params: unknown[]) => Promise<unknown>

/** Read-only methods of the engine's own namespaces. */
const READS = ['hardhat_metadata', 'hardhat_getAutomine']

/** Methods that do more than query the engine. */
export function nodeMethods(chain: Chain, filters: Filters, pending: PendingHashes): Record<string, Method> {
  const announced = async (sending: Promise<Hex>) => {
    const hash = await sending
    pending.announce(hash)
    return hash
  }
  return {
    eth_sendRawTransaction: async ([raw]) => announced(chain.sendRaw(rawTransaction(raw))),
    eth_sendTransaction: async ([tx]) => announced(chain.sendOwned(ownedTransaction(tx))),
    eth_simulateV1: createSimulate(chain),
    eth_blockNumber: async () => hex(chain.head().number),
    eth_newBlockFilter: async () => filters.newBlockFilter(),
    eth_newPendingTransactionFilter: async () => filters.newPendingTransactionFilter(),
    eth_newFilter: async (params) => filters.newFilter(params),
    eth_getFilterChanges: async (params) => filters.changes(params),
    eth_getFilterLogs: async (params) => filters.logs(params),
    eth_uninstallFilter: async (params) => filters.uninstall(params),
    eth_getBlockReceipts: async ([block]) => blockReceipts(chain, block),
    net_listening: async () => true,
  }
}

export const changesState = (method: string): boolean =>
  /^(hardhat|evm)_/.test(method) && !READS.includes(method)

/** A raw transaction, with its format checked. */
export function rawTransaction(value: unknown): Hex {
  if (typeof value !== 'string' || !/^0x([0-9a-fA-F]{2})+$/.test(value))
    throw rpcFailure(-32602, 'expected the signed transaction as hex data')
  return value as Hex
}

function ownedTransaction(value: unknown): OwnedTx {
  if (typeof value !== 'object' || value === null) throw rpcFailure(-32602, 'expected a transaction')
  const { from, input, data, value: amount, gas, ...rest } = value as Record<string, unknown>
  if (typeof from !== 'string') throw rpcFailure(-32602, 'expected a transaction with from')
  const content = input ?? data
  // Nonce, fees and lists are passed on unchanged.
  return {
    ...rest,
    from,
    ...(content === undefined ? {} : { data: content as string }),
    ...(amount === undefined ? {} : { value: quantity(amount) }),
    ...(gas === undefined ? {} : { gas: quantity(gas) }),
  }
}

async function blockReceipts(chain: Chain, reference: unknown): Promise<unknown> {
  const named = typeof reference === 'object' && reference !== null ? reference : undefined
  const fields = named as { blockHash?: string; blockNumber?: string } | undefined
  const at = fields ? (fields.blockHash ?? fields.blockNumber) : reference
  const byHash = typeof at === 'string' && at.length === 66
  const block = await chain.request<{ transactions: Hex[] } | null>(
    byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber',
    [at ?? 'latest', false],
  )
  if (!block) return null
  return Promise.all(block.transactions.map((hash) => chain.request('eth_getTransactionReceipt', [hash])))
}

function quantity(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value))
    throw rpcFailure(-32602, `${String(value)} is not a quantity`)
  return BigInt(value)
}

const hex = (value: bigint): Hex => `0x${value.toString(16)}`
