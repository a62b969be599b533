import { createHash } from 'node:crypto'
import { type Address, ERC20_TRANSFER_TOPIC, type Hex } from '@pit/chain'
import { type Rpc, type RpcCall, RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`
const word = (address: string): Hex => `0x${address.slice(2).padStart(64, '0')}`
const GAS_USED = 21_000n
const GAS_PRICE = 7n

/** One transaction: what it moves from whom to whom, ETH or tokens. */
export interface FakeTx {
  from: Address
  to: Address
  moves: { token: Address; from: Address; to: Address; atoms: bigint }[]
  reverted?: boolean
  gas?: bigint
}
interface Mined extends FakeTx {
  hash: Hex
  block: number
}

/**
 * A chain of blocks some seconds apart, made when they are asked for; only those with transactions are stored. What it
 * answers is what a node would, with traces or without, with old state or without.
 */
export function createFakeChain({ startS, everyS }: { startS: number; everyS: number }) {
  const byBlock = new Map<number, Mined[]>()
  const byHash = new Map<Hex, Mined>()
  let height = 0
  const options = { traces: true, stateFrom: 0, mostLogBlocks: 1_000_000, silent: false, salt: '' }
  const calls = new Map<string, number>()

  const timeOf = (block: number) => startS + block * everyS
  const hashOf = (block: number): Hex =>
    `0x${createHash('sha256').update(`${options.salt} ${block}`).digest('hex')}`
  /** By token and holder, what each transaction changed; by sender, the blocks it sent in. */
  const changes = new Map<string, { block: number; atoms: bigint }[]>()
  const sends = new Map<string, number[]>()
  const change = (token: Address, holder: Address, block: number, atoms: bigint) => {
    const key = `${token} ${holder}`
    const known = changes.get(key)
    if (known) known.push({ block, atoms })
    else changes.set(key, [{ block, atoms }])
  }
  function keepChanges({ from, moves, reverted, gas = GAS_USED, block }: Mined): void {
    const sent = sends.get(from)
    if (sent) sent.push(block)
    else sends.set(from, [block])
    change(NATIVE_TOKEN as Address, from, block, -gas * GAS_PRICE)
    for (const { token, from: giver, to, atoms } of reverted ? [] : moves) {
      change(token, giver, block, -atoms)
      change(token, to, block, atoms)
    }
  }

  function balance(token: Address, holder: Address, block: number): bigint {
    let atoms = 0n
    for (const one of changes.get(`${token} ${holder}`) ?? []) if (one.block <= block) atoms += one.atoms
    return atoms
  }
  const etherOf = ({ from, to, moves }: Mined): bigint =>
    moves
      .filter((move) => move.token === NATIVE_TOKEN && move.from === from && move.to === to)
      .reduce((sum, { atoms }) => sum + atoms, 0n)
  const logsOf = (tx: Mined) =>
    (tx.reverted ? [] : tx.moves).flatMap(({ token, from, to, atoms }, i) =>
      token === NATIVE_TOKEN
        ? []
        : [
            {
              address: token,
              topics: [ERC20_TRANSFER_TOPIC, word(from), word(to)],
              data: `0x${atoms.toString(16).padStart(64, '0')}`,
              blockNumber: hex(tx.block),
              transactionHash: tx.hash,
              logIndex: hex(i),
            },
          ],
    )
  const at = (tag: unknown) => (tag === 'latest' ? height : Number(tag))
  function needState(method: string, block: number): void {
    if (block < options.stateFrom) throw new RpcError(method, -32_000, 'missing trie node', undefined)
  }

  function answer(method: string, params: readonly unknown[]): unknown {
    calls.set(method, (calls.get(method) ?? 0) + 1)
    if (options.silent) throw new RpcUnreachable(`${method}: no answer in 5000 ms`)
    const [first, second] = params as [never, never]
    switch (method) {
      case 'eth_blockNumber':
        return hex(height)
      case 'eth_getCode':
        return '0x'
      case 'eth_getBlockByNumber': {
        const number = at(first)
        if (number > height) return null
        const txs = byBlock.get(number) ?? []
        const transactions = second
          ? txs.map((tx) => ({ hash: tx.hash, from: tx.from, to: tx.to, value: hex(etherOf(tx)) }))
          : txs.map(({ hash }) => hash)
        return { number: hex(number), hash: hashOf(number), timestamp: hex(timeOf(number)), transactions }
      }
      case 'eth_getBalance':
        needState(method, at(second))
        return hex(balance(NATIVE_TOKEN, first, at(second)))
      case 'eth_getTransactionCount':
        needState(method, at(second))
        return hex((sends.get(first) ?? []).filter((block) => block <= at(second)).length)
      case 'eth_call': {
        const { to, data } = first as { to: Address; data: Hex }
        needState(method, at(second))
        return `0x${balance(to, `0x${data.slice(34)}`, at(second))
          .toString(16)
          .padStart(64, '0')}`
      }
      case 'eth_getLogs': {
        const filter = first as {
          fromBlock: Hex
          toBlock: Hex
          address: Address[]
          topics: (Hex | Hex[] | null)[]
        }
        const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
        if (to - from + 1 > options.mostLogBlocks)
          throw new RpcError(method, -32_005, 'range too wide', undefined)
        return [...byHash.values()]
          .filter(({ block }) => block >= from && block <= to)
          .flatMap(logsOf)
          .filter(
            (log) =>
              filter.address.includes(log.address) &&
              filter.topics.every(
                (topic, i) => topic === null || [topic].flat().includes(log.topics[i] as Hex),
              ),
          )
      }
      case 'eth_getTransactionByHash': {
        const tx = byHash.get(first)
        return tx ? { hash: tx.hash, from: tx.from, to: tx.to, value: hex(etherOf(tx)) } : null
      }
      case 'eth_getTransactionReceipt': {
        const tx = byHash.get(first)
        return tx
          ? {
              status: tx.reverted ? '0x0' : '0x1',
              blockNumber: hex(tx.block),
              from: tx.from,
              gasUsed: hex(tx.gas ?? GAS_USED),
              effectiveGasPrice: hex(GAS_PRICE),
              logs: logsOf(tx),
            }
          : null
      }
      case 'debug_traceTransaction': {
        const tx = byHash.get(first)
        if (!options.traces || !tx)
          throw new RpcError(method, -32_601, 'the method does not exist', undefined)
        const moved = tx.moves.filter(({ token }) => token === NATIVE_TOKEN)
        return {
          type: 'CALL',
          from: tx.from,
          to: tx.to,
          value: '0x0',
          calls: moved.map(({ from, to, atoms }) => ({ type: 'CALL', from, to, value: hex(atoms) })),
        }
      }
      default:
        throw new RpcError(method, -32_601, `no ${method} here`, undefined)
    }
  }
  const rpc: Rpc = {
    request: async (method, params = []) => answer(method, params) as never,
    batch: async (list: readonly RpcCall[]) =>
      list.map(([method, params]) => {
        try {
          return { ok: true as const, result: answer(method, params) }
        } catch (error) {
          if (error instanceof RpcError) return { ok: false as const, error }
          throw error
        }
      }),
    close() {},
  }
  return {
    rpc,
    options,
    callsOf: (method: string) => calls.get(method) ?? 0,
    height: () => height,
    timeOf,
    blockAt: (timeS: number) => Math.floor((timeS - startS) / everyS),
    /** The chain goes on until this block. */
    mineTo(block: number) {
      height = Math.max(height, block)
    },
    /** A transaction in a block, made now or long ago. */
    add(tx: FakeTx, block = height + 1): Mined {
      height = Math.max(height, block)
      const hash: Hex = `0x${createHash('sha256').update(`tx ${byHash.size}`).digest('hex')}`
      const mined = { ...tx, hash, block }
      byHash.set(hash, mined)
      keepChanges(mined)
      byBlock.set(block, [...(byBlock.get(block) ?? []), mined])
      return mined
    },
    balance: (token: Address, holder: Address) => balance(token, holder, height),
    /** Everything that was mined, for whoever counts it again. */
    mined: (): readonly Mined[] => [...byHash.values()],
  }
}
export type FakeChain = ReturnType<typeof createFakeChain>
