import { type Address, type Hex, NATIVE } from '@pit/chain'
import { type Answer, lower } from '@pit/protocol'
import type { Finding, Move, ReportPoint, ReportTransaction } from '@pit/reports'
import { readEtherMoves } from '../own/etherMoves.ts'
import { receiptOf } from '../own/receipt.ts'
import { type Rpc, resultOf } from '../own/rpc.ts'
import type { Pins } from '../pins.ts'
import { readInChunks } from './readInChunks.ts'
import { gasOf, type MinedReceipt, tokenMovesOf } from './receiptMoves.ts'

export type TradeRow = Answer<'me.trades'>['trades'][number]

/** A transaction to report, with the server's row if it lists it. */
export interface Candidate {
  hash: Hex
  row: TradeRow | null
  receipt: MinedReceipt
}

interface Sent {
  hash: Hex
  from: Address
  to: Address | null
  value: Hex
}

/** Receipts of the server's rows; rows without one are findings. */
export async function readCandidates(
  rpc: Rpc,
  rows: readonly TradeRow[],
  options: { signal?: AbortSignal | undefined; onDone?(done: number): void },
): Promise<{ candidates: Candidate[]; findings: Finding[] }> {
  const listed = new Map(rows.flatMap((row) => (row.tx_hash ? [[lower(row.tx_hash), row] as const] : [])))
  const receipts = await readReceipts(rpc, [...listed.keys()], options)
  const candidates: Candidate[] = []
  const findings: Finding[] = []
  for (const [hash, row] of listed) {
    const receipt = receipts.get(hash)
    if (receipt) candidates.push({ hash, row, receipt })
    else
      findings.push({
        ...{ hash, timeS: row.time, included: false },
        problem: row.status === 'pending' ? 'pending' : 'no_receipt',
      })
  }
  return { candidates, findings }
}

export async function readReceipts(
  rpc: Rpc,
  hashes: readonly Hex[],
  options: { signal?: AbortSignal | undefined; onDone?(done: number): void } = {},
): Promise<Map<Hex, MinedReceipt>> {
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
  const answers = await readInChunks(rpc, calls, options)
  return new Map(
    hashes.flatMap((hash, i) => {
      const receipt = resultOf<MinedReceipt | null>(answers[i])
      return receipt?.blockNumber ? [[hash, receipt] as const] : []
    }),
  )
}

export const blockOf = ({ blockNumber }: MinedReceipt): number => Number(BigInt(blockNumber))

/** Everything that a receipt, its block and the balances around it say about the wallet. */
export async function readTransaction(
  rpc: Rpc,
  pins: Pins,
  { hash, row, receipt }: Candidate,
  {
    wallet,
    before,
    after,
    isAlone,
  }: { wallet: Address; before: ReportPoint; after: ReportPoint; isAlone: boolean },
): Promise<{ transaction: ReportTransaction | null; findings: Finding[] }> {
  const { timeS } = after
  const ok = receipt.status === '0x1'
  const isOwn = lower(receipt.from) === wallet
  const gasWei = gasOf(receipt)
  const moves = ok ? tokenMovesOf(receipt, wallet, pins) : []
  const fees = ok ? feesIn(receipt, pins) : []
  const finding = (problem: Finding['problem'], included: boolean): Finding => ({
    hash,
    timeS,
    problem,
    included,
  })
  const findings: Finding[] = []
  if (ok) {
    const isWallets = isOwn || moves.length > 0
    const around = { wallet, before, after, isAlone, isWallets }
    const ether = await readEther(rpc, pins, { hash, receipt }, around)
    if (ether === null && !isWallets) return { transaction: null, findings: [finding('not_yours', false)] }
    if (ether === null) findings.push(finding('no_history', true))
    else {
      if (ether.wallet !== 0n) moves.push({ token: NATIVE, atoms: ether.wallet })
      if (ether.fee > 0n) fees.push({ token: NATIVE, atoms: ether.fee })
    }
  }
  if (!isOwn && moves.length === 0) return { transaction: null, findings: [finding('not_yours', false)] }
  if (row === null) findings.push(finding('not_listed', true))
  else if ((row.status === 'mined') !== ok) findings.push(finding('status_differs', true))
  else if (ok && findings.length === 0 && isFlattered(row, moves))
    findings.push(finding('amounts_differ', true))
  const transaction: ReportTransaction = {
    ...{ hash, timeS, ok, moves, fees, prices: after.prices },
    block: blockOf(receipt),
    index: Number(BigInt(receipt.transactionIndex)),
    path: row?.path ?? null,
    gasWei: isOwn ? gasWei : 0n,
    executorGasWei: isOwn ? 0n : gasWei,
  }
  return { transaction, findings }
}

