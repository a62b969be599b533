import type { Address, Hex } from '@pit/chain'
import { type Rpc, type RpcCall, RpcError } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'
import { traceEther } from '@pit/relay'
import type { Incoming } from '../types.ts'
import { tagOf } from './blocks.ts'

/** What a wallet had, and how many transactions it had sent, after a block. */
export interface EtherState {
  block: number
  wei: bigint
  nonce: number
}

/** Blocks in which the balance changed are looked for by halves; past this many looks a range stays whole. */
const MOST_LOOKS = 600
/** So many more where the wallet itself sent something: what it spent hides what came in. */
const MOST_OWN_LOOKS = 600
/** Of one reading; what comes after goes by balances. */
const MOST_TRACES = 500
const TRACES_AT_ONCE = 4

export interface EtherPlace {
  rpc: Rpc
  wallet: Address
  /** Transactions of a block that the ledger says paid ETH; most often they explain all of a change. */
  paying(block: number): Promise<ReadonlySet<Hex>>
}

/** Null when the node no longer has that block's state. */
export async function etherAt(rpc: Rpc, wallet: Address, block: number): Promise<EtherState | null> {
  const [balance, count] = await rpc.batch([
    ['eth_getBalance', [wallet, tagOf(block)]],
    ['eth_getTransactionCount', [wallet, tagOf(block)]],
  ])
  if (!balance?.ok || !count?.ok) return null
  return { block, wei: BigInt(balance.result as Hex), nonce: Number(count.result) }
}

/**
 * The ETH that came in between two states: transaction by transaction where the node traces, else by what the balance
 * of each block gained, what the wallet itself spent there added back. Where the node has lost the states in between,
 * what the whole range gained.
 */
export async function readEther(place: EtherPlace, from: EtherState, to: EtherState): Promise<Incoming[]> {
  const { rpc, wallet } = place
  const tracer = createTracer(place)
  let looks = 0
  const mayLook = (a: EtherState, b: EtherState): boolean =>
    looks < (a.nonce === b.nonce ? MOST_LOOKS : MOST_LOOKS + MOST_OWN_LOOKS)
  async function between(a: EtherState, b: EtherState): Promise<Incoming[]> {
    if (a.wei === b.wei && a.nonce === b.nonce) return []
    if (b.block - a.block === 1) return inBlock(place, tracer, a, b)
    if (!mayLook(a, b)) return byBalance(a, b, b.wei - a.wei)
    looks++
    const middle = await etherAt(rpc, wallet, Math.floor((a.block + b.block) / 2))
    if (middle === null) return byBalance(a, b, b.wei - a.wei)
    return [...(await between(a, middle)), ...(await between(middle, b))]
  }
  return between(from, to)
}

const byBalance = (a: EtherState, b: EtherState, wei: bigint): Incoming[] =>
  wei > 0n
    ? [
        {
          how: 'balance',
          token: NATIVE_TOKEN,
          fromBlock: a.block + 1,
          toBlock: b.block,
          txHash: null,
          atoms: wei,
        },
      ]
    : []

interface TxJson {
  hash: Hex
  from: string
  to: string | null
  value: Hex
}
interface ReceiptJson {
  status: Hex
  gasUsed: Hex
  effectiveGasPrice: Hex
  /** What a rollup takes for its parent chain, where it says so apart. */
  l1Fee?: Hex
}

async function inBlock(
  { rpc, wallet, paying }: EtherPlace,
  tracer: Tracer,
  a: EtherState,
  b: EtherState,
): Promise<Incoming[]> {
  const gained = b.wei - a.wei
  const block = await rpc.request<{ transactions: TxJson[] } | null>('eth_getBlockByNumber', [
    tagOf(b.block),
    true,
  ])
  const txs = block?.transactions ?? []
  const receipts = await receiptsOf(rpc, txs)
  if (receipts === null) return byBalance(a, b, gained)
  const done = txs.filter((_, i) => receipts[i]!.status === '0x1')
  const own = txs.flatMap((tx, i) =>
    tx.from.toLowerCase() === wallet ? [{ tx, receipt: receipts[i]! }] : [],
  )
  const gasWei = own.reduce((sum, { receipt }) => sum + gasOf(receipt), 0n)

  const known = await paying(b.block)
  const isLikely = ({ hash, from, to }: TxJson) =>
    known.has(lowerHash(hash)) || from.toLowerCase() === wallet || to?.toLowerCase() === wallet
  const likely = await tracer(done.filter(isLikely))
  const explains = (moves: readonly Move[] | null): moves is readonly Move[] =>
    moves !== null && moves.reduce((sum, { wei }) => sum + wei, 0n) - gasWei === gained
  const moves = explains(likely) || likely === null ? likely : await tracer(done)
  if (explains(moves)) {
    return moves
      .filter(({ wei }) => wei > 0n)
      .map(({ hash, wei }) => ({
        how: 'trace',
        token: NATIVE_TOKEN,
        fromBlock: b.block,
        toBlock: b.block,
        txHash: hash,
        atoms: wei,
      }))
  }
  const sentWei = own.reduce(
    (sum, { tx, receipt }) => sum + (receipt.status === '0x1' ? BigInt(tx.value) : 0n),
    0n,
  )
  return byBalance(a, b, gained + sentWei + gasWei)
}

const gasOf = ({ gasUsed, effectiveGasPrice, l1Fee }: ReceiptJson): bigint =>
  BigInt(gasUsed) * BigInt(effectiveGasPrice) + BigInt(l1Fee ?? 0)

async function receiptsOf(rpc: Rpc, txs: readonly TxJson[]): Promise<ReceiptJson[] | null> {
  const calls = txs.map(({ hash }): RpcCall => ['eth_getTransactionReceipt', [hash]])
  const answers = await rpc.batch(calls)
  const receipts = answers.map((answer) => (answer.ok ? (answer.result as ReceiptJson | null) : null))
  return receipts.every((receipt) => receipt !== null) ? receipts : null
}

interface Move {
  hash: Hex
  /** What the transaction brought the wallet, gas apart. */
  wei: bigint
}
/** Null where the node does not trace, or enough was traced for one reading. */
type Tracer = (txs: readonly TxJson[]) => Promise<Move[] | null>

function createTracer({ rpc, wallet }: EtherPlace): Tracer {
  let left = MOST_TRACES
  return async (txs) => {
    left -= txs.length
    if (left < 0) return null
    const moves: Move[] = []
    for (let at = 0; at < txs.length; at += TRACES_AT_ONCE) {
      const page = txs.slice(at, at + TRACES_AT_ONCE)
      const traced = await Promise.all(page.map(({ hash }) => traceEther(rpc, hash)))
      for (const [i, { hash }] of page.entries()) {
        const found = traced[i]
        if (!found) return null
        moves.push({ hash: lowerHash(hash), wei: found.net(wallet) })
      }
    }
    return moves
  }
}
const lowerHash = (hash: Hex): Hex => hash.toLowerCase() as Hex

/** Whether an error is the node's answer, not its silence. */
export const isAnswer = (error: unknown): boolean => error instanceof RpcError
