import type { Job } from '@pit/platform/jobs'

/** What a capability has running in the background. */
export interface CapabilityJobs {
  /** In every process: they fill its memory. */
  everywhere: readonly Job[]
  /** Where the jobs role is. */
  worker: readonly Job[]
}

/** The table of all background work: what every capability has to run in a process of these roles. */
export const tableOf = (capabilities: readonly { jobs: CapabilityJobs }[], roles: { jobs: boolean }): Job[] =>
  capabilities.flatMap(({ jobs: { everywhere, worker } }) =>
    roles.jobs ? [...everywhere, ...worker] : everywhere,
  )

const SWEEP_EVERY_MS = 60_000

/** Deletes what nobody can ask for any more. One process at a time is enough. */
export const sweepJob = (name: string, sweep: () => Promise<unknown>): Job => ({
  name,
  intervalMs: SWEEP_EVERY_MS,
  firstAfterMs: SWEEP_EVERY_MS,
  lease: true,
  run: sweep,
})

type Sweeping = Record<'hosted' | 'paper' | 'brains' | 'ticks', { sweep(): Promise<unknown> }>

export const sweepsOf = ({ hosted, paper, brains, ticks }: Sweeping): CapabilityJobs => ({
  everywhere: [],
  worker: [
    sweepJob('sweep hosted agents', hosted.sweep),
    sweepJob('thin out paper equity', paper.sweep),
    sweepJob('sweep AI spending', brains.sweep),
    sweepJob('sweep hosted orders', ticks.sweep),
  ],
})