/** The server says that more came in or less went out than the receipt shows. */
function isFlattered(row: TradeRow, moves: readonly Move[]): boolean {
  const netOf = (token: string) => moves.find((move) => move.token === lower(token))?.atoms ?? 0n
  const isLess =
    row.amount_out_kind === 'actual' &&
    row.amount_out !== null &&
    netOf(row.token_out.address) < BigInt(row.amount_out)
  return isLess || (row.amount_in !== null && -netOf(row.token_in.address) > BigInt(row.amount_in))
}

function feesIn(receipt: MinedReceipt, pins: Pins): Move[] {
  return tokenMovesOf(receipt, pins.feeRecipient, pins).filter(({ atoms }) => atoms > 0n)
}

/** ETH that the transaction moved, gas apart; null if this node cannot show it. */
async function readEther(
  rpc: Rpc,
  pins: Pins,
  { hash, receipt }: Pick<Candidate, 'hash' | 'receipt'>,
  {
    wallet,
    before,
    after,
    isAlone,
    isWallets,
  }: { wallet: Address; before: ReportPoint; after: ReportPoint; isAlone: boolean; isWallets: boolean },
): Promise<{ wallet: bigint; fee: bigint } | null> {
  const [from, to] = [before.balances[NATIVE], after.balances[NATIVE]]
  if (from === undefined || to === undefined) return null
  const ownGas = lower(receipt.from) === wallet ? gasOf(receipt) : 0n
  const change = to - from + ownGas
  // Nothing moved, so there is no need to replay the block.
  if (isAlone && change === 0n) return { wallet: 0n, fee: 0n }
  const moves = await readEtherMoves(rpc, [receiptOf(hash, receipt)], [wallet, pins.feeRecipient])
  if (moves) return { wallet: moves.get(wallet) ?? 0n, fee: moves.get(pins.feeRecipient) ?? 0n }
  // A stranger's transaction must not be credited with the wallet's change.
  if (!isAlone || !isWallets) return null
  return { wallet: change + (await spentBeside(rpc, { hash, receipt }, wallet)), fee: 0n }
}

/** Gas and value of the wallet's other transactions in the block, such as an approval. */
async function spentBeside(
  rpc: Rpc,
  { hash, receipt }: Pick<Candidate, 'hash' | 'receipt'>,
  wallet: Address,
): Promise<bigint> {
  const [block] = await rpc.all([{ method: 'eth_getBlockByNumber', params: [receipt.blockNumber, true] }])
  const others = resultOf<{ transactions: Sent[] }>(block).transactions.filter(
    (one) => lower(one.from) === wallet && lower(one.hash) !== hash,
  )
  const receipts = await readReceipts(
    rpc,
    others.map((one) => one.hash),
  )
  return others.reduce((sum, one) => {
    const mined = receipts.get(one.hash)
    if (!mined) return sum
    const isPaid = mined.status === '0x1' && (one.to === null || lower(one.to) !== wallet)
    return sum + gasOf(mined) + (isPaid ? BigInt(one.value) : 0n)
  }, 0n)
}
