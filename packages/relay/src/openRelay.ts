import type { RelayDeps } from './deps.ts'
import { createFeeWaiter } from './feeWaiter.ts'
import { createLateWrites } from './lateWrites.ts'
import { createRelayMetrics } from './metrics.ts'
import { createPlanCache } from './planCache.ts'
import { createRelayOnce } from './relayOnce.ts'
import { type Jobs, runJobs } from './runJobs.ts'
import { type StorePlanAsk, type StoreRevocationAsk, storePlan, storeRevocation } from './storePlan.ts'
import { createSubmitBytes, type SubmitBytes } from './submitBytes.ts'
import type { RelayAsk, RelayOutcome } from './types.ts'

export interface Relay {
  submitBytes: SubmitBytes
  /** Called before a plan is answered: only stored plans can be relayed. */
  storePlan(ask: StorePlanAsk): Promise<void>
  storeRevocation(ask: StoreRevocationAsk): Promise<void>
  /** Writes, sends and finishes signed bytes that another path has checked. */
  relayOnce(ask: RelayAsk): Promise<RelayOutcome>
  close(): Promise<void>
}

/** Stores plans, relays signed bytes, follows receipts and books fees. */
export function openRelay(deps: RelayDeps): Relay {
  const plans = createPlanCache()
  const counted = createRelayMetrics(deps.metrics)
  const late = createLateWrites(deps)
  let jobs: Jobs | undefined
  const relayOnce = createRelayOnce({ ...deps, late, counted, onWritten: () => jobs?.wake() })
  if (deps.writes) jobs = runJobs(deps, { counted, relayOnce })
  return {
    submitBytes: createSubmitBytes({ ...deps, plans, relayOnce, waitForFee: createFeeWaiter(deps.rpc) }),
    storePlan: (ask) => storePlan({ ...deps, plans }, ask),
    storeRevocation: (ask) => storeRevocation({ ...deps, plans }, ask),
    relayOnce,
    async close() {
      await relayOnce.idle()
      await late.close()
      await jobs?.stop()
    },
  }
}
