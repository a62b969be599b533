import type { Metrics } from '@pit/platform/monitoring'
import { Gauge } from 'prom-client'

/** Conditions that operators are alerted about. */
export interface Standing {
  broken: boolean
  waits: boolean
}

/** Alarms for a broken record and a waiting week; none before the first run. */
export function watchTreasury(
  { registry }: Pick<Metrics, 'registry'>,
  standing: () => Standing | null,
): void {
  const gauge = (name: string, help: string, read: (now: Standing) => boolean) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const now = standing()
        if (now) this.set(read(now) ? 1 : 0)
        else this.reset()
      },
    })
  gauge('pit_treasury_broken', '1 while the record does not hold: nothing is added.', ({ broken }) => broken)
  gauge('pit_treasury_week_waits', '1 while a week has ended and is not recorded.', ({ waits }) => waits)
}
