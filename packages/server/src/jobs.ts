import type { CapabilityJobs, Job } from '@pit/platform/jobs'

/** The table of all background work: what every capability has to run in a process of these roles. */
export const tableOf = (capabilities: readonly { jobs: CapabilityJobs }[], roles: { jobs: boolean }): Job[] =>
  capabilities.flatMap(({ jobs: { everywhere, worker } }) =>
    roles.jobs ? [...everywhere, ...worker] : everywhere,
  )
