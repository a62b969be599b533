import { setMaxListeners } from 'node:events'
import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { nowS } from '@pit/platform/clock'
import type { Job } from '@pit/platform/jobs'
import { RpcUnreachable } from '@pit/platform/rpc'
import { fail, isPitError, TOKENS } from '@pit/protocol'
import { Counter, Gauge, Histogram } from 'prom-client'
import type { TokenDeps } from './deps.ts'
import type { StoredRecord } from './describeToken.ts'
import type { TokenReading } from './reading.ts'
import type { KnownToken } from './store.ts'

export interface Screening {
  /**
   * Screens now, within about 8 s. Callers of one token share a screen; `admit` is called before a new one
   * starts. Refuses SCREEN_UNAVAILABLE when all slots are busy.
   */
  screen(token: Address, admit: () => Promise<void>): Promise<Screened>
  /** Whether the token is being screened now. */
  isRunning(token: Address): boolean
  /** Queues a background screen; `queueJob` runs it. */
  later(token: Address): void
  queued(): number
  queueJob: Job
  close(): Promise<void>
}

export type Screened = { status: 'done'; known: KnownToken } | { status: 'unfinished'; record: StoredRecord }

export interface ScreeningDeps extends Pick<TokenDeps, 'clock' | 'logger' | 'metrics' | 'screenPauseMs'> {
  screenToken(token: Address, known: (reading: TokenReading) => void): Promise<TokenReading>
  describe(reading: TokenReading): StoredRecord
  save(known: KnownToken): Promise<void>
  slots?: number
  waitMs?: number
}

interface Screen {
  startedAtMs: number
  lane: Lane
  /** The token's own data, once read. */
  partial?: TokenReading
  done: Promise<KnownToken>
}
type Lane = 'asked' | 'background'

const SLOTS = 4
const SCREEN_PAUSE_MS = 100
const NOT_A_TOKEN_FOR_MS = 60_000
const MAX_REMEMBERED = 10_000
const MAX_QUEUE = 200_000
const MAX_ATTEMPTS = 3
const RETRY_AFTER_MS = 15_000

