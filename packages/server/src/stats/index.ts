export { createStatsHandler, type StatsDeps } from './createStats.ts'
export { watchLatency } from './watchLatency.ts'
