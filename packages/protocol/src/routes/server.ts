import { Config, Health, Stats } from '../schemas/server.ts'
import { Treasury } from '../schemas/treasury.ts'
import { PLACES } from './places.ts'
import { route } from './route.ts'

const PUBLIC_BUCKETS = ['public.address', 'public.overall'] as const

export const SERVER_ROUTES = {
  config: route({
    ...PLACES.config,
    area: 'server',
    auth: 'none',
    buckets: PUBLIC_BUCKETS,
    summary: 'Chain, contracts, core tokens, fees, risks and limits, for clients to pin.',
    answer: Config,
  }),
  health: route({
    ...PLACES.health,
    area: 'server',
    auth: 'none',
    buckets: ['health.address'],
    summary: 'Status of the service: ok, degraded or down (503).',
    answer: Health,
  }),
  stats: route({
    ...PLACES.stats,
    area: 'server',
    auth: 'none',
    buckets: PUBLIC_BUCKETS,
    summary: 'Prices, spreads, latency and counts, rebuilt at most every 5 s.',
    answer: Stats,
  }),
  treasury: route({
    ...PLACES.treasury,
    area: 'server',
    auth: 'none',
    buckets: PUBLIC_BUCKETS,
    summary: 'Fees by week and their split, as a hash-chained record.',
    answer: Treasury,
  }),
}
