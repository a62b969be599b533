import type { Charge } from '@pit/http'
import type { Handlers } from '../http/types.ts'
import type { Capabilities } from '../openCapabilities.ts'
import type { Ground } from '../openGround.ts'
import { accountRoutes } from './account.ts'
import { authRoutes } from './auth.ts'
import { describeStanding } from './describeAgent.ts'
import { fastRoutes } from './fast.ts'
import { hostedRoutes } from './hosted.ts'
import { hostedAiRoutes } from './hostedAi.ts'
import { hostedOrderRoutes } from './hostedOrders.ts'
import { leagueRoutes } from './league.ts'
import { relayRoutes } from './relay.ts'
import { type ServiceRoutesDeps, serviceRoutes } from './service.ts'
import { sessionRoutes } from './sessions.ts'
import { tokenRoutes } from './tokens.ts'
import { tradingRoutes } from './trading.ts'

/** Every route bound to its function; a missing one does not compile. */
export function createRoutes(
  { crypto, profile, logger }: Ground,
  capabilities: Capabilities,
  { charge, ...service }: Omit<ServiceRoutesDeps, 'profile' | 'cosigner'> & { charge: Charge },
): Handlers {
  const { auth, tokens, trade, relay, account, fast, sessions, brains, models, hosted, league } = capabilities
  return {
    ...serviceRoutes({ ...service, profile, cosigner: sessions.cosigner }),
    ...authRoutes({ auth, charge }),
    ...tokenRoutes({ tokens, crypto, profile, charge }),
    ...tradingRoutes({ trade, crypto, profile, charge }),
    ...relayRoutes(relay),
    ...accountRoutes(account),
    ...fastRoutes({ fast, charge }),
    ...sessionRoutes({
      ...{ sessions, crypto, profile, charge, logger },
      readHosted: async (wallet) => (await hosted.standing(wallet)).map(describeStanding),
    }),
    ...hostedAiRoutes({ brains, models, hosted }),
    ...hostedRoutes({ hosted, profile, charge }),
    ...hostedOrderRoutes({ hosted, profile }),
    ...leagueRoutes(league),
    treasury: async () => ({ serialised: await capabilities.treasury.record() }),
  }
}
