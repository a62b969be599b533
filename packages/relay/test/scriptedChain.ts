import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Address,
  type Crypto,
  type Hex,
  hashTx,
  parseSignedTx,
  type SignedTx,
  senderOf,
} from '@pit/chain'
import { type Rpc, type RpcCall, RpcError, RpcUnreachable } from '@pit/platform/rpc'

export interface ScriptedLog {
  address: Address
  topics: Hex[]
  data: Hex
}
interface Pooled {
  hash: Hex
  tx: SignedTx
  from: Address
}
interface Block {
  number: number
  hash: Hex
  timeS: number
  txs: Pooled[]
}
interface Mined {
  block: Block
  ok: boolean
  logs: ScriptedLog[]
}

/** What the sequencer does with bytes: lossy takes them and never answers, deaf loses them. */
export type SequencerMode =
  /** mines: at once, each in a block of its own; reverts: and what it does fails. */
  | { kind: 'ok'; delayMs?: number; mines?: boolean; reverts?: boolean }
  | { kind: 'refuse'; words: string; code?: number; takesAnyway?: boolean }
  | { kind: 'lossy' }
  | { kind: 'deaf' }

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
export const GAS_USED = 150_000n
export const GAS_PRICE = 1_000n

/** A chain and its sequencer that do what a test says, block by block. */
export function createScriptedChain(crypto: Crypto, startS: number) {
  const pool = new Map<Hex, Pooled>()
  const mined = new Map<Hex, Mined>()
  const blocks = new Map<number, Block>()
  const sent: Hex[] = []
  const ether = new Map<string, bigint>()
  const tokens = new Map<string, bigint>()
  const nonces = new Map<Address, number>()
  const traces = new Map<Hex, unknown>()
  let height = 100
  let salt = 0
  let mode: SequencerMode = { kind: 'ok' }
  let answering = true
  let stateFrom = 0
  let calls = 0

  function take(raw: Hex): Hex {
    const parsed = parseSignedTx(raw)
    if (!parsed.ok) throw new RpcError('eth_sendRawTransaction', -32602, parsed.why, undefined)
    const hash = hashTx(crypto, parsed.tx)
    pool.set(hash, { hash, tx: parsed.tx, from: senderOf(crypto, parsed.tx)! })
    return hash
  }

  async function sendRaw(raw: Hex): Promise<Hex> {
    const now = mode
    const parsed = parseSignedTx(raw)
    if (parsed.ok) sent.push(hashTx(crypto, parsed.tx))
    if (now.kind === 'ok' && now.delayMs) await sleep(now.delayMs)
    if (now.kind === 'refuse') {
      if (now.takesAnyway) take(raw)
      throw new RpcError('eth_sendRawTransaction', now.code ?? -32_000, now.words, undefined)
    }
    if (now.kind === 'deaf') throw new RpcUnreachable('eth_sendRawTransaction: no answer in 5000 ms')
    const hash = take(raw)
    if (now.kind === 'ok' && now.mines) mine({ only: [hash], reverted: now.reverts ? [hash] : [] })
    if (now.kind === 'lossy') throw new RpcUnreachable('eth_sendRawTransaction: no answer in 5000 ms')
    return hash
  }

  const newBlock = (number: number, timeS: number): Block => ({
    number,
    hash: crypto.keccakText(`block ${number} ${salt++}`),
    timeS,
    txs: [],
  })
  blocks.set(height, newBlock(height, startS))

  /** The next block, with everything pooled or only what is named. */
  function mine({
    timeS = blocks.get(height)!.timeS + 1,
    only,
    reverted = [],
    logs = {},
  }: {
    timeS?: number
    only?: Hex[]
    reverted?: Hex[]
    logs?: Record<Hex, ScriptedLog[]>
  } = {}): Block {
    const block = newBlock(++height, timeS)
    blocks.set(height, block)
    for (const pooled of [...pool.values()]) {
      if (only && !only.includes(pooled.hash)) continue
      pool.delete(pooled.hash)
      block.txs.push(pooled)
      nonces.set(pooled.from, Math.max(nonces.get(pooled.from) ?? 0, pooled.tx.nonce + 1))
      mined.set(pooled.hash, {
        block,
        ok: !reverted.includes(pooled.hash),
        logs: reverted.includes(pooled.hash) ? [] : (logs[pooled.hash] ?? []),
      })
    }
    return block
  }

  const receiptOf = (hash: Hex) => {
    const found = mined.get(hash)
    if (!found) return null
    const { block, ok, logs } = found
    return {
      status: ok ? '0x1' : '0x0',
      transactionHash: hash,
      blockNumber: hex(block.number),
      blockHash: block.hash,
      gasUsed: hex(GAS_USED),
      effectiveGasPrice: hex(GAS_PRICE),
      logs: logs.map((log) => ({ ...log, transactionHash: hash })),
    }
  }
  const blockJson = (block: Block | undefined) =>
    block
      ? { number: hex(block.number), hash: block.hash, parentHash: block.hash, timestamp: hex(block.timeS) }
      : null
  const at = (tag: unknown) => (tag === 'latest' ? height : Number(tag))
  const missing = (method: string) => new RpcError(method, -32_000, 'missing trie node', undefined)

  function read(method: string, params: readonly unknown[]): unknown {
    const [first, second] = params as [never, never]
    switch (method) {
      case 'eth_getTransactionReceipt':
        return receiptOf(first)
      case 'eth_getTransactionByHash':
        return pool.has(first) || mined.has(first) ? { hash: first } : null
      case 'eth_getTransactionCount': {
        if (at(second) < stateFrom) throw missing(method)
        return hex((nonces.get(first) ?? 0) - minedAfter(first, at(second)))
      }
      case 'eth_getBlockByNumber':
        return blockJson(blocks.get(at(first)))
      case 'eth_getBlockByHash':
        return blockJson([...blocks.values()].find(({ hash }) => hash === first))
      case 'eth_getBalance': {
        const wei = ether.get(`${first}@${at(second)}`)
        if (wei === undefined) throw missing(method)
        return hex(wei)
      }
      case 'eth_call': {
        const { to, data } = first as { to: Address; data: Hex }
        const atoms = tokens.get(`${to}:0x${data.slice(34)}@${at(second)}`)
        if (atoms === undefined) throw missing(method)
        return `0x${atoms.toString(16).padStart(64, '0')}`
      }
      case 'eth_getLogs': {
        const { blockHash, address } = first as { blockHash: Hex; address: Address }
        return [...mined].flatMap(([hash, { block, logs }]) =>
          block.hash === blockHash
            ? logs
                .filter((log) => log.address === address)
                .map((log, i) => ({
                  ...log,
                  transactionHash: hash,
                  blockHash,
                  blockNumber: hex(block.number),
                  logIndex: hex(i),
                }))
            : [],
        )
      }
      case 'debug_traceTransaction':
        if (traces.has(first)) return traces.get(first)
        throw new RpcError(method, -32_601, 'the method does not exist', undefined)
      default:
        throw new RpcError(method, -32_601, `no ${method} here`, undefined)
    }
  }
  const minedAfter = (from: Address, number: number): number =>
    [...blocks.values()]
      .filter((block) => block.number > number)
      .reduce((sum, { txs }) => sum + txs.filter((tx) => tx.from === from).length, 0)

  const rpcOf = (answer: (method: string, params: readonly unknown[]) => Promise<unknown>): Rpc => ({
    request: (method, params = []) => answer(method, params) as never,
    batch: (list: readonly RpcCall[]) =>
      Promise.all(
        list.map(([method, params]) =>
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

  return {
    /** Every time bytes reached the sequencer, by hash. */
    sent,
    sentTimes: (hash: Hex) => sent.filter((one) => one === hash).length,
    sequencer: rpcOf((_, [raw]) => sendRaw(raw as Hex)),
    rpc: rpcOf(async (method, params) => {
      calls++
      if (!answering) throw new RpcUnreachable(`${method}: refused`)
      return read(method, params)
    }),
    calls: () => calls,
    setMode: (next: SequencerMode) => {
      mode = next
    },
    setAnswering: (on: boolean) => {
      answering = on
    },
    /** State of blocks before this one is gone, as on a node that keeps no archive. */
    forgetStateBefore: (block: number) => {
      stateFrom = block
    },
    setEther: (holder: Address, block: number, wei: bigint) => ether.set(`${holder}@${block}`, wei),
    setTokens: (token: Address, holder: Address, block: number, atoms: bigint) =>
      tokens.set(`${token}:${holder}@${block}`, atoms),
    setTrace: (hash: Hex, trace: unknown) => traces.set(hash, trace),
    setNonce: (holder: Address, nonce: number) => nonces.set(holder, nonce),
    height: () => height,
    /** Bytes that came to the chain by another way. */
    take,
    /** A pooled transaction is gone, as one is whose nonce was taken. */
    forget: (hash: Hex) => pool.delete(hash),
    loseReceipt: (hash: Hex) => mined.delete(hash),
    mine,
    /** The head block is another one now; its transactions are in it again, or back in the pool. */
    reorg({ keep }: { keep: boolean }): void {
      const old = blocks.get(height)!
      const block = { ...newBlock(height, old.timeS + 7), txs: keep ? old.txs : [] }
      blocks.set(height, block)
      for (const pooled of old.txs) {
        const was = mined.get(pooled.hash)!
        if (keep) mined.set(pooled.hash, { ...was, block })
        else {
          mined.delete(pooled.hash)
          pool.set(pooled.hash, pooled)
          nonces.set(pooled.from, pooled.tx.nonce)
        }
      }
    },
  }
}
export type ScriptedChain = ReturnType<typeof createScriptedChain>
