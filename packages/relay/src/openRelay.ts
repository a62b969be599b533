import type { Hex } from '@pit/chain'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { RelayDeps } from './deps.ts'
import { createFeeWaiter } from './feeWaiter.ts'
import { createPlanCache } from './findPlanned.ts'
import { createRelayJobs } from './jobs.ts'
import { createLateWrites } from './lateWrites.ts'
import { createRelayMetrics } from './metrics.ts'
import { createRelayOnce } from './relayOnce.ts'
import {
  type StorePlanRequest,
  type StoreRevocationRequest,
  storePlan,
  storeRevocation,
} from './storePlan.ts'
import { createSubmitBytes, type SubmitBytes } from './submitBytes.ts'
import { submitByWallet, type WalletRequest } from './submitByWallet.ts'
import { findRelayed } from './tradeReads.ts'
import type { RelayOutcome, RelayRequest } from './types.ts'

export interface Relay {
  submitBytes: SubmitBytes
  submitByWallet(request: WalletRequest): Promise<Hex>
  /** Called before a plan is returned: only stored plans can be relayed. */
  storePlan(request: StorePlanRequest): Promise<void>
  storeRevocation(request: StoreRevocationRequest): Promise<void>
  /** Writes, sends and finishes signed bytes that another path has checked. */
  relayOnce(request: RelayRequest): Promise<RelayOutcome>
  /** The record of bytes relayed before, here or in another process; null if they never were. */
  findRelayed(hash: Hex): ReturnType<typeof findRelayed>
  jobs: CapabilityJobs
  /** Waits for running relays and marks them. Stop the jobs first. */
  close(): Promise<void>
}

/** Stores plans, relays signed bytes, follows receipts and books fees. */
export function openRelay(deps: RelayDeps): Relay {
  const plans = createPlanCache()
  const counted = createRelayMetrics(deps.metrics)
  const late = createLateWrites(deps)
  const relayOnce = createRelayOnce({
    ...deps,
    late,
    counted,
    onWritten: (row) => follower.written(row),
    onSent: (id) => follower.sent(id),
  })
  const { rows, follower } = createRelayJobs(deps, {
    counted,
    isRelaying: relayOnce.isRelaying,
    mined: late.mined,
  })
  const submitBytes = createSubmitBytes({ ...deps, plans, relayOnce, waitForFee: createFeeWaiter(deps) })
  return {
    submitBytes,
    submitByWallet: (request) => submitByWallet({ ...deps, submitBytes }, request),
    storePlan: (request) => storePlan({ ...deps, plans }, request),
    storeRevocation: (request) => storeRevocation({ ...deps, plans }, request),
    relayOnce,
    async findRelayed(hash) {
      const relayed = await findRelayed(deps.db, hash)
      if (relayed !== 'in_flight') return relayed
      // This process may have sent it without marking it yet.
      await late.flush()
      return findRelayed(deps.db, hash)
    },
    jobs: { everywhere: [late.job], worker: rows },
    async close() {
      await relayOnce.idle()
      await late.flush()
    },
  }
}
