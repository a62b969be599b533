import type { CapabilityJobs, Job } from '@pit/platform/jobs'

/**
 * All background jobs of the capabilities for a process of these roles. A worker that stands aside runs none.
 */
export const tableOf = (
  capabilities: readonly { jobs: CapabilityJobs }[],
  { jobs, isAside }: { jobs: boolean; isAside(): boolean },
): Job[] =>
  capabilities.flatMap(({ jobs: { everywhere, worker } }) =>
    jobs ? [...everywhere, ...worker.map((job) => unlessAside(job, isAside))] : everywhere,
  )

const unlessAside = (job: Job, isAside: () => boolean): Job => ({
  ...job,
  run: async (signal) => (isAside() ? 'done' : job.run(signal)),
})
