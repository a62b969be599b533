import type { Address, Hex } from '@pit/chain'
import {
  askEther,
  askNonce,
  askTransactions,
  readAll,
  readOne,
  readReceipts,
  type Transaction,
  traceEther,
} from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'
import type { Incoming } from '../types.ts'

/** A wallet's balance and nonce after a block. */
export interface EtherState {
  block: number
  wei: bigint
  nonce: number
}

/**
 * Maximum reads of the binary search for blocks that changed the balance; then a range is not divided
 * further.
 */
const MAX_LOOKS = 600
/** Additional reads if the wallet itself sent transactions, whose spending hides income. */
const MAX_OWN_LOOKS = 600
/** Maximum traces per reading; after that, balances are used. */
const MAX_TRACES = 500
const PARALLEL_TRACES = 4

export interface EtherDeps {
  rpc: Rpc
  wallet: Address
  /** ETH fees that the ledger has for a block, by transaction; usually they explain the whole change. */
  paying(block: number): Promise<ReadonlyMap<Hex, bigint>>
}

/** Null if the node no longer has that block's state. */
export async function etherAt(rpc: Rpc, wallet: Address, block: number): Promise<EtherState | null> {
  const [wei, nonce] = await readAll(rpc, [askEther(wallet, block), askNonce(wallet, block)])
  return wei === undefined || nonce === undefined ? null : { block, wei, nonce }
}

/**
 * The ETH that came in between two states. By transaction, if the fees booked in a block are exactly its gain or the
 * node traces; otherwise by the balance change of each block plus the wallet's own spending. If the node has lost the states in between, the change of the
 * whole range.
 */
export async function readEther(deps: EtherDeps, from: EtherState, to: EtherState): Promise<Incoming[]> {
  const { rpc, wallet } = deps
  const tracer = createTracer(deps)
  let looks = 0
  const mayLook = (a: EtherState, b: EtherState): boolean =>
    looks < (a.nonce === b.nonce ? MAX_LOOKS : MAX_LOOKS + MAX_OWN_LOOKS)
  async function between(a: EtherState, b: EtherState): Promise<Incoming[]> {
    if (a.wei === b.wei && a.nonce === b.nonce) return []
    if (b.block - a.block === 1) return inBlock(deps, tracer, a, b)
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

async function inBlock(
  { rpc, wallet, paying }: EtherDeps,
  tracer: Tracer,
  a: EtherState,
  b: EtherState,
): Promise<Incoming[]> {
  const gained = b.wei - a.wei
  const booked = await paying(b.block)
  const bookedWei = [...booked.values()].reduce((sum, wei) => sum + wei, 0n)
  if (a.nonce === b.nonce && bookedWei === gained)
    return byTransaction(
      b.block,
      [...booked].map(([hash, wei]) => ({ hash, wei })),
    )

  const txs = (await readOne(rpc, askTransactions(b.block))) ?? []
  const receipts = await receiptsOf(rpc, txs)
  if (receipts === null) return byBalance(a, b, gained)
  const done = txs.filter((_, i) => receipts[i]!.ok)
  const own = txs.flatMap((tx, i) => (tx.from === wallet ? [{ tx, receipt: receipts[i]! }] : []))
  const gasWei = own.reduce((sum, { receipt }) => sum + receipt.gasCostWei, 0n)

  const isLikely = ({ hash, from, to }: Transaction) => booked.has(hash) || from === wallet || to === wallet
  const likely = await tracer(done.filter(isLikely))
  const explains = (moves: readonly Move[] | null): moves is readonly Move[] =>
    moves !== null && moves.reduce((sum, { wei }) => sum + wei, 0n) - gasWei === gained
  const moves = explains(likely) || likely === null ? likely : await tracer(done)
  if (explains(moves)) return byTransaction(b.block, moves)
  const sentWei = own.reduce((sum, { tx, receipt }) => sum + (receipt.ok ? tx.valueWei : 0n), 0n)
  return byBalance(a, b, gained + sentWei + gasWei)
}

const byTransaction = (block: number, moves: readonly Move[]): Incoming[] =>
  moves
    .filter(({ wei }) => wei > 0n)
    .map(({ hash, wei }) => ({
      how: 'trace',
      token: NATIVE_TOKEN,
      fromBlock: block,
      toBlock: block,
      txHash: hash,
      atoms: wei,
    }))

/** Null unless the node returns status and cost of each. */
async function receiptsOf(
  rpc: Rpc,
  txs: readonly Transaction[],
): Promise<{ ok: boolean; gasCostWei: bigint }[] | null> {
  const receipts = await readReceipts(
    rpc,
    txs.map(({ hash }) => hash),
  )
  const outcomes = receipts.flatMap((receipt) => {
    const { ok, gasCostWei } = receipt ?? { ok: false, gasCostWei: null }
    return gasCostWei === null ? [] : [{ ok, gasCostWei }]
  })
  return outcomes.length === txs.length ? outcomes : null
}

interface Move {
  hash: Hex
  /** The wallet's balance change by the transaction, without gas. */
  wei: bigint
}
/** Null if the node does not trace, or the limit of traces is reached. */
type Tracer = (txs: readonly Transaction[]) => Promise<Move[] | null>

function createTracer({ rpc, wallet }: EtherDeps): Tracer {
  let left = MAX_TRACES
  return async (txs) => {
    left -= txs.length
    if (left < 0) return null
    const moves: Move[] = []
    for (let at = 0; at < txs.length; at += PARALLEL_TRACES) {
      const page = txs.slice(at, at + PARALLEL_TRACES)
      const traced = await Promise.all(page.map(({ hash }) => traceEther(rpc, hash)))
      for (const [i, { hash }] of page.entries()) {
        const trace = traced[i]
        if (!trace) return null
        moves.push({ hash, wei: trace.net(wallet) })
      }
    }
    return moves
  }
}
