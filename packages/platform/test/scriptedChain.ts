import { type Address, type Hex, hashTx, multicall3Abi, parseSignedTx } from '@pit/chain'
import { decodeFunctionData, encodeFunctionResult } from 'viem'
import { type Rpc, type RpcCall, RpcError, RpcUnreachable } from '../src/rpc/index.ts'
import {
  type ChainBookOptions,
  createChainBook,
  ETH,
  type MinedTx,
  quantity,
  type ScriptedLog,
  word,
} from './chainBook.ts'

export * from './chainBook.ts'

export type CallParams = { to: Address; data: Hex; from?: Address; value?: Hex; gas?: Hex }

/** Behaviour of the sequencer: lossy accepts bytes and never answers, deaf loses them. */
export type SequencerMode =
  /** mines: at once, each in its own block; reverts: mined but failed. */
  | { kind: 'ok'; mines?: boolean; reverts?: boolean }
  | { kind: 'refuse'; words: string; code?: number; takesAnyway?: boolean }
  | { kind: 'lossy' }
  | { kind: 'deaf' }

// biome-ignore lint/suspicious/noExplicitAny: a script knows what its method takes
type Params = readonly any[]
type Handler = (params: Params, usual: () => unknown) => unknown

const BALANCE_OF = '0x70a08231'
/** Multicall3's getEthBalance. */
const GET_ETH_BALANCE = '0x4d2301cc'
const missingState = (method: string) => new RpcError(method, -32_000, 'missing trie node', undefined)
const unknownMethod = (method: string) => new RpcError(method, -32_601, `no ${method} here`, undefined)

