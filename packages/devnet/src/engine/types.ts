import type { Provider } from './provider.ts'

export type Hex = `0x${string}`

export type Log = (message: string, fields?: Record<string, unknown>) => void

/** A block as eth_getBlockByNumber(…, true) returns it, with the fields the node itself needs typed. */
export interface BlockJson {
  number: Hex
  hash: Hex
  parentHash: Hex
  timestamp: Hex
  baseFeePerGas: Hex
  gasLimit: Hex
  logsBloom: Hex
  stateRoot: Hex
  transactions: { hash: Hex; from: Hex; nonce: Hex; [field: string]: unknown }[]
  [field: string]: unknown
}

export interface Head {
  number: bigint
  hash: Hex
  timestampS: bigint
  baseFeeWei: bigint
}

/** An unsigned transaction from one of the node's own accounts. */
export interface OwnedTx {
  from: string
  to?: string
  data?: string
  value?: bigint
  /** Estimated on the pending block if absent. */
  gas?: bigint
  nonce?: bigint
  maxFeePerGas?: bigint
  maxPriorityFeePerGas?: bigint
  gasPrice?: bigint
  accessList?: unknown
  authorizationList?: unknown
}

export interface ChainStats {
  /** Mined since it was opened. */
  blocks: number
  rotations: number
  rotationFailures: number
  /** The longest time a rotation paused blocks. */
  rotationPauseMs: number
  walBytes: number
  pooled: number
}

/**
 * The local chain: an engine that mines, is read and simulates (undone at once), an append-only log that survives
 * kill -9, and an archive of blocks and receipts older than the running engine.
 */
export interface Chain {
  /** True if there was no chain on disk: the caller deploys the world. */
  fresh: boolean
  head(): Head
  /** Any read, answered by the engine or, for older blocks, by the archive. Throws RpcFailure. */
  request<T = unknown>(method: string, params?: unknown[]): Promise<T>
  /** Pools a signed transaction. */
  sendRaw(raw: Hex): Promise<Hex>
  /** Pools a transaction signed by the engine for an owned account. */
  sendOwned(tx: OwnedTx): Promise<Hex>
  /** State-changing hardhat_ and evm_ calls: applied to the engine and logged. */
  admin<T = unknown>(method: string, params?: unknown[]): Promise<T>
  /** Mines one block now and returns it; with `atS` as its timestamp. */
  mine(atS?: bigint): Promise<BlockJson>
  /** Runs alone on the engine at `head`, without pooled transactions; everything `run` did is undone. */
  onScratch<T>(run: (engine: Provider, head: Head) => Promise<T>): Promise<T>
  /** Called after each block with its transactions, receipts available. Returns the unsubscribe function. */
  onBlock(listener: (block: BlockJson) => void): () => void
  /** Blocks are awaited as they come, until the returned function is called once. */
  watch(): () => void
  /** Blocks are watched, or transactions are pending. */
  isAwaited(): boolean
  /** Mines the blocks that are due by now; undefined if there are none. */
  catchUp(): Promise<void> | undefined
  /** Starts a block every `blockMs`; with `restMs`, those not awaited are mined together, that much later. */
  startTicking(blockMs: number, rest?: { restMs?: number }): void
  /** Counters for tests and metrics. */
  stats(): ChainStats
  /** Stops ticking, waits for running work and the log. */
  close(): Promise<void>
}

export interface LogJson {
  address: Hex
  topics: Hex[]
  data: Hex
  blockNumber: Hex
  [field: string]: unknown
}

export interface ReceiptJson {
  transactionHash: Hex
  blockHash: Hex
  gasUsed: Hex
  effectiveGasPrice: Hex
  logs: LogJson[]
  [field: string]: unknown
}
