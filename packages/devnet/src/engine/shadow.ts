import { setTimeout as sleep } from 'node:timers/promises'
import { applyEmptyBlocks, applyEntry, type BlockEntry, type Entry, isEmptyBlock } from './entries.ts'
import { createFifo } from './fifo.ts'
import type { Call, Provider } from './provider.ts'
import type { Replayable } from './replayable.ts'
import { type TracedTx, traceTxs } from './traceTxs.ts'
import type { Head, Hex, Log } from './types.ts'
import { undoable } from './undoable.ts'
import type { ImageAccount, WorldState } from './worldState.ts'

/** The second engine: replays every entry, serves simulations, and follows the state for the next image. */
export interface Shadow {
  /** Every entry of the log, in order. */
  mirror(entry: Entry): void
  onShadow<T>(run: (engine: Provider, head: Head) => Promise<T>): Promise<T>
  /** Entries not yet replayed. */
  lag(): number
  /** Steps not yet traced or replayed. */
  backlog(): number
  /** Resolves when everything mirrored so far is replayed. */
  replayed(): Promise<void>
  /** The whole state of a moment ago, possibly amid a block; later changes are recorded. */
  takeState(): Promise<ImageAccount[]>
  /** Changes since the state or changes were taken, up to a moment ago. */
  takeChanges(): Promise<Call[]>
  /** Resolves when every mirrored block is traced; until then tracing does not pause. */
  traced(): Promise<WorldState>
  /** Continues with another engine from the next entry on. */
  switchTo(engine: Provider): void
  mismatches(): number
  /** From now on blocks are traced as they come; before, only on demand. */
  beginTracing(): void
  stopTracing(): void
  close(): Promise<void>
}

export interface ShadowSetup {
  engine: Provider
  head: Head
  world: WorldState
}

interface ShadowDeps extends ShadowSetup {
  log: Log
  /** A new engine and world at the log's beginning, and the log's first `count` entries to replay. */
  rebuild(count: number): Promise<ShadowSetup & { entries: Entry[] }>
}

type Traceable = { txs: TracedTx[] } | { admin: { method: string; params: unknown[] } }

/** Transactions traced in one go: the longest wait of a simulation. */
const TRACED_AT_ONCE = 8
/** With more steps than this to trace, no pauses. */
const HURRY_AT = 40
/** Until then, tracing stops during simulations: they come in sequences, and no image is waiting. */
const QUIET_MS = 40
/** With at most this many steps left, the state is recent enough to build an engine from. */
const RECENT = 80
/** Before blocks are paused, tracing catches up to this distance from the head, if it can in this time. */
const FEW = 6
const TAKE_CHANGES_MS = 5_000
/** Without simulations, entries are replayed this often: many empty blocks cost one call. */
const EMPTY_AT_ONCE = 64
const REPLAY_EVERY_MS = 2_000
/** The same for this long after a simulation: others follow it. */
const BUSY_MS = 2_000

