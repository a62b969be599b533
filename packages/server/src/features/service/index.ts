import type { ChainProfile } from '@pit/protocol'
import type { Config } from '../../config.ts'
import type { Handlers } from '../../http/types.ts'
import { describeConfig } from './describeConfig.ts'
import type { Health } from './health.ts'

export { type Health, type Probe, watchHealth } from './health.ts'

/** GET config and GET health: neither waits for anything. */
export function createServiceHandlers({
  profile,
  settings,
  version,
  health,
}: {
  profile: ChainProfile
  settings: Pick<Config, 'authDomain' | 'requirePartnerAgent' | 'submitEnabled'>
  version: string
  health: Health
}): Pick<Handlers, 'config' | 'health'> {
  const config = { serialised: Buffer.from(JSON.stringify(describeConfig({ profile, settings, version }))) }
  return {
    config: () => config,
    health: () => {
      const { status, checks } = health.report()
      return {
        serialised: JSON.stringify({ status, service: 'pit', version, checks }),
        status: status === 'down' ? 503 : 200,
      }
    },
  }
}
export { probesOf } from './probesOf.ts'
