import type { Address } from '@pit/chain'
import {
  askHeader,
  type Header,
  type LogSpan,
  lastBlockBetween,
  readOne,
  scanTransfers,
  type Transfer,
} from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { NATIVE_TOKEN } from '@pit/protocol'
import { feeTxsIn, oldestFeeS } from '@pit/relay'
import { isEther, readTokensOf, type TreasuryDeps } from '../deps.ts'
import { weekEndOf, weekStartOf } from '../rules/weeks.ts'
import type { BlockRange, Incoming, LoggedIncoming } from '../types.ts'
import { type EtherDeps, type EtherState, etherAt, readEther } from './readEther.ts'
import { insertScan, lastEnd, rangeAcross, readScan, rewindScan, type Scan, storeStep } from './scanStore.ts'

/** Maximum blocks per step. */
export const MAX_BLOCKS = 10_000
const MAX_STEPS = 100
/** How far a reorganised chain is read again. */
const REWIND_BLOCKS = 10_000

type ScanDeps = TreasuryDeps & { wallet: Address; span: LogSpan }

/**
 * Continues reading the platform wallet's income where the last run ended, and divides it at the end of each
 * week. Can run late, be interrupted or run twice: a step is stored completely or not at all, by one of the
 * readers.
 */
export async function scanChain(
  deps: ScanDeps,
  { to = 'settled' }: { to?: 'settled' | Header } = {},
): Promise<void> {
  const { db, rpc, wallet } = deps
  const head = await readHeader(rpc, 'latest')
  let scan = (await readScan(db, wallet)) ?? (await begin(deps, head))
  const last = to === 'settled' ? await settledBefore(deps, head, scan.block) : to
  for (let steps = 0; steps < MAX_STEPS && scan.block <= last.number; steps++) {
    if (await wasReorganised(deps, scan)) break
    const next = await nextStep(deps, scan, last)
    if (!next) break
    await db.transaction((sql) => storeStep(sql, wallet, scan, next))
    scan = (await readScan(db, wallet)) ?? scan
  }
}

/** Throws if the node does not have the block. */
async function readHeader(rpc: Rpc, block: number | 'latest'): Promise<Header> {
  const header = await readOne(rpc, askHeader(block))
  if (!header) throw new Error(`the node does not have block ${block}`)
  return header
}

async function settledBefore({ rpc, profile }: ScanDeps, head: Header, scanned: number) {
  if (profile.kind === 'devnet' || scanned >= head.number) return head
  const timeS = head.timestampS - profile.chain.settled_s
  const number = await lastBlockBetween(rpc, timeS, { before: scanned, notBefore: head.number })
  return readHeader(rpc, number)
}

/** Starts at the week of the oldest fee, or the current week without fees. */
async function begin({ db, rpc, wallet, profile }: ScanDeps, head: Header): Promise<Scan> {
  const oldestS = await oldestFeeS(db, wallet)
  const firstS = weekStartOf(Math.min(oldestS ?? head.timestampS, head.timestampS))
  const before = Math.max(0, profile.first_block - 1)
  const block =
    before >= head.number ? before : await lastBlockBetween(rpc, firstS, { before, notBefore: head.number })
  const header = await readHeader(rpc, block)
  // If the node has lost that block's state, ETH counts from the head on.
  const ether = (await etherAt(rpc, wallet, block)) ?? since(await etherAt(rpc, wallet, head.number), block)
  const scan = { block, blockHash: header.hash, firstBlock: block + 1, firstS, ether }
  const unread = ether !== null && ether.block > block ? { fromBlock: block + 1, toBlock: ether.block } : null
  await db.transaction((sql) => insertScan(sql, wallet, scan, unread))
  return (await readScan(db, wallet)) ?? scan
}

/** A wallet with zero balance and nonce had nothing before either. */
const since = (state: EtherState | null, block: number): EtherState | null =>
  state !== null && state.nonce === 0 && state.wei === 0n ? { ...state, block } : state

