import type { Hex } from '@pit/chain'
import { type Rpc, RpcFailure, resultOf } from '../own/rpc.ts'
import { readInChunks } from './readInChunks.ts'

export interface BlockTime {
  block: number
  timeS: number
}
interface Header {
  number: Hex
  timestamp: Hex
}
interface Search {
  beforeS: number
  /** Before that time, and not. */
  low: BlockTime
  high: BlockTime
}

const headerCall = (block: number | 'latest') => ({
  method: 'eth_getBlockByNumber',
  params: [block === 'latest' ? block : `0x${block.toString(16)}`, false],
})

const blockTimeIn = ({ number, timestamp }: Header): BlockTime => ({
  block: Number(BigInt(number)),
  timeS: Number(BigInt(timestamp)),
})

/** Times of blocks, by number. Throws if the node lacks one. */
export async function readBlockTimes(
  rpc: Rpc,
  blocks: readonly number[],
  signal?: AbortSignal,
): Promise<Map<number, number>> {
  const answers = await readInChunks(rpc, blocks.map(headerCall), { signal })
  return new Map(blocks.map((block, i) => [block, blockTimeIn(resultOf<Header>(answers[i])).timeS]))
}

/** The newest block, and the last one before each time; left out where the chain is younger. */
export async function findBlocks(
  rpc: Rpc,
  timesS: readonly number[],
  { firstBlock, signal }: { firstBlock: number; signal?: AbortSignal | undefined },
): Promise<{ latest: BlockTime; blocks: Map<number, BlockTime> }> {
  const [newest, oldest] = await rpc.all([headerCall('latest'), headerCall(firstBlock)], signal)
  const latest = blockTimeIn(resultOf<Header>(newest))
  const first = oldest instanceof RpcFailure || !oldest ? latest : blockTimeIn(oldest as Header)
  const blocks = new Map<number, BlockTime>()
  let searches: Search[] = []
  for (const beforeS of timesS) {
    if (latest.timeS < beforeS) blocks.set(beforeS, latest)
    else if (first.timeS < beforeS) searches.push({ beforeS, low: first, high: latest })
  }
  for (let round = 0; ; round++) {
    for (const { beforeS, low, high } of searches) if (high.block - low.block <= 1) blocks.set(beforeS, low)
    searches = searches.filter(({ beforeS }) => !blocks.has(beforeS))
    if (searches.length === 0) return { latest, blocks }
    const guesses = searches.map((search) => guess(search, round))
    const times = await readBlockTimes(rpc, guesses, signal)
    for (const [i, search] of searches.entries()) {
      const block = guesses[i]!
      const timeS = times.get(block)!
      search[timeS < search.beforeS ? 'low' : 'high'] = { block, timeS }
    }
  }
}

/** Blocks come at an even pace, mostly: by proportion, and by halves in every other round. */
function guess({ beforeS, low, high }: Search, round: number): number {
  const share = round % 2 === 0 ? (beforeS - low.timeS) / Math.max(1, high.timeS - low.timeS) : 0.5
  const block = low.block + Math.floor(share * (high.block - low.block))
  return Math.min(high.block - 1, Math.max(low.block + 1, block))
}