/** A scripted chain with node and sequencer. */
export function createScriptedChain({
  multicall3,
  ...options
}: ChainBookOptions & {
  /** Its calls are answered one by one, by the same script. */
  multicall3?: Address
}) {
  const { mined: minedTxs, pool, ...book } = createChainBook(options)
  const { head, timeOf, hashOf, numberOf, take, mine } = book
  let mode: SequencerMode = { kind: 'ok' }
  const handlers = new Map<string, Handler>()
  const callers: ((call: CallParams, block: number) => Hex | undefined | Promise<Hex | undefined>)[] = []

  const chain = {
    code: new Map<Address, Hex>(),
    /** By `address slot`. */
    storage: new Map<string, Hex>(),
    traces: new Map<Hex, unknown>(),
    /** The node does not answer while set. */
    isDown: false,
    /** State of blocks before this one is missing, as on a node without archive. */
    stateFrom: 0,
    /** Whether a balance is known only for the blocks it was set at; otherwise the last value set applies. */
    onlySetBalances: false,
    /** Every call that reached the node, batches split. */
    asked: [] as { method: string; params: readonly unknown[] }[],
    /** Every submission to the sequencer, by hash. */
    sent: [] as Hex[],
  }

  const at = (tag: unknown): number => (tag === 'latest' || tag === undefined ? head() : Number(tag))

  function stateAt(method: string, tag: unknown): number {
    if (at(tag) < chain.stateFrom) throw missingState(method)
    return at(tag)
  }
  function knownBalance(method: string, token: Address, holder: Address, tag: unknown): bigint {
    const block = stateAt(method, tag)
    if (chain.onlySetBalances && !book.isSetAt(token, holder, block)) throw missingState(method)
    return book.balance(token, holder, block)
  }

  const logsOf = (tx: MinedTx) =>
    tx.logs.map((log, i) => ({
      ...log,
      blockNumber: quantity(tx.block),
      blockHash: hashOf(tx.block),
      transactionHash: tx.hash,
      logIndex: quantity(i),
    }))
  const txJson = ({ hash, from, to, valueWei }: MinedTx) => ({ hash, from, to, value: quantity(valueWei) })

  function blockJson(number: number | undefined, isFull: boolean) {
    if (number === undefined || number > head()) return null
    const txs = [...minedTxs.values()].filter(({ block }) => block === number)
    return {
      number: quantity(number),
      hash: hashOf(number),
      parentHash: hashOf(number - 1),
      timestamp: quantity(timeOf(number)),
      baseFeePerGas: '0x1',
      transactions: isFull ? txs.map(txJson) : txs.map(({ hash }) => hash),
    }
  }

  function findLogs(filter: {
    blockHash?: Hex
    fromBlock?: Hex
    toBlock?: Hex
    address?: Address | Address[]
    topics?: (Hex | Hex[] | null)[]
  }) {
    const { blockHash, fromBlock = '0x0', toBlock, address, topics = [] } = filter
    const only = blockHash === undefined ? undefined : numberOf(blockHash)
    if (blockHash !== undefined && only === undefined)
      throw new RpcError('eth_getLogs', -32_000, 'unknown block', undefined)
    const [from, to] = only === undefined ? [at(fromBlock), at(toBlock)] : [only, only]
    const isWanted = (log: ScriptedLog) =>
      (address === undefined || [address].flat().includes(log.address)) &&
      topics.every((topic, i) => topic == null || [topic].flat().includes(log.topics[i]!))
    return [...minedTxs.values()]
      .filter(({ block }) => block >= from && block <= to)
      .flatMap(logsOf)
      .filter(isWanted)
  }

  function receiptJson(tx: MinedTx | undefined) {
    return tx
      ? {
          status: tx.reverted ? '0x0' : '0x1',
          transactionHash: tx.hash,
          from: tx.from,
          to: tx.to,
          blockNumber: quantity(tx.block),
          blockHash: hashOf(tx.block),
          gasUsed: quantity(tx.gasUsed),
          effectiveGasPrice: quantity(tx.gasPriceWei),
          logs: logsOf(tx),
        }
      : null
  }

  async function call(input: CallParams, tag: unknown): Promise<Hex> {
    const block = stateAt('eth_call', tag)
    const isEther = input.data.startsWith(GET_ETH_BALANCE)
    if (input.to.toLowerCase() === multicall3 && !isEther) return callEach(input, tag)
    for (const caller of callers) {
      const answer = await caller(input, block)
      if (answer !== undefined) return answer
    }
    if (!isEther && !input.data.startsWith(BALANCE_OF)) return '0x'
    return word(knownBalance('eth_call', isEther ? ETH : input.to, `0x${input.data.slice(34)}`, tag))
  }
  async function callEach({ data }: CallParams, tag: unknown): Promise<Hex> {
    const { args } = decodeFunctionData({ abi: multicall3Abi, data })
    const [asks] = args as unknown as [{ target: Address; callData: Hex }[]]
    const result = await Promise.all(
      asks.map(({ target, callData }) =>
        call({ to: target.toLowerCase() as Address, data: callData }, tag).then(
          (returnData) => ({ success: true, returnData }),
          () => ({ success: false, returnData: '0x' as Hex }),
        ),
      ),
    )
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result })
  }

  function usual(method: string, [first, second]: Params): unknown {
    switch (method) {
      case 'eth_blockNumber':
        return quantity(head())
      case 'eth_getBlockByNumber':
        return blockJson(at(first), second === true)
      case 'eth_getBlockByHash':
        return blockJson(numberOf(first), second === true)
      case 'eth_getLogs':
        return findLogs(first)
      case 'eth_getTransactionReceipt':
        return receiptJson(minedTxs.get(first))
      case 'eth_getTransactionByHash': {
        const tx = minedTxs.get(first)
        return tx ? txJson(tx) : pool.has(first) ? { hash: first } : null
      }
      case 'eth_getTransactionCount':
        return quantity(book.nonceAt(first, stateAt(method, second)))
      case 'eth_getBalance':
        return quantity(knownBalance(method, ETH, first, second))
      case 'eth_getCode':
        return chain.code.get(first) ?? '0x'
      case 'eth_getStorageAt':
        return chain.storage.get(`${first} ${second}`) ?? word(0)
      case 'eth_call':
        return call(first, second)
      case 'debug_traceTransaction':
        if (chain.traces.has(first)) return chain.traces.get(first)
        throw unknownMethod(method)
      default:
        throw unknownMethod(method)
    }
  }

  async function answer(method: string, params: readonly unknown[]): Promise<unknown> {
    chain.asked.push({ method, params })
    if (chain.isDown) throw new RpcUnreachable(`${method}: refused`)
    const handler = handlers.get(method)
    return handler ? handler(params, () => usual(method, params)) : usual(method, params)
  }

  async function sendRaw(method: string, [raw]: readonly unknown[]): Promise<unknown> {
    const handler = handlers.get(method)
    if (handler) await handler([raw], () => undefined)
    const now = mode
    const parsed = parseSignedTx(raw as Hex)
    if (parsed.ok && options.crypto) chain.sent.push(hashTx(options.crypto, parsed.tx))
    if (now.kind === 'refuse') {
      if (now.takesAnyway) take(raw as Hex)
      throw new RpcError(method, now.code ?? -32_000, now.words, undefined)
    }
    if (now.kind === 'deaf') throw new RpcUnreachable(`${method}: no answer in 5000 ms`)
    const hash = take(raw as Hex)
    if (now.kind === 'ok' && now.mines) mine({ only: [hash], reverted: now.reverts ? [hash] : [] })
    if (now.kind === 'lossy') throw new RpcUnreachable(`${method}: no answer in 5000 ms`)
    return hash
  }

  return Object.assign(chain, book, {
    rpc: rpcOf(answer),
    sequencer: rpcOf(sendRaw),
    blockAt: (timeS: number) => Math.floor((timeS - options.startS) / (options.blockS ?? 1)),
    mined: (): readonly MinedTx[] => [...minedTxs.values()],
    setMode: (next: SequencerMode) => {
      mode = next
    },
    callsOf: (method: string) => chain.asked.filter((one) => one.method === method).length,
    sentTimes: (hash: Hex) => chain.sent.filter((one) => one === hash).length,
    /** Overrides a method: throws, waits, counts, or changes the result of `usual`. */
    on: (method: string, handler: Handler) => void handlers.set(method, handler),
    /** Answers contract calls; undefined passes to the next handler. */
    onCall: (caller: (typeof callers)[number]) => void callers.push(caller),
  })
}
export type ScriptedChain = ReturnType<typeof createScriptedChain>

/** A scripted node. An RpcError fails one call; any other error fails the whole request. */
export const rpcOf = (answer: (method: string, params: readonly unknown[]) => Promise<unknown>): Rpc => ({
  request: async (method, params = []) => (await answer(method, params)) as never,
  batch: (calls: readonly RpcCall[]) =>
    Promise.all(
      calls.map(([method, params]) =>
        answer(method, params).then(
          (result) => ({ ok: true as const, result }),
          (error) => {
            if (error instanceof RpcError) return { ok: false as const, error }
            throw error
          },
        ),
      ),
    ),
  close() {},
})
