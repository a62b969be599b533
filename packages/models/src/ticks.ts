import type { Metrics } from '@pit/platform/monitoring'
import { Counter } from 'prom-client'

const NAME = 'pit_brain_ticks_total'

/** Counts ticks of webhook and model brains; one counter per registry. */
export const brainTicks = ({ registry }: Pick<Metrics, 'registry'>): Counter<'brain' | 'code'> =>
  (registry.getSingleMetric(NAME) as Counter<'brain' | 'code'> | undefined) ??
  new Counter({
    name: NAME,
    help: 'Ticks of webhook and model brains by outcome: ok or the code.',
    labelNames: ['brain', 'code'],
    registers: [registry],
  })
