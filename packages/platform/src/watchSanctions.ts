import { Gauge } from 'prom-client'
import type { Clock } from './clock.ts'
import type { Metrics } from './metrics.ts'
import type { Sanctions } from './sanctions.ts'

/** How old the list in force is, and how long: past 48 hours somebody should be woken. */
export function watchSanctions(
  { registry }: Pick<Metrics, 'registry'>,
  { sanctions, clock }: { sanctions: Pick<Sanctions, 'state'>; clock: Clock },
): void {
  new Gauge({
    name: 'pit_sanctions_age_seconds',
    help: 'Since the sanctions list in force was taken.',
    registers: [registry],
    collect() {
      this.set(clock.nowMs() / 1000 - sanctions.state().takenAtS)
    },
  })
  new Gauge({
    name: 'pit_sanctions_addresses',
    help: 'Addresses of the sanctions list in force.',
    registers: [registry],
    collect() {
      this.set(sanctions.state().addresses)
    },
  })
}
