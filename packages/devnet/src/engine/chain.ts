import { createHash } from 'node:crypto'
import { publicAccounts } from './accounts.ts'
import { wayOf } from './admin.ts'
import { createArchiver } from './archiver.ts'
import { bootEngine, replayLog, restorePool, worldAt } from './boot.ts'
import { clockCall, type NextBlock } from './clockCalls.ts'
import { collectAnswers } from './collectGarbage.ts'
import type { BlockEntry, Entry } from './entries.ts'
import { createFifo } from './fifo.ts'
import { readImage, readLog, sweepGenerations } from './generation.ts'
import { growthOf } from './growth.ts'
import type { Image } from './image.ts'
import { mineBlock } from './mineBlock.ts'
import { openDisk } from './openDisk.ts'
import { createPool } from './pool.ts'
import { rpcFailure } from './provider.ts'
import { read } from './reads.ts'
import { createRetired } from './retired.ts'
import { leaveImage, type RotationDeps, rotate } from './rotate.ts'
import { settingsAfter } from './settings.ts'
import { createShadow } from './shadow.ts'
import { tick } from './tick.ts'
import { createTurnstile } from './turnstile.ts'
import type { BlockJson, Chain, Head, Hex, OwnedTx } from './types.ts'

export interface ChainOptions {
  /** Folder of the chain; absent: a temporary one. */
  dataDir?: string
  /** Milliseconds since the epoch. */
  now?: () => number
  blockGasLimit?: bigint
  baseFeeWei?: bigint
  /** Estimated growth in kilobytes after which a fresh engine takes over. */
  rotateAtKb?: number
  /** Blocks after a rotation for which the earlier state stays readable. */
  keepStateBlocks?: number
  log?: (message: string, fields?: Record<string, unknown>) => void
}