export function createScreening(deps: ScreeningDeps): Screening {
  const {
    clock,
    logger,
    slots = SLOTS,
    waitMs = TOKENS.screenAboutS * 1_000,
    screenPauseMs = SCREEN_PAUSE_MS,
  } = deps
  const screens = new Map<Address, Screen>()
  const notTokens = createCache<Address, true>({ max: MAX_REMEMBERED, ttlMs: NOT_A_TOKEN_FOR_MS, clock })
  const queue = new Set<Address>()
  const attempts = new Map<Address, number>()
  const closing = new AbortController()
  // Every token that waits for its next try listens.
  setMaxListeners(0, closing.signal)
  let wake = () => {}
  let callerScreens = 0
  const metrics = createScreenMetrics(deps.metrics, { queued: () => queue.size, running: () => screens.size })

  function start(token: Address, lane: Lane): Screen {
    const startedAtMs = clock.nowMs()
    const screen: Screen = { startedAtMs, lane, done: undefined as never }
    if (lane === 'asked') callerScreens += 1
    queue.delete(token)
    screen.done = work(token, screen).finally(() => {
      if (lane === 'asked') callerScreens -= 1
      screens.delete(token)
    })
    // Callers see the failure themselves; without any it was logged and must not end the process.
    screen.done.catch(() => {})
    screens.set(token, screen)
    return screen
  }

  async function work(token: Address, screen: Screen): Promise<KnownToken> {
    try {
      const reading = await deps.screenToken(token, (partial) => {
        screen.partial = partial
      })
      return await keep(token, reading, screen, 'screened')
    } catch (error) {
      if (isPitError(error) && error.code === 'NOT_A_TOKEN') {
        notTokens.set(token, true)
        metrics.ended(screen, 'not_a_token', clock.nowMs())
        throw error
      }
      logger.warn({ err: error, token }, 'failed to screen a token')
      again(token)
      if (screen.partial) {
        const why = error instanceof RpcUnreachable ? 'the chain did not respond' : 'the simulation failed'
        return keep(token, { ...screen.partial, trial: { status: 'unfinished', why } }, screen, 'unfinished')
      }
      metrics.ended(screen, 'failed', clock.nowMs())
      throw error
    }
  }

  async function keep(
    token: Address,
    reading: TokenReading,
    screen: Screen,
    outcome: string,
  ): Promise<KnownToken> {
    const screened = { reading, record: deps.describe(reading) }
    await deps.save(screened)
    if (outcome === 'screened') attempts.delete(token)
    metrics.ended(screen, outcome, clock.nowMs())
    return screened
  }

  /** Screens a token again a few times after failures, with growing pauses. */
  function again(token: Address): void {
    const count = (attempts.get(token) ?? 0) + 1
    attempts.set(token, count)
    if (count >= MAX_ATTEMPTS) attempts.delete(token)
    else void clock.sleep(RETRY_AFTER_MS * count, closing.signal).then(() => later(token))
  }

  /** Callers of one token are admitted one after another: the first with budget left starts the screen. */
  const admissions = new Map<Address, Promise<void>>()
  async function admitted(token: Address, admit: () => Promise<void>): Promise<Screen> {
    for (;;) {
      const running = screens.get(token)
      if (running) return running
      const before = admissions.get(token)
      if (before === undefined) break
      await before
    }
    if (callerScreens >= slots) fail('SCREEN_UNAVAILABLE')
    // The slot is reserved before the budget is charged, so that no other caller gets it meanwhile.
    callerScreens += 1
    const admission = admit()
    const settled = admission.then(
      () => {},
      () => {},
    )
    admissions.set(token, settled)
    try {
      await admission
      return screens.get(token) ?? start(token, 'asked')
    } finally {
      callerScreens -= 1
      admissions.delete(token)
    }
  }

  function later(token: Address): void {
    if (closing.signal.aborted || screens.has(token) || queue.size >= MAX_QUEUE) return
    queue.add(token)
    wake()
  }

  /** One at a time, and none while a caller waits for a screen. */
  async function screenNext(): Promise<void> {
    const [next] = queue
    if (next !== undefined && callerScreens === 0) {
      queue.delete(next)
      if (!notTokens.get(next)) await (screens.get(next) ?? start(next, 'background')).done.catch(() => {})
    }
    if (queue.size > 0) wake()
  }

  return {
    async screen(token, admit) {
      if (notTokens.get(token)) fail('NOT_A_TOKEN', { field: 'address' })
      const screen = await admitted(token, admit)
      const leftMs = Math.max(1, screen.startedAtMs + waitMs - clock.nowMs())
      const waiting = new AbortController()
      const tooLong = clock.sleep(leftMs, waiting.signal).then(() => Promise.reject(new TookTooLong()))
      try {
        return { status: 'done', known: await Promise.race([screen.done, tooLong]) }
      } catch (error) {
        if (isPitError(error)) throw error
        if (error instanceof TookTooLong && screen.partial) {
          return { status: 'unfinished', record: deps.describe(screen.partial) }
        }
        if (error instanceof RpcUnreachable) return fail('RPC_UNAVAILABLE')
        return fail('SCREEN_UNAVAILABLE', {
          message:
            error instanceof TookTooLong
              ? 'The chain is too slow to screen the token now. Retry shortly.'
              : 'The token cannot be screened now. Retry shortly.',
        })
      } finally {
        waiting.abort()
      }
    },
    isRunning: (token) => screens.has(token),
    later,
    queued: () => queue.size,
    queueJob: {
      name: 'screen queued tokens',
      intervalMs: null,
      wakeAfterMs: screenPauseMs,
      run: screenNext,
      wakeOn(wakeJob) {
        wake = wakeJob
        if (queue.size > 0) wake()
        return () => {
          wake = () => {}
        }
      },
    },
    async close() {
      closing.abort()
      await Promise.allSettled([...screens.values()].map(({ done }) => done))
    },
  }
}

class TookTooLong extends Error {}

function createScreenMetrics(
  { registry }: TokenDeps['metrics'],
  gauges: { queued(): number; running(): number },
) {
  const registers = [registry]
  const seconds = new Histogram({
    name: 'pit_token_screen_seconds',
    help: 'Time to screen a token, by caller and result.',
    labelNames: ['lane', 'outcome'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32],
    registers,
  })
  const unfinished = new Counter({
    name: 'pit_token_screens_unfinished_total',
    help: 'Screens that ended without a trial.',
    registers,
  })
  for (const [name, help, read] of [
    ['pit_token_screen_queue', 'Tokens waiting for a background screen.', gauges.queued],
    ['pit_token_screens_running', 'Running screens.', gauges.running],
  ] as const) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  return {
    ended(screen: Screen, outcome: string, nowMs: number): void {
      seconds.observe({ lane: screen.lane, outcome }, (nowMs - screen.startedAtMs) / 1000)
      if (outcome === 'unfinished' || outcome === 'failed') unfinished.inc()
    },
  }
}

/** A record older than this is screened again in the background. */
const SCREEN_AGAIN_S = 6 * 3_600
export const isOld = (record: Pick<StoredRecord, 'screened_at'>, clock: TokenDeps['clock']): boolean =>
  record.screened_at === null || nowS(clock) - record.screened_at > SCREEN_AGAIN_S