export function createShadow(deps: ShadowDeps): Shadow {
  const { log, rebuild } = deps
  const fifo = createFifo()
  let { engine, head, world } = deps
  let next: Provider | undefined
  let waiting: Traceable[] = []
  let tracing: Promise<void> | undefined
  let urgent = 0
  let lag = 0
  let applied = 0
  let mismatches = 0
  let closed = false
  let atLeisure = false
  let simulating = 0
  let simulatedAtMs = Number.NEGATIVE_INFINITY
  const onStep: (() => void)[] = []
  let broken: Error | undefined
  /** Mirrored, and not yet passed on to be replayed. */
  let mirrored: Entry[] = []
  let replayTimer: NodeJS.Timeout | undefined

  const apply = async (entry: Entry): Promise<void> => {
    if (entry.kind === 'block') {
      const hashes = await applyEntry(engine, entry)
      head = headOf(entry)
      const txs = hashes.map((hash, at) => tracedTx(entry, hash, entry.txs[at]!))
      for (let at = 0; at < txs.length; at += TRACED_AT_ONCE)
        waiting.push({ txs: txs.slice(at, at + TRACED_AT_ONCE) })
    } else {
      await applyEntry(engine, entry)
      if (entry.kind === 'admin') waiting.push({ admin: entry })
    }
  }

  const applyAll = async (entries: readonly Entry[]): Promise<void> => {
    for (let at = 0; at < entries.length; ) {
      const empty: BlockEntry[] = []
      for (let i = at; empty.length < EMPTY_AT_ONCE && isEmptyBlock(entries[i]); i++)
        empty.push(entries[i] as BlockEntry)
      if (empty.length > 1) {
        await applyEmptyBlocks(engine, empty)
        head = headOf(empty.at(-1)!)
      } else await apply(entries[at]!)
      at += Math.max(1, empty.length)
    }
  }

  const heal = async (): Promise<void> => {
    const fresh = await rebuild(applied)
    ;({ engine, head, world } = fresh)
    waiting = []
    await applyAll(fresh.entries)
    log('shadow rebuilt', { number: Number(head.number) })
  }

  const trace = async (): Promise<void> => {
    // Pause after each transaction: simulations come first, an image can wait.
    while (waiting.length > 0 && !closed) {
      if (isLoud() && urgent === 0 && waiting.length < HURRY_AT) {
        await sleep(QUIET_MS)
        continue
      }
      const startedMs = performance.now()
      await fifo(async () => {
        const step = waiting[0]
        if (!step) return
        if ('txs' in step) await traceTxs(engine, step.txs, world)
        else world.applyAdmin(step.admin.method, step.admin.params)
        waiting.shift()
        for (const notify of onStep.splice(0)) notify()
      })
      const tookMs = performance.now() - startedMs
      if (urgent === 0 && waiting.length < HURRY_AT) await sleep(Math.min(2 * tookMs, 50))
    }
  }
  const isLoud = () => simulating > 0 || performance.now() - simulatedAtMs < QUIET_MS
  const startTracing = () => {
    tracing ??= trace()
      .catch((error) => {
        broken = error
        log('tracing stopped', { error: String(error) })
      })
      .finally(() => {
        tracing = undefined
      })
    return tracing
  }
  const traceAtLeisure = () => {
    if (atLeisure) startTracing()
  }
  const hurried = async <T>(job: () => Promise<T>): Promise<T> => {
    urgent += 1
    try {
      return await job()
    } finally {
      urgent -= 1
    }
  }
  const replay = () => {
    clearTimeout(replayTimer)
    replayTimer = undefined
    const entries = mirrored
    mirrored = []
    if (entries.length === 0) return
    fifo(async () => {
      // The log is on disk; this shadow serves no more requests.
      if (closed) return
      if (next) [engine, next, applied] = [next, undefined, 0]
      applied += entries.length
      try {
        if (broken) throw broken
        await applyAll(entries)
      } catch (error) {
        mismatches += 1
        log('shadow mismatch', { entries: entries.map(nameOf).join(', '), error: String(error) })
        broken = undefined
        await heal()
      } finally {
        lag -= entries.length
      }
    }).then(traceAtLeisure, (error) => {
      broken = error
      log('shadow could not be rebuilt', { error: String(error) })
    })
  }
  const replayed = () => {
    replay()
    return fifo(async () => {})
  }
  const caughtUp = async () => {
    do {
      await replayed()
      await startTracing()
      throwIfBroken()
      if (closed) throw new Error('the shadow was closed')
    } while (waiting.length > 0)
  }
  /** Resolves when at most this many steps are left, or the time is over. */
  const tracedTo = (steps: number, withinMs: number) =>
    hurried(async () => {
      const untilMs = performance.now() + withinMs
      await replayed()
      while (waiting.length > steps && performance.now() < untilMs) {
        throwIfBroken()
        if (closed) throw new Error('the shadow was closed')
        await Promise.race([startTracing(), new Promise<void>((resolve) => onStep.push(resolve))])
      }
    })
  const throwIfBroken = () => {
    if (broken) throw broken
  }

  return {
    mirror(entry) {
      lag += 1
      mirrored.push(entry)
      const isBusy = simulating > 0 || performance.now() - simulatedAtMs < BUSY_MS
      if (isBusy || !atLeisure) replay()
      else replayTimer ??= setTimeout(replay, REPLAY_EVERY_MS).unref()
    },
    onShadow: (run) =>
      new Promise((resolve, reject) => {
        simulating += 1
        replay()
        fifo(async () => {
          throwIfBroken()
          const own = undoable(engine)
          // Respond before undoing: only the next user of this engine has to wait for that.
          await run(own.engine, head).then(resolve, reject)
          if (!(await own.undo())) broken = new Error('a simulation could not be undone')
        })
          .catch((error) => {
            broken ??= error
            reject(error)
          })
          .finally(() => {
            simulating -= 1
            simulatedAtMs = performance.now()
          })
      }),
    lag: () => lag,
    backlog: () => lag + waiting.length,
    replayed,
    async takeState() {
      await tracedTo(RECENT, Number.POSITIVE_INFINITY)
      world.markChanges()
      return world.accounts()
    },
    async takeChanges() {
      await tracedTo(FEW, TAKE_CHANGES_MS)
      const calls = world.changes()
      world.markChanges()
      return calls
    },
    traced: () =>
      hurried(async () => {
        await caughtUp()
        return world
      }),
    switchTo(engine) {
      replay()
      next = engine
    },
    mismatches: () => mismatches,
    beginTracing() {
      atLeisure = true
      traceAtLeisure()
    },
    stopTracing() {
      closed = true
    },
    async close() {
      closed = true
      await replayed()
      await tracing
    },
  }
}

const headOf = (entry: BlockEntry): Head => ({
  number: BigInt(entry.number),
  hash: entry.hash,
  timestampS: BigInt(entry.timestampS),
  baseFeeWei: BigInt(entry.baseFeeWei),
})

const tracedTx = (entry: BlockEntry, hash: Hex, tx: Replayable): TracedTx => ({
  hash,
  blockNumber: entry.number,
  hasAuthorizations: 'raw' in tx ? tx.raw.startsWith('0x04') : 'authorizationList' in tx.impersonated,
})

const nameOf = (entry: Entry) => (entry.kind === 'block' ? `block ${entry.number}` : entry.kind)