const ROTATE_AT_KB = 18_000
/** Before the clock ticks, blocks are mined by hand to deploy a world quickly: optional work waits. */
const UNTICKED_FACTOR = 6
/** Blocks wait for an engine's successor once it has grown to this many times its limit, to bound memory. */
const WAIT_AT = 3
/** Traces of this many transactions may wait for garbage collection. */
const COLLECT_AFTER_TXS = 20
/** A stop writes an image if a start would otherwise replay this share of a rotation. */
const LEAVE_IMAGE_AT = 0.1
/** With more than this to trace, a stop does not wait for an image: the next start replays. */
const MAX_TRACED_AT_STOP = 200
const KEEP_STATE_BLOCKS = 128
/** Blocks stop when the shadow is this many entries behind: its queue takes memory. */
const MAX_SHADOW_LAG = 4_000
export async function openChain(options: ChainOptions = {}): Promise<Chain> {
  const now = options.now ?? Date.now
  const log = options.log ?? ((message, fields) => console.error(message, fields ?? ''))
  const rotateAtKb = options.rotateAtKb ?? ROTATE_AT_KB
  const owned = publicAccounts()
  const ownedKeys = owned.map(({ privateKey }) => privateKey)
  const disk = openDisk(options.dataDir, {
    timeS: BigInt(Math.floor(now() / 1000)) - 1n,
    blockGasLimit: options.blockGasLimit ?? 15_000_000n,
    baseFeeWei: options.baseFeeWei ?? 10_000_000n,
    owned,
  })
  const { dir, archive, fresh } = disk
  let { generation } = disk
  const { image, entries } = generation
  if (generation.cutBytes > 0)
    log('the log ended in a partial record; truncated', { bytes: generation.cutBytes })
  const boot = async () => {
    const engines = await Promise.all([
      bootEngine('main', image, ownedKeys),
      bootEngine('shadow', image, ownedKeys),
    ])
    const replayed = await replayLog(engines[0], archive, image, entries)
    await restorePool(engines[0], entries)
    return { engines, ...replayed }
  }
  const booted = await boot().catch((error) => {
    generation.wal.close()
    disk.release()
    throw error
  })

  let main = booted.engines[0]
  let { settings, headBlock } = booted
  let head = headOf(headBlock)
  const baseFeeWei = BigInt(image.initialBaseFeeWei)
  const onMain = createFifo()
  const sends = createTurnstile()
  const pool = createPool()
  const listeners = new Set<(block: BlockJson) => void>()
  const retired = createRetired(options.keepStateBlocks ?? KEEP_STATE_BLOCKS)
  const baseNumber = () => generation.image.base.number
  const served = (block: BlockJson): BlockJson =>
    baseNumber() > 0 && Number(block.number) === baseNumber() + 1
      ? { ...block, parentHash: generation.image.base.hash }
      : block
  headBlock = served(headBlock)
  const archiver = createArchiver(archive, served)
  const shadow = createShadow({
    engine: booted.engines[1],
    head: headOfImage(image, headBlock),
    world: worldAt(image),
    log,
    async rebuild(count) {
      const from = readImage(dir, baseNumber())
      const engine = await bootEngine('shadow', from, ownedKeys)
      const all = readLog(dir, baseNumber())
      return {
        engine,
        head: headOfImage(from, headBlock),
        world: worldAt(from),
        entries: all.slice(0, count),
      }
    },
  })
  for (const entry of entries) shadow.mirror(entry)

  const stats = { blocks: 0, rotations: 0, rotationFailures: 0, rotationPauseMs: 0 }
  let grownKb = booted.grownKb
  let rotateAt = rotateAtKb
  // Growth before the clock started: no reason to delay the first blocks.
  let deployedKb = 0
  let answeredTxs = 0
  let rotating: Promise<void> | undefined
  let next: NextBlock = {}
  let touched = entries.findLast((entry) => entry.kind !== 'pool')?.kind === 'admin'
  let committing: Promise<void> | undefined
  let halted: Error | undefined
  let closing = false
  let ticking = false
  let stopTicking = () => {}

  const keep = (entry: Entry) => {
    try {
      generation.wal.append(entry)
    } catch (error) {
      halted = rpcFailure(-32603, `the chain has halted: its log cannot be written (${String(error)})`)
      log('the log cannot be written: the chain has halted', { error: String(error) })
      throw halted
    }
    settings = settingsAfter(settings, entry)
    shadow.mirror(entry)
  }
  /** While it runs, responses that may include unlogged state wait for it. */
  const commit = async <T>(job: () => Promise<T>): Promise<T> => {
    if (halted) throw halted
    let done = () => {}
    committing = new Promise((resolve) => {
      done = resolve
    })
    try {
      return await job()
    } finally {
      committing = undefined
      done()
    }
  }
  const settled = async <T>(answer: Promise<T>): Promise<T> => {
    const outcome = await answer.then(
      (value) => ({ value }),
      (error) => ({ error }),
    )
    while (committing) await committing
    if (halted) throw halted
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }

  const mineNow = (atS?: bigint): Promise<BlockJson> =>
    commit(async () => {
      const requestedS = atS ?? next.atS ?? BigInt(Math.floor(now() / 1000)) + BigInt(settings.timeOffsetS)
      const terms = {
        timestampS: later(requestedS, head.timestampS),
        baseFeeWei: next.baseFeeWei ?? baseFeeWei,
        prevRandao: next.prevRandao ?? randaoAfter(head),
      }
      next = {}
      const block = served(await mineBlock(main, terms))
      keep(entryOf(block, pool.take(block)))
      touched = false
      headBlock = block
      head = headOf(block)
      stats.blocks += 1
      answeredTxs += block.transactions.length
      if (answeredTxs >= COLLECT_AFTER_TXS) {
        answeredTxs = 0
        collectAnswers()
      }
      grownKb += growthOf(block.transactions.length, BigInt(block['gasUsed'] as Hex))
      return block
    })

  const announce = (block: BlockJson) => {
    archiver
      .follow(main, Number(block.number))
      .catch((error) => log('archiving failed', { error: String(error) }))
    retired.dropBefore(Number(block.number))
    for (const listener of listeners) {
      try {
        listener(block)
      } catch (error) {
        log('a block listener failed', { error: String(error) })
      }
    }
  }
  const limitKb = () => (ticking ? rotateAt : rotateAt * UNTICKED_FACTOR)
  const mine = async (atS?: bigint): Promise<BlockJson> => {
    while (shadow.lag() > MAX_SHADOW_LAG) await shadow.replayed()
    while (rotating && grownKb - deployedKb > WAIT_AT * limitKb()) await rotating
    const block = await onMain(async () => {
      const mined = await mineNow(atS)
      announce(mined)
      return mined
    })
    if (grownKb >= limitKb()) rotating ??= startRotation()
    return block
  }

  const rotationDeps = (): RotationDeps => ({
    dir,
    main,
    shadow,
    archiver,
    pool,
    ownedKeys,
    log,
    alone: (job) => onMain(() => sends.whileShut(job)),
    settleHead: async () => {
      if (touched) announce(await mineNow())
    },
    headBlock: () => headBlock,
    settings: () => settings,
    ground: {
      initialBaseFeeWei: image.initialBaseFeeWei,
      initialBlockGasLimit: image.initialBlockGasLimit,
    },
  })
  const startRotation = () =>
    rotate(rotationDeps(), (rotated) => {
      retired.add({ main, first: baseNumber(), last: Number(head.number) })
      generation.wal.close()
      generation = rotated.generation
      main = rotated.main
      shadow.switchTo(rotated.shadow)
      sweepGenerations(dir, baseNumber())
      stats.rotations += 1
      grownKb = 0
      rotateAt = rotateAtKb
    })
      .then(({ pauseMs }) => {
        stats.rotationPauseMs = Math.max(stats.rotationPauseMs, pauseMs)
      })
      .catch((error) => {
        if (closing) return
        stats.rotationFailures += 1
        // Not again at once: the chain continues with the current engines.
        rotateAt = grownKb + rotateAtKb / 2
        log('rotation failed; continuing with the old engines', { error: String(error) })
      })
      .finally(() => {
        rotating = undefined
      })

  const leaveImageBehind = async () => {
    if (shadow.backlog() > MAX_TRACED_AT_STOP) return
    try {
      const left = await leaveImage(rotationDeps())
      generation.wal.close()
      generation = left
      sweepGenerations(dir, baseNumber())
    } catch (error) {
      log('no image was written; the next start replays the log', { error: String(error) })
    }
  }

  const mirrored = <T>(method: string, params: unknown[]): Promise<T> =>
    onMain(() =>
      commit(async () => {
        const answer = await main.request<T>(method, params)
        keep({ kind: 'admin', method, params })
        touched = true
        return answer
      }),
    )
  const clock = {
    head: () => head,
    mine,
    setNext: (wish: NextBlock) => {
      next = { ...next, ...wish }
    },
    addOffset: (seconds: bigint) =>
      onMain(async () => {
        const timeOffsetS = BigInt(settings.timeOffsetS) + seconds
        keep({ kind: 'clock', timeOffsetS: timeOffsetS.toString() })
        return timeOffsetS
      }),
  }

  const chain: Chain = {
    fresh,
    head: () => head,
    request: async <T>(method: string, params: unknown[] = []): Promise<T> => {
      if (method === 'eth_sendRawTransaction') return (await chain.sendRaw(params[0] as Hex)) as T
      if (method === 'eth_sendTransaction') return (await chain.sendOwned(params[0] as OwnedTx)) as T
      if (/^(hardhat|evm)_/.test(method)) return chain.admin<T>(method, params)
      const places = { main, base: baseNumber() || -1, head, archive, retired: retired.keeper, served }
      return settled(read(places, method, params) as Promise<T>)
    },
    sendRaw: (raw) => sends.pass(() => settled(pool.sendRaw(main, raw))),
    sendOwned: (tx) => sends.pass(() => settled(pool.sendOwned(main, tx))),
    async admin<T>(method: string, params: unknown[] = []): Promise<T> {
      const way = wayOf(method)
      if (way === 'mirrored') return mirrored<T>(method, params)
      if (way === 'clock') return (await clockCall(clock, method, params)) as T
      return main.request<T>(method, params)
    },
    mine,
    onShadow: shadow.onShadow,
    onBlock(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    startTicking(blockMs) {
      stopTicking()
      ticking = true
      deployedKb = grownKb
      shadow.beginTracing()
      stopTicking = tick(blockMs, async () => {
        await mine().catch((error) => log('mining failed', { error: String(error) }))
      })
    },
    stats: () => ({
      ...stats,
      shadowMismatches: shadow.mismatches(),
      walBytes: generation.wal.bytes(),
      pooled: pool.size(),
    }),
    async close() {
      closing = true
      stopTicking()
      if (shadow.backlog() > MAX_TRACED_AT_STOP) shadow.stopTracing()
      while (rotating) await rotating
      await onMain(async () => {
        const txs = await pool.waiting(main)
        if (options.dataDir && grownKb >= LEAVE_IMAGE_AT * rotateAtKb && !halted) await leaveImageBehind()
        if (txs.length > 0 && !halted) keep({ kind: 'pool', txs })
        await archiver.follow(main, Number(head.number))
      })
      await shadow.close()
      generation.wal.close()
      disk.release()
    },
  }
  return chain
}

const later = (a: bigint, b: bigint) => (a < b ? b : a)

const headOf = (block: BlockJson): Head => ({
  number: BigInt(block.number),
  hash: block.hash,
  timestampS: BigInt(block.timestamp),
  baseFeeWei: BigInt(block.baseFeePerGas),
})

/** The head of an engine built from an image; only the engine knows the hash of block 0. */
const headOfImage = ({ base }: Image, headBlock: BlockJson): Head =>
  base.number === 0 && Number(headBlock.number) === 0
    ? headOf(headBlock)
    : {
        number: BigInt(base.number),
        hash: base.hash,
        timestampS: BigInt(base.timestampS),
        baseFeeWei: BigInt(base.baseFeeWei),
      }

const entryOf = (block: BlockJson, txs: BlockEntry['txs']): BlockEntry => ({
  kind: 'block',
  number: Number(block.number),
  hash: block.hash,
  timestampS: BigInt(block.timestamp).toString(),
  baseFeeWei: BigInt(block.baseFeePerGas).toString(),
  prevRandao: block['mixHash'] as Hex,
  gasUsed: BigInt(block['gasUsed'] as Hex).toString(),
  txs,
})

/** Derived from the parent, so that every engine and replay agrees without EDR's own generator. */
const randaoAfter = (parent: Head): Hex =>
  `0x${createHash('sha256').update(parent.hash).update(parent.number.toString()).digest('hex')}`
