import type { ChainProfile } from '@pit/protocol'
import type { Config } from '../config.ts'
import type { Handlers } from '../http/types.ts'
import { describeConfig } from '../service/describeConfig.ts'
import type { Health } from '../service/health.ts'

export interface ServiceRoutesDeps {
  profile: ChainProfile
  settings: Pick<Config, 'authDomain' | 'requirePartnerAgent' | 'submitEnabled'>
  version: string
  health: Pick<Health, 'report'>
  /** Null until the signer has answered. */
  cosigner(): `0x${string}` | null
  stats: { read(): Promise<string> }
}

/** GET config, health and stats: none waits for the chain. */
export function serviceRoutes({
  profile,
  settings,
  version,
  health,
  cosigner,
  stats,
}: ServiceRoutesDeps): Pick<Handlers, 'config' | 'health' | 'stats'> {
  const serialise = (known: `0x${string}` | null) => ({
    cosigner: known,
    answer: {
      serialised: Buffer.from(
        JSON.stringify(describeConfig({ profile, settings, version, cosigner: known })),
      ),
    },
  })
  let config = serialise(cosigner())
  return {
    config: () => {
      // Only this part can change while the server runs.
      if (config.cosigner !== cosigner()) config = serialise(cosigner())
      return config.answer
    },
    health: () => {
      const { status, checks } = health.report()
      return {
        serialised: JSON.stringify({ status, service: 'pit', version, checks }),
        status: status === 'down' ? 503 : 200,
      }
    },
    stats: async () => ({ serialised: await stats.read() }),
  }
}
