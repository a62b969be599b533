import { nowS } from '@pit/platform/clock'
import type { Job } from '@pit/platform/jobs'
import type { RelayDeps } from './deps.ts'
import type { RelayMetrics } from './metrics.ts'
import { addressesOf } from './receipts/amounts.ts'
import { createOpenFollower, type FollowDeps, type OpenFollower } from './receipts/followOpen.ts'
import { createGivenUpWatcher, settleMined } from './receipts/settleRows.ts'
import { valueVolumes, volumeScales } from './receipts/valueVolumes.ts'
import { sweepPlans, sweepRefused } from './sweepPlans.ts'

const MAX_RETRY_MS = 1_000
const IDLE_MS = 10_000

/** Jobs that finish relayed transactions: receipts, rechecked blocks, volumes, old plans. */
export function createRelayJobs(
  deps: RelayDeps,
  own: { counted: RelayMetrics } & Pick<FollowDeps, 'isRelaying' | 'mined'>,
): { rows: Job[]; follower: Pick<OpenFollower, 'written' | 'sent'> } {
  const { db, clock, market } = deps
  const follow: FollowDeps = { ...deps, addresses: addressesOf(deps), ...own }
  const open = createOpenFollower(follow)
  const scales = volumeScales(deps.profile)
  let valuedTo = 0
  own.counted.watchOpen(open.size)
  const rows: Omit<Job, 'maxRetryMs'>[] = [
    {
      name: 'follow receipts',
      // A block wakes it, too.
      intervalMs: () => (open.size() > 0 ? 50 : 250),
      idleMs: () => (open.isWaiting() ? 0 : IDLE_MS),
      run: open.round,
      wakeOn: (wake) =>
        market.onBlock(() => {
          if (!open.isWaiting()) return
          open.lookSoon()
          wake()
        }),
    },
    {
      name: 'settle mined',
      intervalMs: 2_000,
      idleMs: IDLE_MS,
      run: async () => ((await settleMined(follow)) ? 'more' : 'done'),
    },
    { name: 'watch given up', intervalMs: 10_000, run: createGivenUpWatcher(follow) },
    {
      // The maximum delay of a tier. Checks every trade whose minute has no mark yet.
      name: 'value volumes',
      intervalMs: 2_000,
      idleMs: IDLE_MS,
      run: async () => {
        valuedTo = (await valueVolumes(db, scales, nowS(clock), { after: valuedTo })).next
      },
    },
    { name: 'sweep plans', intervalMs: 30_000, run: () => sweepPlans(deps) },
    { name: 'sweep refused transactions', intervalMs: 30_000, run: () => sweepRefused(deps) },
  ]
  return { rows: rows.map((row) => ({ ...row, maxRetryMs: MAX_RETRY_MS })), follower: open }
}
