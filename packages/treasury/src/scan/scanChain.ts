import type { Address } from '@pit/chain'
import { NATIVE_TOKEN } from '@pit/protocol'
import { feeTxsIn, oldestFeeS } from '@pit/relay'
import type { TreasuryDeps } from '../deps.ts'
import { isEther, readTokensOf } from '../deps.ts'
import { weekEndOf, weekStartOf } from '../rules/weeks.ts'
import type { BlockRange, Incoming } from '../types.ts'
import { type BlockHeader, headerAt, lastBlockBefore } from './blocks.ts'
import { type EtherPlace, type EtherState, etherAt, isAnswer, readEther } from './readEther.ts'
import { type LoggedIncoming, readTransfers } from './readTransfers.ts'
import { insertScan, keepStep, lastEnd, rangeAcross, readScan, rewindScan, type Scan } from './scanStore.ts'

/** Blocks this old stay. A devnet never takes one back. */
export const SETTLED_AFTER_S = 60
const MOST_BLOCKS = 10_000
const MOST_STEPS = 100
/** How far a reorganised chain is read again. */
const REWIND_BLOCKS = 10_000

type ScanDeps = TreasuryDeps & { wallet: Address }

/**
 * Reads what came into the platform wallet on from where the last reading ended, and cuts it at the end of each week.
 * Can be late, cut short or run twice: a step is kept whole or not at all, and by one of those who read it.
 */
export async function scanChain(
  deps: ScanDeps,
  { to = 'settled' }: { to?: 'settled' | BlockHeader } = {},
): Promise<void> {
  const { db, rpc, wallet } = deps
  const head = await headerAt(rpc, 'latest')
  if (!head) throw new Error('the node has no blocks')
  let scan = (await readScan(db, wallet)) ?? (await begin(deps, head))
  const last = to === 'settled' ? await settledBefore(deps, head, scan.block) : to
  for (let steps = 0; steps < MOST_STEPS && scan.block <= last.number; steps++) {
    if (await wasReorganised(deps, scan)) break
    const next = await nextStep(deps, scan, last)
    if (!next) break
    await db.transaction((sql) => keepStep(sql, wallet, scan, next))
    scan = (await readScan(db, wallet)) ?? scan
  }
}

async function settledBefore({ rpc, profile }: ScanDeps, head: BlockHeader, scanned: number) {
  if (profile.kind === 'devnet' || scanned >= head.number) return head
  const timeS = head.timeS - SETTLED_AFTER_S
  const number = await lastBlockBefore(rpc, timeS, { before: scanned, notBefore: head.number })
  const header = await headerAt(rpc, number)
  if (!header) throw new Error(`the node does not have block ${number}`)
  return header
}

/** From the week of the oldest fee on, or this one where there is none. */
async function begin({ db, rpc, wallet, profile }: ScanDeps, head: BlockHeader): Promise<Scan> {
  const oldestS = await oldestFeeS(db, wallet)
  const firstS = weekStartOf(Math.min(oldestS ?? head.timeS, head.timeS))
  const before = Math.max(0, profile.first_block - 1)
  const block =
    before >= head.number ? before : await lastBlockBefore(rpc, firstS, { before, notBefore: head.number })
  const header = await headerAt(rpc, block)
  if (!header) throw new Error(`the node does not have block ${block}`)
  // A node that has lost that block's state has the head's: ETH counts from there on.
  const ether = (await etherAt(rpc, wallet, block)) ?? since(await etherAt(rpc, wallet, head.number), block)
  const scan = { block, blockHash: header.hash, firstBlock: block + 1, firstS, ether }
  const unread = ether !== null && ether.block > block ? { fromBlock: block + 1, toBlock: ether.block } : null
  await db.transaction((sql) => insertScan(sql, wallet, scan, unread))
  return (await readScan(db, wallet)) ?? scan
}

/** A wallet that has nothing and never sent anything had nothing before either. */
const since = (state: EtherState | null, block: number): EtherState | null =>
  state !== null && state.nonce === 0 && state.wei === 0n ? { ...state, block } : state

