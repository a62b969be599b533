import { type Address, type Hex, intWord, MalformedLog, type Pool, TOPIC, uintWord } from '@pit/chain'
import type { ChainLog, Chunk, Header } from '@pit/platform/follow'
import { type ChainProfile, lower } from '@pit/protocol'
import type { AnyPool, createLogReader } from '../pools/poolLogs.ts'

const MINUTE_S = 60
/** A process without the jobs role never writes them. */
const MAX_PENDING = 20_000

/** Atoms of one token swapped in one block. */
export interface SwapVolume {
  token: Address
  block: number
  minuteS: number
  atoms: bigint
}

interface SwapSource {
  readLog: ReturnType<typeof createLogReader>
  pool(id: string): AnyPool | undefined
  /** Tokens that a swap of this one counts for: ETH and WETH for either; none for an uncounted token. */
  countedFor(token: Address): readonly Address[]
  /** The block before the chunk, if known. */
  before: Header | null
}

/** Swaps of two counted tokens in a chunk, read before its logs are applied: v2 logs show reserves only. */
export function swapsIn(chunk: Chunk, { readLog, pool, countedFor, before }: SwapSource): SwapVolume[] {
  const swaps: SwapVolume[] = []
  const reserves = new Map<string, readonly [bigint, bigint]>()

  function amountsIn(log: ChainLog, changed: Pool): readonly [bigint, bigint] | null {
    const topic = log.topics[0]
    if (topic === TOPIC.v3Swap || topic === TOPIC.v4Swap) return [intWord(log, 0), intWord(log, 1)]
    if (topic !== TOPIC.v2Sync || changed.version !== 'v2') return null
    const [old0, old1] = reserves.get(changed.id) ?? [changed.reserve0, changed.reserve1]
    const [new0, new1] = [uintWord(log, 0), uintWord(log, 1)]
    reserves.set(changed.id, [new0, new1])
    return [new0 - old0, new1 - old1]
  }

  function swapIn(log: ChainLog): SwapVolume[] {
    if (!SWAP_TOPICS.has(log.topics[0])) return []
    const read = readLog(log)
    const changed = read && 'id' in read ? pool(read.id) : undefined
    if (!changed || changed.version === 'curve') return []
    const [side0, side1] = [countedFor(changed.token0), countedFor(changed.token1)]
    // Wrapping ETH does not trade it.
    if (side0.length === 0 || side1.length === 0 || side1.includes(changed.token0)) return []
    const amounts = amountsIn(log, changed)
    // Of one sign: liquidity was added or removed.
    if (amounts === null || amounts[0] < 0n === amounts[1] < 0n) return []
    const at = { block: log.blockNumber, minuteS: minuteOf(log, before, chunk.head) }
    return [
      ...side0.map((token) => ({ token, ...at, atoms: sizeOf(amounts[0]) })),
      ...side1.map((token) => ({ token, ...at, atoms: sizeOf(amounts[1]) })),
    ]
  }
  for (const log of chunk.logs) swaps.push(...passMalformed(() => swapIn(log)))
  return swaps
}

/** Core tokens; ETH and WETH are exchanged one to one, so the volume of either is that of both. */
export function countedTokens(
  profile: Pick<ChainProfile, 'core_tokens'>,
): (token: Address) => readonly Address[] {
  const core = new Map<string, Address>(
    profile.core_tokens.map(({ symbol, address }) => [symbol, lower(address)]),
  )
  const ether = ['ETH', 'WETH'].flatMap((symbol) => core.get(symbol) ?? [])
  const counted = new Map([...core.values()].map((token) => [token, ether.includes(token) ? ether : [token]]))
  return (token) => counted.get(token) ?? []
}

const SWAP_TOPICS = new Set<Hex | undefined>([TOPIC.v2Sync, TOPIC.v3Swap, TOPIC.v4Swap])
const sizeOf = (atoms: bigint): bigint => (atoms < 0n ? -atoms : atoms)

/** Without a time in the log, blocks of a chunk are spread evenly between its neighbours' times. */
function minuteOf({ blockNumber, timestampS }: ChainLog, before: Header | null, head: Header): number {
  const blocks = before ? head.number - before.number : 0
  const share = blocks > 0 ? (head.number - blockNumber) / blocks : 0
  const atS = timestampS ?? head.timestampS - share * (head.timestampS - (before?.timestampS ?? 0))
  return Math.floor(atS / MINUTE_S) * MINUTE_S
}

function passMalformed(read: () => SwapVolume[]): SwapVolume[] {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedLog) return []
    throw error
  }
}

/** Swaps that no checkpoint includes yet. */
export interface PendingSwaps {
  add(swaps: readonly SwapVolume[]): void
  all(): readonly SwapVolume[]
  /** A reorg: blocks after this one left the chain. */
  dropAfter(block: number): void
  /** A checkpoint at this block is stored. */
  dropUpTo(block: number): void
}

export function createPendingSwaps(): PendingSwaps {
  let pending: SwapVolume[] = []
  return {
    add(swaps) {
      pending.push(...swaps)
      if (pending.length > MAX_PENDING) pending = pending.slice(-MAX_PENDING / 2)
    },
    all: () => pending,
    dropAfter(block) {
      pending = pending.filter((swap) => swap.block <= block)
    },
    dropUpTo(block) {
      pending = pending.filter((swap) => swap.block > block)
    },
  }
}
