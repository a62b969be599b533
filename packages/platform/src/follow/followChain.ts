import {
  askHeader,
  askLogs,
  type BlockRange,
  type ChainLog,
  createLogSpan,
  type Header,
  readInSpan,
  readOne,
} from '../reads/index.ts'
import type { Rpc } from '../rpc/index.ts'
import type { Chunk, FollowListener, Hex, Place } from './types.ts'

export interface FollowOptions {
  rpc: Pick<Rpc, 'request'>
  /** First topics of interest; other logs are not read. */
  topics: readonly Hex[]
  listener: FollowListener
  /** The last known block, or the one before the first of interest. */
  from: Place
  /** Blocks per read while catching up. */
  maxRange?: number
  /** Further behind than this, the listener decides where to resume. */
  maxBehind?: number
  /** The newest header that the node sent since the last call, which saves reading it. */
  announced?(): Header | null
  /** Polls at which a node may be behind us before its chain is treated as another one. */
  patience?: number
}

export interface Follower {
  /** The last block delivered to the listener; null before the first. */
  head(): Header | null
  /** Reads the chain now and resolves once everything up to its head was delivered. */
  catchUp(): Promise<void>
  /** Ends the running pass and waits for it; later ones do nothing. */
  stop(): Promise<void>
}

/** Ends of chunks that a reorg can rewind to. */
const REMEMBERED = 512
/** This close to the head, blocks are read one by one. */
const NEAR = 8
/** Reads in a row that a moving chain may invalidate before we wait. */
const MAX_RETRIES = 20

type Known = Place & { hash: Hex }
const isKnown = (place: Place): place is Known => place.hash !== null

/**
 * Delivers every block once, in order, without gaps; a reorg first rewinds the blocks that left the chain.
 * Reads are bounded in size, and node failures only delay them.
 */
export function followChain(options: FollowOptions): Follower {
  const { rpc, topics, listener, maxRange = 1_000, patience = 600 } = options
  const maxBehind = options.maxBehind ?? Number.POSITIVE_INFINITY
  let last: Place = options.from
  let head: Header | null = null
  // Ends of recent chunks, oldest first: possible fork points.
  let recent: Known[] = isKnown(last) ? [last] : []
  /** The resume point is read from, however far the head has moved meanwhile. */
  let wasSent = false
  const span = createLogSpan({ max: maxRange })
  /** Polls in a row at which the node was behind us. */
  let behindFor = 0
  let stopped = false
  let pass: Promise<void> | undefined

  function goOnFrom(place: Place): void {
    last = place
    head = null
    recent = recent.filter(({ number }) => number < place.number)
    if (isKnown(place)) recent.push(place)
  }

  /** Finds the newest remembered block that is still on the chain, and rewinds the rest. */
  async function rewind(): Promise<void> {
    while (recent.length > 0) {
      const candidate = recent[recent.length - 1]!
      const onChain = await readHeader(candidate.number)
      if (onChain?.hash === candidate.hash) break
      // A missing block proves nothing; only a different block at its height is a reorg.
      if (onChain === null) return
      recent.pop()
    }
    goOnFrom(await listener.onReorg(recent[recent.length - 1] ?? null))
  }

  async function readNext(latest: Header): Promise<Chunk | 'again' | 'replaced'> {
    const from = last.number + 1
    const behind = latest.number - last.number
    if (behind <= NEAR) {
      // Reading by hash makes sure the logs belong to this block, whichever node answers.
      const next = behind === 1 ? latest : await readHeader(from)
      if (!next || (last.hash !== null && next.parentHash !== last.hash)) return 'again'
      return { from, head: next, logs: next.isEmpty ? [] : await readLogs({ blockHash: next.hash }) }
    }
    const { result: found } = await readInSpan(span, { from, to: latest.number }, (range) =>
      readRange(range, latest),
    )
    return typeof found === 'string' ? found : { from, ...found }
  }

  const readHeader = (block: number | 'latest'): Promise<Header | null> => readOne(rpc, askHeader(block))
  const readLogs = (where: Parameters<typeof askLogs>[1]): Promise<ChainLog[]> =>
    readOne(rpc, askLogs({ topics: [topics] }, where))

  /** The range is valid only if its end did not change while it was read, and the last known block is its parent. */
  async function readRange(
    { from, to }: BlockRange,
    latest: Header,
  ): Promise<{ head: Header; logs: ChainLog[] } | 'again' | 'replaced'> {
    const before = to === latest.number ? latest : await readHeader(to)
    const logs = await readLogs({ from, to })
    const [after, parent] = await Promise.all([
      readHeader(to),
      last.hash === null ? null : readHeader(last.number),
    ])
    if (!before || after?.hash !== before.hash) return 'again'
    if (last.hash !== null && parent?.hash !== last.hash) return parent ? 'replaced' : 'again'
    return { head: before, logs }
  }

  /** True when the chain's head was reached. */
  async function step(): Promise<boolean> {
    const announced = options.announced?.() ?? null
    const isNews = announced !== null && announced.number > last.number
    const latest = isNews ? announced : await readHeader('latest')
    if (!latest) return true
    if (latest.hash === last.hash) {
      // Nothing new since the checkpoint: the listener still has to learn where the head is.
      if (head === null)
        await listener.onChunk({ from: latest.number + 1, head: latest, logs: [] }, { isNewest: true })
      head = latest
      return caughtUp()
    }
    const behind = latest.number - last.number
    const isFar = behind > maxBehind && !wasSent
    // A read of many blocks compares their parent itself.
    if (last.hash !== null && (behind <= NEAR || isFar)) {
      const ours = behind === 1 ? null : await readHeader(last.number)
      const replaced = ours
        ? ours.hash !== last.hash
        : latest.number > last.number && latest.parentHash !== last.hash
      if (replaced) {
        await rewind()
        return false
      }
    }
    if (latest.number <= last.number) return waitForNode(latest)
    behindFor = 0
    if (isFar) {
      goOnFrom(await listener.onFar(latest))
      wasSent = true
      return false
    }
    const chunk = await readNext(latest)
    if (chunk === 'again') return false
    if (chunk === 'replaced') {
      await rewind()
      return false
    }
    const isNewest = chunk.head.number === latest.number
    await listener.onChunk(chunk, { isNewest })
    head = chunk.head
    last = { number: chunk.head.number, hash: chunk.head.hash }
    recent.push({ number: chunk.head.number, hash: chunk.head.hash })
    if (recent.length > REMEMBERED) recent = recent.slice(-REMEMBERED / 2)
    return isNewest && caughtUp()
  }

  function caughtUp(): true {
    behindFor = 0
    wasSent = false
    return true
  }

  /**
   * Waits for a node that is behind us. One that stays behind has lost blocks: remembered blocks after its
   * head are rewound.
   */
  async function waitForNode(latest: Header): Promise<boolean> {
    behindFor += 1
    if (last.hash === null || behindFor <= patience) return true
    behindFor = 0
    recent = recent.filter(({ number }) => number <= latest.number)
    await rewind()
    return false
  }

  /** One pass at a time; concurrent callers share it. */
  function catchUp(): Promise<void> {
    pass ??= (async () => {
      try {
        for (let retries = 0; !stopped; ) {
          const before = head
          if (await step()) return
          retries = head === null || head === before ? retries + 1 : 0
          if (retries > MAX_RETRIES) throw new Error('the chain kept changing while it was read')
        }
      } finally {
        pass = undefined
      }
    })()
    return pass
  }

  return {
    head: () => head,
    catchUp,
    async stop() {
      stopped = true
      await pass?.catch(() => {})
    },
  }
}
