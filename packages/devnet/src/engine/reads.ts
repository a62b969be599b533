import { lower } from '@pit/protocol'
import type { Archive, ArchivedBlock } from './archive.ts'
import { receiptsOf } from './archiver.ts'
import { feeHistory } from './feeHistory.ts'
import { toHex } from './hex.ts'
import type { LogFilter } from './logFilter.ts'
import { type Provider, rpcFailure } from './provider.ts'
import { rawOf } from './replayable.ts'
import type { FormerState, StateField } from './stateHistory.ts'
import type { BlockJson, Head, Hex, LogJson } from './types.ts'
import { word } from './worldState.ts'

/** Location of blocks at the time of a read. */
export interface ReadPlaces {
  main: Provider
  /** Blocks up to this one are in the archive; -1 while the first engine runs, which has them all. */
  base: number
  head: Head
  archive: Archive
  /** The previous engine that still has the state after this block, if it is kept. */
  retired(number: number): Provider | undefined
  /** Fields that were different after this block than after the traced one; null if they are not known. */
  former(number: number): FormerState | null
  tracedBlock(): number
  /** As served: the first block of an engine has the archived one as its parent. */
  served(block: BlockJson): BlockJson
}

type Params = readonly unknown[]
type Read = (places: ReadPlaces, params: Params) => Promise<unknown>

/** Answers a read from the engine or, for older blocks, from the archive. */
export async function read(places: ReadPlaces, method: string, params: Params): Promise<unknown> {
  const own = READS[method]
  if (own) return own(places, params)
  const tagAt = STATE_READS[method]
  if (tagAt !== undefined) return readState(places, method, params, tagAt)
  return places.main.request(method, [...params])
}

/** Methods that read state, and the index of their block parameter. */
const STATE_READS: Record<string, number> = {
  eth_call: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
  debug_traceCall: 1,
}

const READS: Record<string, Read> = {
  eth_getBlockByNumber: (at, [tag, full]) => blockAt(at, numberOf(at, tag), full === true, tag),
  eth_getBlockByHash: async (at, [hash, full]) => {
    const number = at.archive.findBlock(hash as Hex)
    if (number !== undefined && number <= at.base) return shown(at.archive.read(number).block, full === true)
    return servedOrNull(at, await at.main.request('eth_getBlockByHash', [hash, full === true]))
  },
  eth_getTransactionByHash: async (at, [hash]) => {
    const archived = archivedTx(at, hash as Hex)
    return archived
      ? archived.entry.block.transactions[archived.index]
      : at.main.request('eth_getTransactionByHash', [hash])
  },
  eth_getTransactionReceipt: async (at, [hash]) => {
    const archived = archivedTx(at, hash as Hex)
    return archived
      ? archived.entry.receipts[archived.index]
      : at.main.request('eth_getTransactionReceipt', [hash])
  },
  eth_getRawTransactionByHash: async (at, [hash]) => {
    const tx = await READS['eth_getTransactionByHash']!(at, [hash])
    return tx ? rawOf(tx as BlockJson['transactions'][number]) : null
  },
  eth_getBlockReceipts: async (at, [tag]) => (await whole(at, tag))?.receipts ?? null,
  eth_getBlockTransactionCountByNumber: async (at, [tag]) => countOf(await whole(at, tag)),
  eth_getBlockTransactionCountByHash: async (at, [hash]) => countOf(await whole(at, hash)),
  eth_getTransactionByBlockNumberAndIndex: async (at, [tag, index]) => nthTx(await whole(at, tag), index),
  eth_getTransactionByBlockHashAndIndex: async (at, [hash, index]) => nthTx(await whole(at, hash), index),
  eth_getTransactionCount: (at, params) =>
    params[1] === 'pending' ? nextNonce(at, params[0]) : readState(at, 'eth_getTransactionCount', params, 1),
  eth_getLogs: (at, [filter]) => logs(at, (filter ?? {}) as LogsParams),
  eth_feeHistory: (at, [count, newest, percentiles]) =>
    feeHistory((number) => whole(at, toHex(number)), {
      blocks: Number(count),
      newest: numberOf(at, newest),
      percentiles: (percentiles ?? []) as number[],
    }),
  debug_traceTransaction: async (at, params) => {
    const number = at.archive.findTx(params[0] as Hex)
    if (number === undefined || number > at.base)
      return at.main.request('debug_traceTransaction', [...params])
    // Replaying a transaction needs the state before its block.
    return keeperOf(at, number - 1, number).request('debug_traceTransaction', [...params])
  },
}

