import { withinMs } from '@pit/platform/clock'
import { isStoreUnavailable } from '@pit/platform/db'
import type { CapabilityJobs, Job } from '@pit/platform/jobs'
import { DAY_MS, lower, type RefusalCode } from '@pit/protocol'
import { addRefused, deleteRefusedBefore, type RefusedRow, trimRefused } from '@pit/relay'
import { Counter, Gauge } from 'prom-client'
import type { AccountDeps } from './deps.ts'
import type { TokenTexts } from './tokenTexts.ts'

/** A trade that was requested and refused before anything was relayed. */
export interface Refusal {
  keyId: number
  wallet: string
  path: RefusedRow['path']
  code: RefusalCode
  /** As sent: core symbols or addresses. A call without tokens is not a trade and is not recorded. */
  tokenIn: string
  tokenOut: string
  /** Null if the amount was never known. */
  amountIn: bigint | null
  amountOutMin?: bigint | null
  sessionId?: string | null
}

export interface RefusalLog {
  /** Never waits and never throws. */
  record(refusal: Refusal): void
  /** Deletes expired rows; returns how many. */
  sweep(): Promise<number>
  jobs: CapabilityJobs
  /** Writes the remaining rows, within a short time limit. */
  close(): Promise<void>
}

const MAX_QUEUED = 5_000
const AT_ONCE = 500
const CLOSE_WITHIN_MS = 3_000
const KEEP_PER_WALLET = 500
const KEEP_MS = 30 * DAY_MS
const SWEEP_AT_ONCE = 2_000
const LARGEST = 2n ** 256n
const ADDRESS = /^0x[0-9a-f]{40}$/

/** Writes refused calls to the store in batches, off the caller's path, with bounded memory. */
export function createRefusalLog({
  db,
  clock,
  logger,
  metrics,
  texts,
  maxQueued = MAX_QUEUED,
}: Pick<AccountDeps, 'db' | 'clock' | 'logger' | 'metrics'> & {
  texts: Pick<TokenTexts, 'addressOf'>
  maxQueued?: number
}): RefusalLog {
  let queue: RefusedRow[] = []
  let writing: Promise<void> = Promise.resolve()
  let wake = () => {}
  let closed = false
  const registers = [metrics.registry]
  const lost = new Counter({
    name: 'pit_refusals_lost_total',
    help: 'Refused calls that were not stored: the queue was full, or the write failed.',
    registers,
  })
  new Gauge({
    name: 'pit_refusals_queued',
    help: 'Refused calls not written yet.',
    registers,
    collect() {
      this.set(queue.length)
    },
  })

  function bound(): void {
    if (queue.length <= maxQueued) return
    lost.inc(queue.length - maxQueued)
    queue = queue.slice(-maxQueued)
  }

  async function writeAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, AT_ONCE)
      try {
        await addRefused(db, batch)
      } catch (error) {
        if (isStoreUnavailable(error)) {
          queue.unshift(...batch)
          bound()
          throw error
        }
        // The same rows would fail again and block all later ones.
        logger.error({ err: error, rows: batch.length }, 'failed to store refused calls')
        lost.inc(batch.length)
        continue
      }
      await trim(batch)
    }
  }
  /** Writes are serialized: the last write waits for the running job. */
  function write(): Promise<void> {
    const own = writing.then(writeAll)
    writing = own.catch(() => {})
    return own
  }

  async function trim(batch: readonly RefusedRow[]): Promise<void> {
    const wallets = [...new Set(batch.map(({ wallet }) => wallet))]
    // Rows beyond the limit are deleted with the wallet's next refusal.
    await trimRefused(db, wallets, KEEP_PER_WALLET).catch((error) =>
      logger.warn({ err: error }, 'failed to delete old refused calls'),
    )
  }

  async function sweep(): Promise<number> {
    let swept = 0
    for (let deleted = SWEEP_AT_ONCE; deleted === SWEEP_AT_ONCE; swept += deleted) {
      deleted = await deleteRefusedBefore(db, clock.nowMs() - KEEP_MS, SWEEP_AT_ONCE)
    }
    return swept
  }
  const writeJob: Job = {
    name: 'write refused calls',
    intervalMs: null,
    wakeAfterMs: 200,
    maxRetryMs: 10_000,
    run: write,
    wakeOn(loop) {
      wake = loop
      return () => {
        wake = () => {}
      }
    },
  }
  const sweepJob: Job = {
    name: 'sweep refused calls',
    intervalMs: 60_000,
    firstAfterMs: 60_000,
    lease: true,
    run: sweep,
  }

  return {
    record(refusal) {
      const wallet = lower(refusal.wallet)
      const tokenIn = texts.addressOf(refusal.tokenIn)
      const tokenOut = texts.addressOf(refusal.tokenOut)
      // One invalid row would fail the whole batch.
      if (closed || !ADDRESS.test(wallet) || tokenIn === undefined || tokenOut === undefined) return
      queue.push({
        keyId: refusal.keyId,
        wallet,
        path: refusal.path,
        code: refusal.code,
        tokenIn,
        tokenOut,
        amountIn: stored(refusal.amountIn),
        amountOutMin: stored(refusal.amountOutMin),
        sessionId: refusal.sessionId ?? null,
        atMs: clock.nowMs(),
      })
      bound()
      wake()
    },
    sweep,
    jobs: { everywhere: [writeJob], worker: [sweepJob] },
    async close() {
      closed = true
      await withinMs(CLOSE_WITHIN_MS, write(), () => new Error('the store is too slow')).catch(() => {})
      if (queue.length === 0) return
      lost.inc(queue.length)
      logger.warn({ rows: queue.length }, 'refused calls were lost at shutdown')
    },
  }
}

/** An amount beyond a token's range is stored as null. */
const stored = (atoms: bigint | null | undefined): bigint | null =>
  atoms == null || atoms < 0n || atoms >= LARGEST ? null : atoms