async function wasReorganised({ db, rpc, wallet, logger }: ScanDeps, scan: Scan): Promise<boolean> {
  const now = await headerAt(rpc, scan.block)
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
  const header = await headerAt(rpc, back)
  if (!header) return true
  logger.error({ from: scan.block, to: back }, 'the chain was reorganised: the treasury reads it again')
  const ether = await etherBefore({ db, rpc, wallet }, scan.ether, back)
  await db.transaction((sql) => rewindScan(sql, wallet, scan, { block: back, hash: header.hash, ether }))
  return true
}

/** From where ETH is read again: a range that would be cut is forgotten whole. */
async function etherBefore(
  { db, rpc, wallet }: Pick<ScanDeps, 'db' | 'rpc' | 'wallet'>,
  known: EtherState | null,
  block: number,
): Promise<EtherState | null> {
  if (known !== null && known.block <= block) return known
  const cut = await rangeAcross(db, wallet, block)
  return etherAt(rpc, wallet, cut === null ? block : cut.fromBlock - 1)
}

/** Up to the end of a week, of what is settled, or of what a node gives at once. Null when there is nothing to read. */
async function nextStep({ db, rpc, wallet, profile }: ScanDeps, scan: Scan, last: BlockHeader) {
  const weekEndS = weekEndOf((await lastEnd(db, wallet))?.endS ?? scan.firstS)
  let [block, endS] = [last.number, null as number | null]
  if (last.timeS >= weekEndS) {
    block = await lastBlockBefore(rpc, weekEndS, { before: scan.block, notBefore: last.number })
    endS = weekEndS
  }
  if (block > scan.block + MOST_BLOCKS) [block, endS] = [scan.block + MOST_BLOCKS, null]
  if (block === scan.block && endS === null) return null

  const tokens = [...readTokensOf(profile).keys()].filter((token) => !isEther(token))
  const range = { fromBlock: scan.block + 1, toBlock: block }
  const logged =
    block === scan.block ? { upTo: block, found: [] } : await transfersIn(rpc, wallet, tokens, range)
  if (logged.upTo < block) [block, endS] = [logged.upTo, null]
  const header = await headerAt(rpc, block)
  if (!header) throw new Error(`the node does not have block ${block}`)
  const paying = (at: number) => feeTxsIn(db, { recipient: wallet, token: NATIVE_TOKEN, block: at })
  const ether = await etherStep(
    { rpc, wallet, paying },
    scan.ether,
    { fromBlock: scan.block + 1, toBlock: block },
    endS,
  )
  return {
    block,
    blockHash: header.hash,
    ether: ether.state,
    incomings: [...logged.found, ...ether.found] as (Incoming | LoggedIncoming)[],
    unread: ether.unread,
    endS,
  }
}

/** A node may refuse a range for its size: then half of it. */
async function transfersIn(
  rpc: ScanDeps['rpc'],
  wallet: Address,
  tokens: readonly Address[],
  { fromBlock, toBlock }: BlockRange,
): Promise<{ upTo: number; found: LoggedIncoming[] }> {
  for (let upTo = toBlock; ; upTo = fromBlock + Math.floor((upTo - fromBlock) / 2)) {
    try {
      return { upTo, found: await readTransfers(rpc, { wallet, tokens, fromBlock, toBlock: upTo }) }
    } catch (error) {
      if (!isAnswer(error) || upTo === fromBlock) throw error
    }
  }
}

/**
 * ETH up to a block. A node that has lost the block's state leaves it to the next step, which then tells what came in
 * both together; where a week ends in between, that week's part is unread.
 */
async function etherStep(
  place: EtherPlace,
  from: EtherState | null,
  { fromBlock, toBlock }: BlockRange,
  endS: number | null,
): Promise<{ state: EtherState | null; found: Incoming[]; unread: BlockRange | null }> {
  if (from !== null && from.block >= toBlock) return { state: from, found: [], unread: null }
  const state = await etherAt(place.rpc, place.wallet, toBlock)
  if (from !== null && state !== null) {
    return { state, found: await readEther(place, from, state), unread: null }
  }
  const isBlind = toBlock >= fromBlock && (from === null || endS !== null)
  const unread = isBlind ? { fromBlock: from === null ? fromBlock : from.block + 1, toBlock } : null
  return { state: state ?? from, found: [], unread }
}