interface LogsParams extends LogFilter {
  fromBlock?: string
  toBlock?: string
  blockHash?: Hex
}

async function logs(at: ReadPlaces, params: LogsParams): Promise<LogJson[]> {
  const { fromBlock, toBlock, blockHash, ...filter } = params
  if (blockHash !== undefined) {
    const number = at.archive.findBlock(blockHash)
    if (number === undefined || number > at.base) return at.main.request('eth_getLogs', [params])
    return at.archive.logs(filter, number, number)
  }
  const from = numberOf(at, fromBlock)
  const to = numberOf(at, toBlock)
  const old = from <= at.base ? await at.archive.logs(filter, from, Math.min(to, at.base)) : []
  if (to <= at.base) return old
  const recent = { ...params, fromBlock: toHex(Math.max(from, at.base + 1)), toBlock: toHex(to) }
  return [...old, ...(await at.main.request<LogJson[]>('eth_getLogs', [recent]))]
}

async function readState(at: ReadPlaces, method: string, params: Params, tagAt: number): Promise<unknown> {
  const tag = params[tagAt]
  const number = tag === 'pending' ? at.base + 1 : numberOf(at, tag)
  if (number > at.base) return at.main.request(method, [...params])
  const keeper = at.retired(number)
  if (keeper) return keeper.request(method, [...params])
  if (number < at.base) return readFormer(at, method, params, { tagAt, number })
  // The state an engine was built with is the base block's.
  const moved = [...params]
  moved[tagAt] = toHex(at.base)
  return at.main.request(method, moved)
}

/** State of an earlier engine: what changed since from the history, all else from the running engine. */
async function readFormer(
  at: ReadPlaces,
  method: string,
  params: Params,
  { tagAt, number }: { tagAt: number; number: number },
): Promise<unknown> {
  const former = at.former(number)
  const fieldOf = FORMER_FIELDS[method]
  if (!former || (!fieldOf && method !== 'eth_call')) throw pruned(at, number)
  const moved = [...params]
  moved[tagAt] = toHex(at.tracedBlock())
  if (fieldOf) {
    const account = former.get(lower(String(params[0])))
    return account?.get(fieldOf(params)) ?? at.main.request(method, moved)
  }
  moved[tagAt + 1] = withFormer(former, (params[tagAt + 1] ?? {}) as Overrides)
  return at.main.request(method, moved)
}

const FORMER_FIELDS: Record<string, (params: Params) => StateField> = {
  eth_getBalance: () => 'balance',
  eth_getTransactionCount: () => 'nonce',
  eth_getCode: () => 'code',
  eth_getStorageAt: ([, slot]) => word(String(slot) as Hex),
}

type Overrides = Record<string, { state?: object; stateDiff?: Record<Hex, Hex>; [field: string]: unknown }>

/** State overrides that bring the former state back; those of the caller come after it. */
function withFormer(former: FormerState, given: Overrides): Overrides {
  const overrides: Overrides = {}
  for (const [address, fields] of former) {
    const { balance, nonce, code, ...stateDiff } = Object.fromEntries(fields) as Record<StateField, Hex>
    overrides[address] = {
      ...(balance !== undefined && { balance }),
      ...(nonce !== undefined && { nonce }),
      ...(code !== undefined && { code }),
      ...(Object.keys(stateDiff).length > 0 && { stateDiff }),
    }
  }
  for (const [address, own] of Object.entries(given)) {
    const { stateDiff, ...account } = overrides[lower(address)] ?? {}
    const words = own.state ? undefined : { ...stateDiff, ...own.stateDiff }
    overrides[lower(address)] = { ...account, ...own, ...(words && { stateDiff: words }) }
  }
  return overrides
}

