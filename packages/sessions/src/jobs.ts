import { nowS } from '@pit/platform/clock'
import { isStoreUnavailable } from '@pit/platform/db'
import type { SessionDeps } from './deps.ts'
import { endSession } from './revoke/revokeSession.ts'
import { reconcile, unanswered } from './spend.ts'
import { deleteEnded, deleteUnsigned, markSignerTold, stuckRegistering, untoldRevocations } from './store.ts'

const EVERY_MS = 5_000
const SWEEP_EVERY_MS = 600_000
const AT_ONCE = 100
const SWEPT_AT_ONCE = 1_000
const UNSIGNED_FOR_S = 86_400
/** Longer than any call takes and the co-signer believes: nothing asked before this is under way. */
const LOST_AFTER_MS = 60_000
/** Whoever switches a session on asks again within this when its answer was lost. */
const REGISTERING_FOR_S = 300
const ENDED_FOR_S = 90 * 86_400

type JobDeps = Pick<SessionDeps, 'db' | 'clock' | 'cosigner' | 'logger'>

/** Tells the co-signer what it missed, settles what it answered and nobody heard, and sweeps. */
export function runJobs(deps: JobDeps & Pick<SessionDeps, 'hosted'>): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let sweptAtMs = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> = Promise.resolve()

  async function once(): Promise<void> {
    try {
      await tellRevocations(deps)
      await settleLost(deps)
      await endStuck(deps)
      if (performance.now() - sweptAtMs > SWEEP_EVERY_MS) {
        sweptAtMs = performance.now()
        const now = nowS(deps.clock)
        await deleteUnsigned(deps.db, now - UNSIGNED_FOR_S, now)
        await deleteEnded(deps.db, now - ENDED_FOR_S, SWEPT_AT_ONCE, deps.hosted.sessionsInUse)
      }
    } catch (error) {
      if (!isStoreUnavailable(error)) deps.logger.error({ err: error }, 'a job of sessions failed')
    }
    if (!stopped) timer = setTimeout(begin, EVERY_MS)
  }
  function begin(): void {
    underWay = once()
  }
  begin()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await underWay
    },
  }
}

export async function tellRevocations({ db, clock, cosigner }: JobDeps): Promise<void> {
  for (const { id, rootHash } of await untoldRevocations(db, nowS(clock), AT_ONCE)) {
    // One that does not answer answers none.
    if (!(await cosigner.revoke(rootHash))) return
    await markSignerTold(db, id, nowS(clock))
  }
}

export async function settleLost({ db, clock, cosigner }: JobDeps): Promise<void> {
  const askedBeforeMs = clock.nowMs() - LOST_AFTER_MS
  for (const { id, rootHash } of await unanswered(db, askedBeforeMs, AT_ONCE)) {
    const root = await cosigner.root(rootHash)
    if (!root) continue
    await reconcile(db, { sessionId: id, leaves: root.sequence, askedBeforeMs })
  }
}

/** A root the co-signer may have taken while nobody here heard of it is ended there, not left behind. */
export async function endStuck(deps: JobDeps): Promise<void> {
  const askedBeforeS = nowS(deps.clock) - REGISTERING_FOR_S
  for (const session of await stuckRegistering(deps.db, askedBeforeS, AT_ONCE)) {
    await endSession(deps, session)
  }
}
