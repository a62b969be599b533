import type { Rpc } from '../rpc.ts'
import { readHeader, readLogs } from './readChain.ts'
import { type Chunk, type FollowListener, type Header, type Hex, StartAgain } from './types.ts'

export interface FollowOptions {
  rpc: Rpc
  /** First topics of interest; others' logs are not read. */
  topics: readonly Hex[]
  listener: FollowListener
  /** The block before the first of interest; where reading starts anew when nothing known is left on the chain. */
  floor: number
  /** The last block already known, when there is one. */
  from?: { number: number; hash: Hex }
  pollMs: number
  /** Catching up reads this many blocks at a time. */
  maxRange?: number
  onTrouble?: (error: Error) => void
}

export interface Follower {
  /** The last block handed to the listener, or null before the first. */
  head(): Header | null
  /** Looks at the chain now and resolves once everything up to its head was handed over. */
  catchUp(): Promise<void>
  start(): void
  stop(): Promise<void>
}

/** How far back a reorg may reach before everything is read anew. */
const REMEMBERED = 512
const MAX_WAIT_MS = 5_000
/** Reads in a row that a moving chain may spoil before we wait. */
const MAX_RETRIES = 20

/**
 * Hands over every block once, in order, without gaps: a reorg first takes back what is no longer on the chain.
 * Reading is bounded in size, and trouble with the node only delays it.
 */
export function followChain(options: FollowOptions): Follower {
  const { rpc, topics, listener, pollMs, maxRange = 1_000, onTrouble } = options
  let last: { number: number; hash: Hex | null } = options.from ?? { number: options.floor, hash: null }
  let head: Header | null = null
  // Ends of recent chunks, oldest first: where a reorg may fork off.
  let recent: { number: number; hash: Hex }[] = options.from ? [options.from] : []
  let stopped = false
  let timer: NodeJS.Timeout | undefined
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
      const onChain = await readHeader(rpc, candidate.number)
      if (onChain?.hash === candidate.hash) break
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
    if (latest.number === from && (last.hash === null || latest.parentHash === last.hash)) {
      return { from, head: latest, logs: await readLogs(rpc, { blockHash: latest.hash }, topics) }
    }
    const end = Math.min(latest.number, last.number + maxRange)
    const before = await readHeader(rpc, end)
    const logs = await readLogs(rpc, { from, to: end }, topics)
    // The range is ours only if its end and the block before it stood still while it was read.
    const [after, parent] = await Promise.all([
      readHeader(rpc, end),
      last.hash === null ? null : readHeader(rpc, last.number),
    ])
    if (!before || after?.hash !== before.hash) return 'again'
    if (last.hash !== null && parent?.hash !== last.hash) return 'again'
    return { from, head: before, logs }
  }

  /** True when the chain's head was reached. */
  async function step(): Promise<boolean> {
    const latest = await readHeader(rpc, 'latest')
    if (!latest) return true
    if (latest.hash === last.hash) return true
    if (latest.number <= last.number) {
      if (last.hash === null) return true
      // Behind what we know: a lagging node when that block is one of ours, else the chain was reorganised.
      if (recent.some((block) => block.hash === latest.hash)) return true
      if ((await readHeader(rpc, last.number))?.hash === last.hash) return true
      await rewind()
      return false
    }
    if (last.hash !== null && (latest.number > last.number + 1 || latest.parentHash !== last.hash)) {
      const ours = await readHeader(rpc, last.number)
      if (ours?.hash !== last.hash) {
        await rewind()
        return false
      }
    }
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

  /** One pass at a time; callers meanwhile share the next. */
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

  let failures = 0
  async function tick(): Promise<void> {
    try {
      await catchUp()
      failures = 0
    } catch (error) {
      failures += 1
      onTrouble?.(error as Error)
    }
    if (!stopped) timer = setTimeout(tick, Math.min(pollMs * 2 ** failures, MAX_WAIT_MS))
  }

  return {
    head: () => head,
    catchUp,
    start: () => {
      timer = setTimeout(tick, 0)
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await pass?.catch(() => {})
    },
  }
}