/** Counted from the pool. EDR would run everything pooled first, which takes as long as mining it. */
async function nextNonce({ main }: ReadPlaces, address: unknown): Promise<Hex> {
  const [mined, pooled] = (await main.batch([
    ['eth_getTransactionCount', [address, 'latest']],
    ['eth_pendingTransactions'],
  ])) as [Hex, { from: Hex; nonce: Hex }[]]
  const owner = String(address).toLowerCase()
  const nonces = new Set(pooled.filter(({ from }) => from === owner).map(({ nonce }) => BigInt(nonce)))
  let next = BigInt(mined)
  while (nonces.has(next)) next += 1n
  return toHex(next)
}

function keeperOf(at: ReadPlaces, from: number, to: number): Provider {
  const keeper = at.retired(to)
  if (!keeper || keeper !== at.retired(from)) throw pruned(at, from)
  return keeper
}

/** The error of a node that keeps only recent state. */
function pruned(at: ReadPlaces, number: number) {
  const root = at.archive.read(number).block.stateRoot
  return rpcFailure(-32000, `missing trie node ${root.slice(2)} (path ) state ${root} is not available`)
}

async function blockAt(at: ReadPlaces, number: number, full: boolean, tag: unknown): Promise<unknown> {
  if (tag === 'pending') return at.main.request('eth_getBlockByNumber', ['pending', full])
  if (number <= at.base) return shown(at.archive.read(number).block, full)
  return servedOrNull(at, await at.main.request('eth_getBlockByNumber', [tag ?? 'latest', full]))
}

/** A block with its receipts, by number, tag or hash. */
async function whole(at: ReadPlaces, tag: unknown): Promise<ArchivedBlock | null> {
  const byHash = typeof tag === 'string' && tag.length === 66
  const number = byHash ? at.archive.findBlock(tag as Hex) : numberOf(at, tag)
  if (number !== undefined && number <= at.base) return at.archive.read(number)
  const method = byHash ? 'eth_getBlockByHash' : 'eth_getBlockByNumber'
  const block = await at.main.request<BlockJson | null>(method, [byHash ? tag : toHex(number ?? 0), true])
  return block && { block: at.served(block), receipts: await receiptsOf(at.main, block) }
}

function archivedTx(at: ReadPlaces, hash: Hex) {
  const number = at.archive.findTx(hash)
  if (number === undefined || number > at.base) return undefined
  const entry = at.archive.read(number)
  return { entry, index: entry.block.transactions.findIndex((tx) => tx.hash === hash.toLowerCase()) }
}

/**
 * The block number of a tag, number or {blockHash}. The engine resolves hashes that are not in the archive.
 */
function numberOf(at: ReadPlaces, tag: unknown): number {
  if (tag === undefined || tag === null || tag === 'latest' || tag === 'safe' || tag === 'finalized') {
    return Number(at.head.number)
  }
  if (tag === 'pending') return Number(at.head.number)
  if (tag === 'earliest') return 0
  if (typeof tag === 'string' && /^0x[0-9a-f]{1,13}$/i.test(tag)) return Number(tag)
  if (typeof tag === 'object') {
    const { blockNumber, blockHash } = tag as { blockNumber?: Hex; blockHash?: Hex }
    if (blockNumber !== undefined) return numberOf(at, blockNumber)
    if (blockHash !== undefined) return at.archive.findBlock(blockHash) ?? at.base + 1
  }
  throw rpcFailure(-32602, `invalid block tag ${JSON.stringify(tag)}`)
}

const servedOrNull = (at: ReadPlaces, block: unknown) => (block ? at.served(block as BlockJson) : null)

const shown = (block: BlockJson, full: boolean) =>
  full ? block : { ...block, transactions: block.transactions.map((tx) => tx.hash) }

const countOf = (entry: ArchivedBlock | null) => (entry ? toHex(entry.block.transactions.length) : null)

const nthTx = (entry: ArchivedBlock | null, index: unknown) =>
  entry?.block.transactions[Number(index)] ?? null
