import type { Address, Hex } from '@pit/chain'
import { permit2Abi } from '@pit/chain'
import { lower } from '@pit/protocol'
import { decodeFunctionData } from 'viem'
import { type Rpc, type RpcCall, RpcFailure } from '../own/rpc.ts'
import type { Pins } from '../pins.ts'
import { readApproval } from '../verify/readPlan.ts'
import type { BlockTime } from './findBlocks.ts'
import { readInChunks } from './readInChunks.ts'
import { blockOf, type Candidate, readReceipts } from './readTransactions.ts'
import type { MinedReceipt } from './receiptMoves.ts'

/** An approval that the wallet sent beside the listed trades; it moves nothing but gas. */
export interface ApprovalSent {
  hash: Hex
  /** `approval of USDG to Permit2`. */
  text: string
  receipt: MinedReceipt
}

/** Nonces that are searched at most, the newest first: a wallet may have sent much else. */
const MAX_NONCES = 200
/** Blocks before the next known transaction that are read if the node has no older state. */
const NEAR_BLOCKS = 20

interface Anchor {
  block: number
  nonce: number
}
/** Used in a block after `low` and up to `high`. */
interface Search {
  nonce: number
  low: number
  high: number
}
interface SentTransaction {
  hash: Hex
  from: Address
  to: Address | null
  nonce: Hex
  value: Hex
  input: Hex
}
interface FindRequest {
  wallet: Address
  candidates: readonly Candidate[]
  last: BlockTime
  signal?: AbortSignal | undefined
  onDone?(done: number): void
}

/**
 * Finds approvals without the server: a nonce between those of the listed transactions was used by another one, and
 * the count of transactions at a block shows on which side it is.
 */
export async function findApprovals(rpc: Rpc, pins: Pins, request: FindRequest): Promise<ApprovalSent[]> {
  const { wallet, signal, onDone } = request
  const anchors = await readAnchors(rpc, request)
  const searches = missingNonces(anchors, pins.profile.first_block)
  if (searches.length === 0) return []
  const blocks = await narrow(rpc, wallet, searches, signal)
  onDone?.(0)
  const nonces = new Set(searches.map(({ nonce }) => nonce))
  const calls = [...blocks].map((block) => ({
    method: 'eth_getBlockByNumber',
    params: [hexOf(block), true],
  }))
  const texts = new Map<Hex, string>()
  for (const answer of await readInChunks(rpc, calls, { signal, ...(onDone && { onDone }) })) {
    const { transactions = [] } =
      answer instanceof RpcFailure ? {} : ((answer ?? {}) as { transactions?: SentTransaction[] })
    for (const one of transactions) {
      if (lower(one.from) !== wallet || !one.nonce || !nonces.has(Number(one.nonce))) continue
      const text = approvalText(pins, one)
      if (text !== null) texts.set(lower(one.hash), text)
    }
  }
  const receipts = await readReceipts(rpc, [...texts.keys()], { signal })
  return [...receipts].map(([hash, receipt]) => ({ hash, receipt, text: texts.get(hash)! }))
}

/** Blocks and nonces of the wallet's listed transactions, and the count at the end; empty if nothing is missing. */
async function readAnchors(rpc: Rpc, { wallet, candidates, last, signal }: FindRequest): Promise<Anchor[]> {
  const own = candidates.filter(({ receipt }) => lower(receipt.from) === wallet)
  const [count] = await readInChunks(rpc, [countAt(wallet, last.block)], { signal })
  const end: Anchor[] = isCount(count) ? [{ block: last.block, nonce: Number(count) }] : []
  if (end[0]?.nonce === own.length) return []
  const calls = own.map(({ hash }) => ({ method: 'eth_getTransactionByHash', params: [hash] }))
  const answers = await readInChunks(rpc, calls, { signal })
  const listed = own.flatMap(({ receipt }, i) => {
    const nonce = (answers[i] as SentTransaction | RpcFailure | null) ?? {}
    return 'nonce' in nonce ? [{ block: blockOf(receipt), nonce: Number(nonce.nonce) }] : []
  })
  return [...listed, ...end].sort((a, b) => a.nonce - b.nonce)
}

function missingNonces(anchors: readonly Anchor[], firstBlock: number): Search[] {
  const searches: Search[] = []
  for (let i = anchors.length - 1; i >= 0; i--) {
    const next = anchors[i]!
    const before = anchors[i - 1] ?? { block: firstBlock, nonce: -1 }
    for (let nonce = next.nonce - 1; nonce > before.nonce; nonce--) {
      if (searches.length === MAX_NONCES) return searches
      searches.push({ nonce, low: before.block - 1, high: next.block })
    }
  }
  return searches
}

/** Blocks that may contain the nonces: one each by halves; without old state the last ones of the range. */
async function narrow(
  rpc: Rpc,
  wallet: Address,
  searches: readonly Search[],
  signal: AbortSignal | undefined,
): Promise<Set<number>> {
  const blocks = new Set<number>()
  let open = searches.map((one) => ({ ...one }))
  while (open.length > 0) {
    for (const { high, low } of open) if (high - low <= 1) blocks.add(high)
    open = open.filter(({ high, low }) => high - low > 1)
    const middles = [...new Set(open.map(middleOf))]
    const answers = await readInChunks(
      rpc,
      middles.map((block) => countAt(wallet, block)),
      { signal },
    )
    const counts = new Map(middles.map((block, i) => [block, answers[i]]))
    open = open.filter((search) => {
      const middle = middleOf(search)
      const count = counts.get(middle)
      if (isCount(count)) {
        search[Number(count) > search.nonce ? 'high' : 'low'] = middle
        return true
      }
      const from = Math.max(search.low + 1, search.high - NEAR_BLOCKS)
      for (let block = from; block <= search.high; block++) blocks.add(block)
      return false
    })
  }
  return blocks
}

const middleOf = ({ low, high }: Search): number => Math.floor((low + high) / 2)
const hexOf = (block: number): Hex => `0x${block.toString(16)}`
const countAt = (wallet: Address, block: number): RpcCall => ({
  method: 'eth_getTransactionCount',
  params: [wallet, hexOf(block)],
})
const isCount = (answer: unknown): answer is Hex => typeof answer === 'string' && /^0x[0-9a-f]+$/.test(answer)

/** Null for a transaction that is neither an approval nor takes one back. */
function approvalText(pins: Pins, { to, value, input }: SentTransaction): string | null {
  if (to === null || BigInt(value) !== 0n) return null
  if (lower(to) === pins.permit2 && isLockdown(input)) return 'revocation of Permit2 approvals'
  const approval = readApproval(pins, { to: lower(to), value: 0n, data: input })
  if (approval === null) return null
  const token = pins.tokens.get(approval.token)?.symbol ?? approval.token
  const { spender } = approval
  const name = spender === pins.permit2 ? 'Permit2' : spender === pins.router ? 'Universal Router' : spender
  return approval.amount === 0n ? `revocation of ${token} from ${name}` : `approval of ${token} to ${name}`
}

function isLockdown(data: Hex): boolean {
  try {
    return decodeFunctionData({ abi: permit2Abi, data }).functionName === 'lockdown'
  } catch {
    return false
  }
}
