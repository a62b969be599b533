import type { CapabilityJobs, Job } from '@pit/platform/jobs'

/**
 * All background jobs of the capabilities for a process of these roles. A worker that stands aside runs none.
 */
export const tableOf = (
  capabilities: readonly { jobs: CapabilityJobs }[],
  { jobs, isAside, isAlone }: { jobs: boolean; isAside(): boolean; isAlone: boolean },
): Job[] =>
  capabilities.flatMap(({ jobs: { everywhere, worker } }) =>
    jobs
      ? [...everywhere, ...worker.map((job) => unlessAside(isAlone ? job : steady(job), isAside))]
      : everywhere,
  )

/** Other processes on the store may be in use, so its work does not slow down. */
const steady = ({ idleMs: _, ...job }: Job): Job => job

const unlessAside = (job: Job, isAside: () => boolean): Job => ({
  ...job,
  run: async (signal) => (isAside() ? 'done' : job.run(signal)),
})
