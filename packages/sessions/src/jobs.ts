import { nowS } from '@pit/platform/clock'
import type { CapabilityJobs, Job } from '@pit/platform/jobs'
import type { SessionDeps } from './deps.ts'
import { endSession } from './revoke/revokeSession.ts'
import { reconcile, sessionsWithLostLeaves } from './spend.ts'
import {
  deleteEnded,
  deleteUnsigned,
  markSignerRevoked,
  stuckRegistering,
  unconfirmedRevocations,
} from './store.ts'
import { dropAnswers } from './trade/clientIdTrades.ts'

const EVERY_MS = 5_000
const IDLE_MS = 30_000
const ADDRESS_EVERY_MS = 1_000
const ADDRESS_AGAIN_MS = 30_000
const SWEEP_EVERY_MS = 600_000
const AT_ONCE = 100
const SWEPT_AT_ONCE = 1_000
const UNSIGNED_FOR_S = 86_400
/** Longer than any call's timeout and validity: older requests are no longer running. */
const LOST_AFTER_MS = 60_000
/** A caller whose response was lost retries within this time. */
const REGISTERING_FOR_S = 300
const ENDED_FOR_S = 90 * 86_400
const ANSWERS_FOR_MS = 86_400_000

type JobDeps = Pick<SessionDeps, 'db' | 'clock' | 'cosigner'>

/** Retries unconfirmed revocations, settles lost responses, ends stuck sessions, and sweeps. */
export function sessionJobs(deps: JobDeps & Pick<SessionDeps, 'hosted'>, settler: Job): CapabilityJobs {
  const often = (name: string, run: (deps: JobDeps) => Promise<void>): Job => ({
    name,
    intervalMs: EVERY_MS,
    idleMs: IDLE_MS,
    run: () => run(deps),
  })
  return {
    everywhere: [addressJob(deps)],
    worker: [
      often('send revocations', sendRevocations),
      settler,
      often('settle lost leaves', settleLost),
      often('end stuck sessions', endStuck),
      { name: 'sweep sessions', intervalMs: SWEEP_EVERY_MS, run: () => sweep(deps) },
    ],
  }
}

/** Requests the co-signer's address until it is known; later only verifies that it is unchanged. */
export function addressJob({ cosigner, clock }: Pick<SessionDeps, 'cosigner' | 'clock'>): Job {
  let readAtMs = Number.NEGATIVE_INFINITY
  return {
    name: 'read the co-signer’s address',
    intervalMs: ADDRESS_EVERY_MS,
    idleMs: ADDRESS_AGAIN_MS,
    async run() {
      const ageMs = clock.nowMs() - readAtMs
      if (ageMs >= 0 && ageMs < ADDRESS_AGAIN_MS) return
      if (await cosigner.refreshAddress()) readAtMs = clock.nowMs()
    },
  }
}

async function sweep({ db, clock, hosted }: JobDeps & Pick<SessionDeps, 'hosted'>): Promise<void> {
  const now = nowS(clock)
  await deleteUnsigned(db, now - UNSIGNED_FOR_S, now)
  await dropAnswers(db, clock.nowMs() - ANSWERS_FOR_MS, SWEPT_AT_ONCE)
  await deleteEnded(db, now - ENDED_FOR_S, SWEPT_AT_ONCE, hosted.sessionsInUse)
}

export async function sendRevocations({ db, clock, cosigner }: JobDeps): Promise<void> {
  for (const { id, rootHash } of await unconfirmedRevocations(db, nowS(clock), AT_ONCE)) {
    // Stop if the signer is unreachable.
    if ((await cosigner.revoke(rootHash)) === null) return
    await markSignerRevoked(db, id, nowS(clock))
  }
}

export async function settleLost({ db, clock, cosigner }: JobDeps): Promise<void> {
  const sentBeforeMs = clock.nowMs() - LOST_AFTER_MS
  for (const { id, rootHash } of await sessionsWithLostLeaves(db, sentBeforeMs, AT_ONCE)) {
    const root = await cosigner.root(rootHash)
    if (!root) continue
    await reconcile(db, { sessionId: id, leaves: root.sequence, sentBeforeMs })
  }
}

/** Ends roots that the co-signer may have registered although the response was lost. */
export async function endStuck(deps: JobDeps): Promise<void> {
  const sentBeforeS = nowS(deps.clock) - REGISTERING_FOR_S
  for (const session of await stuckRegistering(deps.db, sentBeforeS, AT_ONCE)) {
    await endSession(deps, session)
  }
}
