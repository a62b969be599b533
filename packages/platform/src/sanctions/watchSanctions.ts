import { Gauge } from 'prom-client'
import type { Clock } from '../clock/clock.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Sanctions } from './sanctions.ts'

/** Age and size of the list in force; alert past 48 hours. */
export function watchSanctions(
  { registry }: Pick<Metrics, 'registry'>,
  { sanctions, clock }: { sanctions: Pick<Sanctions, 'state'>; clock: Clock },
): void {
  new Gauge({
    name: 'pit_sanctions_age_seconds',
    help: 'Age of the sanctions list in force.',
    registers: [registry],
    collect() {
      this.set(clock.nowMs() / 1000 - sanctions.state().takenAtS)
    },
  })
  new Gauge({
    name: 'pit_sanctions_addresses',
    help: 'Addresses in the sanctions list in force.',
    registers: [registry],
    collect() {
      this.set(sanctions.state().addresses)
    },
  })
}
