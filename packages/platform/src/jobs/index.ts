export { type Activity, createActivity } from './activity.ts'
export { type CapabilityJobs, type Job, type JobState, type Jobs, runJobs, sweepJob } from './jobs.ts'
export { createLeases, createLocalLeases } from './leases.ts'
