import {
  askHeader,
  askLogs,
  type ChainLog,
  createLogSpan,
  type Header,
  readOne,
  refusalOf,
} from '../reads/index.ts'
import type { Rpc } from '../rpc.ts'
import { type Chunk, type FollowListener, type Hex, StartAgain } from './types.ts'

export interface FollowOptions {
  rpc: Pick<Rpc, 'request'>
  /** First topics of interest; others' logs are not read. */
  topics: readonly Hex[]
  listener: FollowListener
  /**
   * The block before the first of interest; where reading starts anew when nothing known is left on the
   * chain.
   */
  floor: number
  /** The last block already known, when there is one. */
  from?: { number: number; hash: Hex }
  /** Catching up reads this many blocks at a time. */
  maxRange?: number
  /** Looks at which a node may be behind us before its chain is taken for another one. */
  patience?: number
}

export interface Follower {
  /** The last block handed to the listener, or null before the first. */
  head(): Header | null
  /** Looks at the chain now and resolves once everything up to its head was handed over. */
  catchUp(): Promise<void>
  /** Ends the pass under way, and waits for it; later ones do nothing. */
  stop(): Promise<void>
}

/** How far back a reorg may reach before everything is read anew. */
const REMEMBERED = 512
/** So close to the head blocks are read one by one. */
const NEAR = 8
/** Reads in a row that a moving chain may spoil before we wait. */
const MAX_RETRIES = 20

/**
 * Hands over every block once, in order, without gaps: a reorg first takes back what is no longer on the
 * chain. Reading is bounded in size, and trouble with the node only delays it.
 */
export function followChain(options: FollowOptions): Follower {
  const { rpc, topics, listener, maxRange = 1_000, patience = 600 } = options
  let last: { number: number; hash: Hex | null } = options.from ?? { number: options.floor, hash: null }
  let head: Header | null = null
  // Ends of recent chunks, oldest first: where a reorg may fork off.
  let recent: { number: number; hash: Hex }[] = options.from ? [options.from] : []
  const span = createLogSpan({ max: maxRange })
  /** Looks in a row at which the node was behind us. */
  let behindFor = 0
  let stopped = false
  let pass: Promise<void> | undefined

  function startFrom(number: number): void {
    last = { number, hash: null }
    recent = []
    head = null
  }

  /** Finds the newest remembered block that is still on the chain, and takes the rest back. */
  async function rewind(): Promise<void> {
    while (recent.length > 0) {
      const candidate = recent[recent.length - 1]!
      const onChain = await readHeader(candidate.number)
      if (onChain?.hash === candidate.hash) break
      // A node that has no such block knows nothing of it; only another block in its place is a reorg.
      if (onChain === null) return
      recent.pop()
    }
    const fork = recent[recent.length - 1]
    const to = fork ?? { number: options.floor, hash: null }
    const wentTo = await listener.onReorg(to.number)
    if (wentTo === to.number) last = to
    else startFrom(wentTo)
    head = null
  }

  async function readNext(latest: Header): Promise<Chunk | 'again'> {
    const from = last.number + 1
    const behind = latest.number - last.number
    if (behind <= NEAR) {
      // By its hash a block's logs are its own, whichever node answers.
      const next = behind === 1 ? latest : await readHeader(from)
      if (!next || (last.hash !== null && next.parentHash !== last.hash)) return 'again'
      return { from, head: next, logs: await readLogs({ blockHash: next.hash }) }
    }
    const end = span.endOf({ from, to: latest.number })
    const before = await readHeader(end)
    const logs = await readRange(from, end)
    // The range is ours only if its end and the block before it stood still while it was read.
    const [after, parent] = await Promise.all([
      readHeader(end),
      last.hash === null ? null : readHeader(last.number),
    ])
    if (!before || after?.hash !== before.hash) return 'again'
    if (last.hash !== null && parent?.hash !== last.hash) return 'again'
    span.grow()
    return { from, head: before, logs }
  }

  const readHeader = (block: number | 'latest'): Promise<Header | null> => readOne(rpc, askHeader(block))
  const readLogs = (where: Parameters<typeof askLogs>[1]): Promise<ChainLog[]> =>
    readOne(rpc, askLogs({ topics: [topics] }, where))

  /**
   * A node refuses ranges with too many logs in them, and anyone can make logs: the next try asks for half.
   */
  async function readRange(from: number, to: number): Promise<ChainLog[]> {
    try {
      return await readLogs({ from, to })
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === 'size' || refusal === 'slow') span.shrink({ from, to })
      throw error
    }
  }

  /** True when the chain's head was reached. */
  async function step(): Promise<boolean> {
    const latest = await readHeader('latest')
    if (!latest) return true
    if (latest.hash === last.hash) {
      // Nothing new since what was already known: whoever listens still has to hear where the chain stands.
      if (head === null) await listener.onChunk({ from: latest.number + 1, head: latest, logs: [] })
      head = latest
      return caughtUp()
    }
    if (last.hash !== null) {
      const ours = latest.number === last.number + 1 ? null : await readHeader(last.number)
      const replaced = ours
        ? ours.hash !== last.hash
        : latest.number > last.number && latest.parentHash !== last.hash
      if (replaced) {
        await rewind()
        return false
      }
    }
    if (latest.number <= last.number) return waitForNode()
    behindFor = 0
    const chunk = await readNext(latest)
    if (chunk === 'again') return false
    try {
      await listener.onChunk(chunk)
    } catch (error) {
      if (error instanceof StartAgain) startFrom(options.floor)
      throw error
    }
    head = chunk.head
    last = { number: chunk.head.number, hash: chunk.head.hash }
    recent.push({ number: chunk.head.number, hash: chunk.head.hash })
    if (recent.length > REMEMBERED) recent = recent.slice(-REMEMBERED / 2)
    return chunk.head.number === latest.number
  }

  function caughtUp(): true {
    behindFor = 0
    return true
  }

  /**
   * A node behind what we know is waited for; one that stays behind has another chain, which is read from its
   * start.
   */
  async function waitForNode(): Promise<boolean> {
    behindFor += 1
    if (last.hash === null || behindFor <= patience) return true
    behindFor = 0
    await listener.onReorg(options.floor)
    startFrom(options.floor)
    return false
  }

  /** One pass at a time; whoever asks meanwhile shares it. */
  function catchUp(): Promise<void> {
    pass ??= (async () => {
      try {
        for (let retries = 0; !stopped; ) {
          const before = head
          if (await step()) return
          retries = head === null || head === before ? retries + 1 : 0
          if (retries > MAX_RETRIES) throw new Error('the chain would not stand still')
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
