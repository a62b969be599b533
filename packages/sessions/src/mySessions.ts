import type { Call } from '@pit/platform/call'
import { nowS } from '@pit/platform/clock'
import { type Answer, fail, ROUTES } from '@pit/protocol'
import type { SessionDeps } from './deps.ts'
import { limitsJson, riskTermsJson } from './grant/describeGrant.ts'
import { sessionsOf, usedBy } from './store.ts'
import { spendOf } from './trade/describeTrade.ts'
import { type Session, statusOf } from './types.ts'

type MySessions = Answer<'me.sessions'>
/** The wallet's hosted agents, as they are listed here. */
export type ReadHosted = (wallet: `0x${string}`) => Promise<MySessions['hosted']>

const MOST = 200

/** me/sessions: what the wallet granted, what can trade first, and how to end it. */
export async function mySessions(
  deps: SessionDeps & { readHosted?: ReadHosted },
  { caller }: Call<'me.sessions'>,
): Promise<MySessions> {
  const wallet = caller.key?.wallet ?? fail('WALLET_NOT_BOUND')
  const sessions = await sessionsOf(deps.db, { wallet, nowS: nowS(deps.clock), most: MOST })
  const used = await usedBy(
    deps.db,
    sessions.map(({ id }) => id),
    deps.clock.nowMs(),
  )
  const hosted = await deps.readHosted?.(wallet).catch((error) => {
    deps.logger.warn({ err: error }, 'hosted agents could not be read')
    return undefined
  })
  return {
    wallet,
    sessions: sessions.map((session) => {
      const { id, executor, createdAtS, expiresAtS, binding } = session
      return {
        session_id: id,
        status: statusOf(session, nowS(deps.clock)),
        executor,
        created: createdAtS,
        expires: expiresAtS,
        tokens: tokensOf(deps, session),
        limits: limitsJson(binding),
        used: spendOf(session, used.get(id) ?? { trades: 0, dayMicroUsd: 0n }),
        risk_terms: riskTermsJson(binding),
      }
    }),
    hosted: hosted ?? [],
    hosted_available: hosted !== undefined,
    routes: {
      revoke_session: `POST ${ROUTES['live.session.revoke'].path}`,
      pause_agent: `POST ${ROUTES['hosted.pause'].path}`,
      stop_agent: `POST ${ROUTES['hosted.stop'].path}`,
    },
  }
}

function tokensOf({ profile }: Pick<SessionDeps, 'profile'>, { binding }: Session): string[] {
  return binding.tokens.map(
    (address) =>
      profile.core_tokens.find((token) => token.address.toLowerCase() === address)?.symbol ?? address,
  )
}
