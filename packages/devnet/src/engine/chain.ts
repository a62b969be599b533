import { createAdminCalls } from './adminCalls.ts'
import { createBlockListeners } from './blockListeners.ts'
import { createCommitGate } from './commitGate.ts'
import { createMiner } from './miner.ts'
import { openParts } from './openParts.ts'
import { createPacer } from './pacer.ts'
import { read } from './reads.ts'
import { leaveImage, type RotationDeps, rotate } from './rotate.ts'
import { createRotationSchedule } from './rotationSchedule.ts'
import type { BlockJson, Chain, Hex, Log, OwnedTx } from './types.ts'

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
  log?: Log
}

const ROTATE_AT_KB = 18_000
/** With more than this to trace, a stop does not wait for an image: the next start replays. */
const MAX_TRACED_AT_STOP = 200
const KEEP_STATE_BLOCKS = 128

/** Opens the chain and connects its parts; each of them owns its state. */
export async function openChain(options: ChainOptions = {}): Promise<Chain> {
  const now = options.now ?? Date.now
  const log: Log = options.log ?? ((message, fields) => console.error(message, fields ?? ''))
  const parts = await openParts({
    dataDir: options.dataDir,
    timeS: BigInt(Math.floor(now() / 1000)) - 1n,
    blockGasLimit: options.blockGasLimit ?? 15_000_000n,
    baseFeeWei: options.baseFeeWei ?? 10_000_000n,
    keepStateBlocks: options.keepStateBlocks ?? KEEP_STATE_BLOCKS,
    log,
  })
  const { alone, archive, archiver, door, engines, head, journal, onMain, pool, record, tracker } = parts
  const listeners = createBlockListeners(log)
  const { commit, settled } = createCommitGate(journal.throwIfHalted)
  const miner = createMiner({ parts, now, baseFeeWei: BigInt(parts.genesis.initialBaseFeeWei) })

  const mineNow = (atS?: bigint, atMs?: number): Promise<BlockJson> =>
    commit(async () => {
      const block = await miner.mine(atS, atMs)
      rotation.addBlock(block)
      return block
    })
  const announce = (block: BlockJson) => {
    archiver
      .follow(engines.main(), Number(block.number))
      .catch((error) => log('archiving failed', { error: String(error) }))
    engines.dropBefore(Number(block.number))
    listeners.notify(block)
  }
  const rotationDeps = (): RotationDeps => ({
    dir: parts.dir,
    main: engines.main(),
    tracker,
    archiver,
    pool,
    ownedKeys: parts.ownedKeys,
    log,
    alone,
    settleHead: async () => {
      if (head.isChanged()) announce(await mineNow())
    },
    headBlock: head.block,
    settings: journal.settings,
    ground: parts.genesis,
  })
  const rotation = createRotationSchedule({
    grownKb: parts.grownKb,
    rotateAtKb: options.rotateAtKb ?? ROTATE_AT_KB,
    log,
    rotate: (onSwitch) =>
      rotate(rotationDeps(), (rotated) => {
        const previous = { first: journal.base(), last: Number(head.current().number) }
        journal.switchTo(rotated.generation)
        engines.replaceMain(rotated.main, previous)
        journal.sweep()
        onSwitch()
      }),
  })
  const mine = async (atS?: bigint, atMs?: number): Promise<BlockJson> => {
    while (rotation.isOverdue()) await rotation.ended()
    const block = await onMain(async () => {
      const mined = await mineNow(atS, atMs)
      announce(mined)
      return mined
    })
    rotation.startIfDue()
    return block
  }
  let watchers = 0
  const isAwaited = () => watchers > 0 || pool.size() > 0
  const pacer = createPacer({
    mine: (atMs) => mine(undefined, atMs).catch((error) => log('mining failed', { error: String(error) })),
    isAwaited,
    now,
  })
  const send = async (pooled: () => Promise<Hex>): Promise<Hex> => {
    await pacer.catchUp()
    const hash = await settled(door.pass(pooled))
    pacer.hurry()
    return hash
  }

  const placesNow = () => ({
    main: engines.main(),
    base: journal.base() || -1,
    head: head.current(),
    archive,
    retired: engines.retired,
    former: parts.history.since,
    tracedBlock: tracker.block,
    served: journal.served,
  })
  const admin = createAdminCalls({ parts, commit, mine, setNext: miner.setNext })
  const leaveImageBehind = async () => {
    if (tracker.backlog() > MAX_TRACED_AT_STOP) return
    try {
      journal.switchTo(await leaveImage(rotationDeps()))
      journal.sweep()
    } catch (error) {
      log('no image was written; the next start replays the log', { error: String(error) })
    }
  }

  const chain: Chain = {
    fresh: parts.fresh,
    head: head.current,
    request: async <T>(method: string, params: unknown[] = []): Promise<T> => {
      if (method === 'eth_sendRawTransaction') return (await chain.sendRaw(params[0] as Hex)) as T
      if (method === 'eth_sendTransaction') return (await chain.sendOwned(params[0] as OwnedTx)) as T
      if (/^(hardhat|evm)_/.test(method)) return admin<T>(method, params)
      return settled(door.pass(() => read(placesNow(), method, params) as Promise<T>))
    },
    sendRaw: (raw) => send(() => pool.sendRaw(engines.main(), raw)),
    sendOwned: (tx) => send(() => pool.sendOwned(engines.main(), tx)),
    admin,
    mine,
    onScratch: parts.scratch.run,
    onBlock: listeners.add,
    watch() {
      watchers += 1
      pacer.hurry()
      return () => {
        watchers -= 1
      }
    },
    isAwaited,
    catchUp: pacer.catchUp,
    startTicking(blockMs, { restMs } = {}) {
      rotation.startClock()
      tracker.beginTracing()
      pacer.start({ everyMs: blockMs, restMs })
    },
    stats: () => ({
      blocks: miner.blocks(),
      ...rotation.stats(),
      walBytes: journal.bytes(),
      pooled: pool.size(),
    }),
    async close() {
      pacer.stop()
      if (tracker.backlog() > MAX_TRACED_AT_STOP) tracker.stopTracing()
      await rotation.close()
      await onMain(async () => {
        const txs = await pool.waiting(engines.main())
        if (options.dataDir && rotation.isImageDue() && !journal.isHalted()) await leaveImageBehind()
        if (txs.length > 0 && !journal.isHalted()) record({ kind: 'pool', txs })
        await archiver.complete(engines.main(), Number(head.current().number))
      })
      await parts.close()
    },
  }
  return chain
}
