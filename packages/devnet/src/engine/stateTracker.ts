import { setTimeout as sleep } from 'node:timers/promises'
import type { Entry } from './entries.ts'
import type { Call, Provider } from './provider.ts'
import type { Replayable } from './replayable.ts'
import { type TracedTx, traceTxs } from './traceTxs.ts'
import type { Hex, Log } from './types.ts'
import type { ImageAccount, WorldState } from './worldState.ts'

/** Follows the whole state for the next image: every transaction is traced once, after its block. */
export interface StateTracker {
  /** An entry of the log, in order; `hashes` are those of a block's transactions. */
  add(entry: Entry, hashes: readonly Hex[]): void
  /** Steps not yet traced. */
  backlog(): number
  /** Every change up to this block is traced. */
  block(): number
  /** The whole state of a moment ago, possibly amid a block; later changes are recorded. */
  takeState(): Promise<ImageAccount[]>
  /** Changes since the state or changes were taken, up to a moment ago. */
  takeChanges(): Promise<Call[]>
  /** Resolves when every added block is traced; until then tracing does not pause. */
  traced(): Promise<WorldState>
  /** From now on blocks are traced as they come; before, only on demand. */
  beginTracing(): void
  stopTracing(): void
  close(): Promise<void>
}

interface StateTrackerDeps {
  /** The engine that mined the blocks. */
  engine(): Provider
  world: WorldState
  /** Simulations are running, or were a moment ago. */
  isBusy(): boolean
  /** Of the world. */
  firstBlock: number
  log: Log
}

type Step = { block: number } & ({ txs: TracedTx[] } | { admin: { method: string; params: unknown[] } })

/** Transactions traced in one go: the longest wait of another request. */
const TRACED_AT_ONCE = 8
/** With more steps than this to trace, no pauses. */
const HURRY_AT = 40
/** Tracing waits this long for simulations: they come in sequences, and no image is waiting. */
const QUIET_MS = 40
const MAX_PAUSE_MS = 50
/** With at most this many steps left, the state is recent enough to build an engine from. */
const RECENT = 80
/** Before blocks are paused, tracing catches up to this distance from the head, if it can in this time. */
const FEW = 6
const TAKE_CHANGES_MS = 5_000

export function createStateTracker(deps: StateTrackerDeps): StateTracker {
  const { engine, world, isBusy, log } = deps
  let newest = deps.firstBlock
  const waiting: Step[] = []
  const onStep: (() => void)[] = []
  let tracing: Promise<void> | undefined
  let urgent = 0
  let closed = false
  let atLeisure = false
  /** The state is unknown after a trace failed: no image is made until the next start. */
  let failure: Error | undefined

  const mayPause = () => urgent === 0 && waiting.length < HURRY_AT
  const trace = async (): Promise<void> => {
    while (waiting.length > 0 && !closed) {
      // Requests come first, an image can wait.
      if (isBusy() && mayPause()) {
        await sleep(QUIET_MS)
        continue
      }
      const step = waiting[0]!
      const startedMs = performance.now()
      if ('txs' in step) await traceTxs(engine(), step.txs, world)
      else {
        world.atBlock(step.block)
        world.applyAdmin(step.admin.method, step.admin.params)
      }
      waiting.shift()
      for (const notify of onStep.splice(0)) notify()
      if (mayPause()) await sleep(Math.min(2 * (performance.now() - startedMs), MAX_PAUSE_MS))
    }
  }
  const startTracing = () => {
    tracing ??= trace()
      .catch((error) => {
        failure = error
        log('tracing stopped; the next start replays the log', { error: String(error) })
      })
      .finally(() => {
        tracing = undefined
      })
    return tracing
  }
  const throwIfStopped = () => {
    if (failure) throw failure
    if (closed) throw new Error('the chain was closed')
  }
  /** Resolves when at most this many steps are left, or the time is over. */
  const tracedTo = async (steps: number, withinMs: number) => {
    urgent += 1
    try {
      const untilMs = performance.now() + withinMs
      while (waiting.length > steps && performance.now() < untilMs) {
        throwIfStopped()
        await Promise.race([startTracing(), new Promise<void>((resolve) => onStep.push(resolve))])
      }
      throwIfStopped()
    } finally {
      urgent -= 1
    }
  }

  return {
    add(entry, hashes) {
      if (failure) return
      if (entry.kind === 'admin') waiting.push({ block: newest + 1, admin: entry })
      if (entry.kind === 'block') {
        newest = entry.number
        const txs = hashes.map((hash, at) => tracedTx(entry.number, hash, entry.txs[at]!))
        for (let at = 0; at < txs.length; at += TRACED_AT_ONCE)
          waiting.push({ block: newest, txs: txs.slice(at, at + TRACED_AT_ONCE) })
      }
      if (atLeisure) startTracing()
    },
    backlog: () => waiting.length,
    block: () => (waiting[0] ? waiting[0].block - 1 : newest),
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
    async traced() {
      await tracedTo(0, Number.POSITIVE_INFINITY)
      return world
    },
    beginTracing() {
      atLeisure = true
      startTracing()
    },
    stopTracing() {
      closed = true
    },
    async close() {
      closed = true
      await tracing
    },
  }
}

const tracedTx = (blockNumber: number, hash: Hex, tx: Replayable): TracedTx => ({
  hash,
  blockNumber,
  hasAuthorizations: 'raw' in tx ? tx.raw.startsWith('0x04') : 'authorizationList' in tx.impersonated,
})
