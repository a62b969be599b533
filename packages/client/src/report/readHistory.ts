import { type Address, NATIVE } from '@pit/chain'
import type { Finding, ReportInput, ReportPoint, ReportToken, ReportTransaction } from '@pit/reports'
import type { ClientDeps } from '../deps.ts'
import { pastTokenFacts } from '../own/tokenFacts.ts'
import { isCore, type Pins } from '../pins.ts'
import { listTrades } from '../verbs/listTrades.ts'
import { type ApprovalSent, findApprovals } from './findApprovals.ts'
import { type BlockTime, findBlocks, readBlockTimes } from './findBlocks.ts'
import type { ReportOptions, ReportStage } from './options.ts'
import { readPoints } from './readPoints.ts'
import {
  blockOf,
  type Candidate,
  readCandidates,
  readTransaction,
  type TradeRow,
} from './readTransactions.ts'
import { gasOf, type MinedReceipt, tokenMovesOf } from './receiptMoves.ts'

const DAY_S = 86_400

/** The wallet's transactions of a period, with balances and prices around each, from the client's own node. */
export async function readHistory(
  { rpc, pins, account, ...deps }: ClientDeps,
  { fromS, toS, onProgress }: ReportOptions,
  signal: AbortSignal | undefined,
): Promise<Omit<ReportInput, 'methods'>> {
  const wallet = account.address
  const rows: TradeRow[] = []
  for await (const row of listTrades({ rpc, pins, account, ...deps }, { signal })) {
    rows.push(row)
    if (rows.length % 100 === 0) onProgress?.('trades', rows.length, rows.length)
  }
  const step = (stage: ReportStage, total: number) => ({
    signal,
    onDone: (done: number) => onProgress?.(stage, done, total),
  })
  const { candidates, findings } = await readCandidates(rpc, rows, step('receipts', rows.length))
  const ends = await findBlocks(rpc, endsOf(fromS, toS), { firstBlock: pins.profile.first_block, signal })
  const last = ends.blocks.get(toS) ?? ends.latest
  const used = candidates.filter(({ receipt }) => blockOf(receipt) <= last.block)
  const tokens = await readTokens(rpc, pins, { wallet, candidates: used, last, signal })
  const approvals = await findApprovals(rpc, pins, {
    wallet,
    candidates: used,
    last,
    ...step('approvals', 0),
  })
  const receipts = [...used, ...approvals].map(({ receipt }) => receipt)
  const blocks = await blocksToRead(rpc, receipts, [...ends.blocks.values(), last], signal)
  const points = await readPoints(rpc, pins, {
    ...{ wallet, blocks, tokens: tokens.map(({ address }) => address) },
    ...step('readings', blocks.length),
  })
  const pointOf = new Map(points.map((point) => [point.block, point]))
  const inBlock = new Map<number, number>()
  for (const { receipt } of used) inBlock.set(blockOf(receipt), (inBlock.get(blockOf(receipt)) ?? 0) + 1)
  const transactions: ReportInput['transactions'][number][] = []
  const more: Finding[] = []
  for (const [i, candidate] of used.entries()) {
    const block = blockOf(candidate.receipt)
    const around = { before: pointOf.get(block - 1)!, after: pointOf.get(block)! }
    const isAlone = inBlock.get(block) === 1
    const read = await readTransaction(rpc, pins, candidate, { wallet, isAlone, ...around })
    if (read.transaction) transactions.push(read.transaction)
    more.push(...read.findings)
    onProgress?.('transactions', i + 1, used.length)
  }
  for (const one of approvals) {
    const transaction = approvalIn(one, wallet, pins, pointOf.get(blockOf(one.receipt))!)
    if (transaction) transactions.push(transaction)
  }
  return {
    ...{ chainId: pins.profile.chain_id, wallet, fromS, toS, tokens, transactions, points },
    findings: [...findings, ...more],
  }
}

/** Null for an approval by which a token moved itself: its change of balance stays unexplained. */
function approvalIn(
  { hash, text, receipt }: ApprovalSent,
  wallet: Address,
  pins: Pins,
  { timeS, prices }: ReportPoint,
): ReportTransaction | null {
  if (tokenMovesOf(receipt, wallet, pins).length > 0) return null
  return {
    ...{ hash, timeS, prices, approval: text, path: null, moves: [], fees: [] },
    ok: receipt.status === '0x1',
    block: blockOf(receipt),
    index: Number(BigInt(receipt.transactionIndex)),
    gasWei: gasOf(receipt),
    executorGasWei: 0n,
  }
}

/** The period's ends and the UTC days in it. */
function endsOf(fromS: number, toS: number): number[] {
  const days: number[] = []
  for (let dayS = Math.floor(fromS / DAY_S + 1) * DAY_S; dayS < toS; dayS += DAY_S) days.push(dayS)
  return [fromS, ...days, toS]
}

/** Each transaction's block, the one before it, and the given ones; each once. */
async function blocksToRead(
  rpc: ClientDeps['rpc'],
  receipts: readonly MinedReceipt[],
  known: readonly BlockTime[],
  signal: AbortSignal | undefined,
): Promise<BlockTime[]> {
  const blocks = new Set(receipts.flatMap((receipt) => [blockOf(receipt) - 1, blockOf(receipt)]))
  for (const { block } of known) blocks.delete(block)
  const times = await readBlockTimes(rpc, [...blocks], signal)
  const all = new Map(known.map(({ block, timeS }) => [block, timeS]))
  for (const [block, timeS] of times) all.set(block, timeS)
  return [...all].map(([block, timeS]) => ({ block, timeS })).sort((a, b) => a.block - b.block)
}

/** Core tokens, everything the wallet's transactions moved, and pinned tokens that it holds at the end. */
async function readTokens(
  rpc: ClientDeps['rpc'],
  pins: Pins,
  {
    wallet,
    candidates,
    last,
    signal,
  }: {
    wallet: Address
    candidates: readonly Candidate[]
    last: BlockTime
    signal: AbortSignal | undefined
  },
): Promise<ReportToken[]> {
  const pinned = [...pins.tokens.keys()]
  const [end] = await readPoints(rpc, pins, { wallet, tokens: pinned, blocks: [last], signal })
  const moved = candidates.flatMap(({ receipt }) => [
    ...tokenMovesOf(receipt, wallet, pins),
    ...tokenMovesOf(receipt, pins.feeRecipient, pins),
  ])
  const used = new Set<Address>([NATIVE, pins.weth, ...moved.map(({ token }) => token)])
  for (const token of pinned) if (isCore(pins, token) || (end!.balances[token] ?? 0n) > 0n) used.add(token)
  const facts = await pastTokenFacts(rpc, pins, [...used], signal)
  return [...facts.values()].map(({ address, symbol, decimals, isPinned }): ReportToken => {
    // Anyone can deploy any symbol, so one that is not pinned comes with its address.
    const unique = isPinned || symbol === null ? symbol : `${symbol} (${address})`
    // Amounts are in atoms if the token does not say.
    return { address, symbol: unique, decimals: decimals ?? 0, kind: kindOf(pins, address) }
  })
}

function kindOf(pins: Pins, address: Address): ReportToken['kind'] {
  const { core = null, stock = false } = pins.tokens.get(address) ?? {}
  if (address === NATIVE || address === pins.weth) return 'ether'
  if (core === 'USDG') return 'cash'
  return stock ? 'stock' : 'token'
}
