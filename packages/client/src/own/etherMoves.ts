import type { Address, Hex } from '@pit/chain'
import { lower } from '@pit/protocol'
import { netOf, type Receipt, type Transfer, transfersIn } from './receipt.ts'
import { type Rpc, type RpcCall, RpcFailure } from './rpc.ts'

/** ETH transfers are logged as this token's by eth_simulateV1 with `traceTransfers`. */
const ETHER_LOG: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** Arbitrum's own transaction at the start of each block; it moves nothing. */
const SYSTEM_TYPE = '0x6a'
const MAX_REPLAYED = 200

interface BlockTransaction {
  hash: Hex
  type: Hex
  from: Address
  to: Address | null
  value: Hex
  input: Hex
  gas: Hex
  authorizationList?: unknown
}
interface Block {
  number: Hex
  timestamp: Hex
  miner: Address
  transactions: BlockTransaction[]
}

/** Net ETH of each holder over mined transactions, gas apart; null if this node cannot prove it. */
export async function readEtherMoves(
  rpc: Rpc,
  receipts: readonly Receipt[],
  holders: readonly Address[],
): Promise<ReadonlyMap<Address, bigint> | null> {
  const blocks = [...new Set(receipts.map(({ block }) => block))]
  const perBlock = await Promise.all(
    blocks.map((number) =>
      movesInBlock(
        rpc,
        number,
        receipts.filter(({ block }) => block === number),
        holders,
      ).catch(() => null),
    ),
  )
  if (perBlock.some((moves) => moves === null)) return null
  return new Map(
    holders.map((holder, i) => [holder, perBlock.reduce((sum, moves) => sum + moves![i]!, 0n)] as const),
  )
}

/** By balances when the block has no other transactions, else by replaying it up to ours. */
async function movesInBlock(
  rpc: Rpc,
  number: number,
  ours: readonly Receipt[],
  holders: readonly Address[],
): Promise<bigint[] | null> {
  const at = (height: number): Hex => `0x${height.toString(16)}`
  const balances = holders.flatMap((holder) =>
    [number - 1, number].map((height) => ({ method: 'eth_getBalance', params: [holder, at(height)] })),
  )
  const [block, parent, ...around] = await read<[Block, Block, ...Hex[]]>(rpc, [
    { method: 'eth_getBlockByNumber', params: [at(number), true] },
    { method: 'eth_getBlockByNumber', params: [at(number - 1), false] },
    ...balances,
  ])
  const transactions = block.transactions.filter(({ type }) => type !== SYSTEM_TYPE)
  const receiptOf = new Map(ours.map((receipt) => [receipt.hash, receipt]))
  // After a reorganisation this is another block than the receipt's.
  if (transactions.filter(({ hash }) => receiptOf.has(hash)).length !== receiptOf.size) return null
  const isAlone =
    transactions.every(({ hash }) => receiptOf.has(hash)) && !holders.includes(lower(block.miner))
  if (!isAlone) return replay(rpc, { block, parent, transactions, receiptOf, holders })
  return holders.map((holder, i) => {
    const gasWei = transactions
      .filter(({ from }) => lower(from) === holder)
      .map(({ hash }) => receiptOf.get(hash)!)
      .reduce((sum, { gasUsed, gasPriceWei }) => sum + gasUsed * gasPriceWei, 0n)
    return BigInt(around[2 * i + 1]!) - BigInt(around[2 * i]!) + gasWei
  })
}

interface Replay {
  block: Block
  parent: Block
  transactions: readonly BlockTransaction[]
  receiptOf: ReadonlyMap<Hex, Receipt>
  holders: readonly Address[]
}

/** Simulates the block on its parent. Identical logs prove that the replay took the same course. */
async function replay(rpc: Rpc, { block, parent, transactions, receiptOf, holders }: Replay) {
  const last = transactions.findLastIndex(({ hash }) => receiptOf.has(hash))
  const replayed = transactions.slice(0, last + 1)
  if (replayed.length > MAX_REPLAYED) return null
  const earliestS = BigInt(parent.timestamp) + 1n
  const timeS = BigInt(block.timestamp) > earliestS ? BigInt(block.timestamp) : earliestS
  const blockOverrides = { time: `0x${timeS.toString(16)}`, feeRecipient: block.miner }
  const calls = replayed.map(({ from, to, value, input, gas, authorizationList }) => ({
    ...{ from, value, input, gas },
    ...(to && { to }),
    ...(authorizationList !== undefined && { authorizationList }),
  }))
  const options = { blockStateCalls: [{ blockOverrides, calls }], traceTransfers: true }
  const [[simulated]] = await read<[[{ calls: Pick<Receipt, 'logs'>[] }]]>(rpc, [
    { method: 'eth_simulateV1', params: [options, parent.number] },
  ])
  const isEther = ({ address }: { address: Address }) => lower(address) === ETHER_LOG
  const transfers: Transfer[] = []
  for (const [i, { hash }] of replayed.entries()) {
    const receipt = receiptOf.get(hash)
    if (!receipt) continue
    const { logs } = simulated.calls[i]!
    if (print(logs.filter((log) => !isEther(log))) !== print(receipt.logs)) return null
    transfers.push(...transfersIn(logs.filter(isEther)))
  }
  return holders.map((holder) => netOf(transfers, ETHER_LOG, holder))
}

async function read<T extends readonly unknown[]>(rpc: Rpc, calls: readonly RpcCall[]): Promise<T> {
  const answers = await rpc.all(calls)
  if (answers.some((answer) => answer instanceof RpcFailure || !answer)) throw new RpcFailure('unreadable')
  return answers as unknown as T
}

const print = (logs: Receipt['logs']): string =>
  JSON.stringify(logs.map(({ address, topics, data }) => [address, topics, data])).toLowerCase()