async function wasReorganised({ db, rpc, wallet, logger }: ScanDeps, scan: Scan): Promise<boolean> {
  const now = await readOne(rpc, askHeader(scan.block))
  if (now?.hash === scan.blockHash) return false
  if (!now) {
    logger.warn({ block: scan.block }, 'the node is behind what the treasury has read of it')
    return true
  }
  const [recorded] = await db.query<{ block: number | null }>(
    'select max(to_block) as block from treasury_incomings where wallet = $1 and seq is not null',
    [wallet],
  )
  const back = Math.max(recorded?.block ?? 0, scan.firstBlock - 1, scan.block - REWIND_BLOCKS)
  const header = await readOne(rpc, askHeader(back))
  if (!header) return true
  logger.error({ from: scan.block, to: back }, 'the chain was reorganised: the treasury reads it again')
  const ether = await etherBefore({ db, rpc, wallet }, scan.ether, back)
  await db.transaction((sql) => rewindScan(sql, wallet, scan, { block: back, hash: header.hash, ether }))
  return true
}

/** The state from which ETH is read again: a range across the block is dropped completely. */
async function etherBefore(
  { db, rpc, wallet }: Pick<ScanDeps, 'db' | 'rpc' | 'wallet'>,
  state: EtherState | null,
  block: number,
): Promise<EtherState | null> {
  if (state !== null && state.block <= block) return state
  const cut = await rangeAcross(db, wallet, block)
  return etherAt(rpc, wallet, cut === null ? block : cut.fromBlock - 1)
}

/** Up to a week's end, the last settled block, or the node's range limit. Null: nothing to read. */
async function nextStep({ db, rpc, wallet, profile, span }: ScanDeps, scan: Scan, last: Header) {
  const weekEndS = weekEndOf((await lastEnd(db, wallet))?.endS ?? scan.firstS)
  let [block, endS] = [last.number, null as number | null]
  if (last.timestampS >= weekEndS) {
    block = await lastBlockBetween(rpc, weekEndS, { before: scan.block, notBefore: last.number })
    endS = weekEndS
  }
  if (block === scan.block && endS === null) return null

  const tokens = [...readTokensOf(profile).keys()].filter((token) => !isEther(token))
  const from = scan.block + 1
  const { to, transfers } =
    block < from
      ? { to: block, transfers: [] }
      : await scanTransfers(rpc, span, { tokens, receivers: [wallet] }, { from, to: block })
  if (to < block) [block, endS] = [to, null]
  const header = await readHeader(rpc, block)
  const paying = (at: number) => feeTxsIn(db, { recipient: wallet, token: NATIVE_TOKEN, block: at })
  const ether = await etherStep(
    { rpc, wallet, paying },
    scan.ether,
    { fromBlock: from, toBlock: block },
    endS,
  )
  return {
    block,
    blockHash: header.hash,
    ether: ether.state,
    incomings: [...loggedOf(transfers, wallet), ...ether.incomings],
    unread: ether.unread,
    endS,
  }
}

/** Income by logs, without transfers of the wallet to itself. */
const loggedOf = (transfers: readonly Transfer[], wallet: Address): LoggedIncoming[] =>
  transfers.flatMap(({ token, from, atoms, block, txHash, logIndex }) =>
    from === wallet || !atoms
      ? []
      : [{ how: 'log', token, fromBlock: block, toBlock: block, txHash, logIndex, atoms }],
  )

/**
 * ETH up to a block. If the node has lost the block's state, the next step reads both together; if a week
 * ends in between, that week's part counts as unread.
 */
async function etherStep(
  deps: EtherDeps,
  from: EtherState | null,
  { fromBlock, toBlock }: BlockRange,
  endS: number | null,
): Promise<{ state: EtherState | null; incomings: Incoming[]; unread: BlockRange | null }> {
  if (from !== null && from.block >= toBlock) return { state: from, incomings: [], unread: null }
  const state = await etherAt(deps.rpc, deps.wallet, toBlock)
  if (from !== null && state !== null) {
    return { state, incomings: await readEther(deps, from, state), unread: null }
  }
  const isBlind = toBlock >= fromBlock && (from === null || endS !== null)
  const unread = isBlind ? { fromBlock: from === null ? fromBlock : from.block + 1, toBlock } : null
  return { state: state ?? from, incomings: [], unread }
}
