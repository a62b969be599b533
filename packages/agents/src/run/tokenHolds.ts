import { type Address, feedBackedTokens } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type ChainProfile, SESSION, stockSessionOf } from '@pit/protocol'
import { readStock, whyNotValid } from '../stock/stockStore.ts'
import type { AgentToken, HostedAgent } from '../types.ts'
import type { TickOptions } from './deps.ts'
import type { FindTokenHold, TokenHold } from './types.ts'

/** A token with an older screen is screened again before an agent trades it. */
const SCREEN_MAX_AGE_S = 2 * 86_400

export function createTokenHolds(
  deps: Pick<TickOptions, 'db' | 'clock' | 'profile' | 'tokens' | 'market'>,
): FindTokenHold {
  const { clock, profile, tokens, market } = deps
  const core = new Set(profile.core_tokens.map(({ address }) => address.toLowerCase()))
  const backed = feedBackedTokens(profile)
  const closes = closingOf(profile)
  const sessionOpen = stockSessionOf(profile)

  /** Checks the record of a token traded by address. */
  async function ofRecord({ terms }: HostedAgent, { token, address }: AgentToken): Promise<TokenHold | null> {
    if (core.has(address)) return null
    const stored = await tokens.find(address)
    if (!stored || stored.record.screened_at === null) {
      return { code: 'TOKEN_STALE', message: `${token} has not been screened.` }
    }
    const { record } = stored
    if (record.stock_beacon === null) {
      return { code: 'STOCK_UNREAD', message: `Failed to read whether ${token} is a stock token.` }
    }
    const ageS = nowS(clock) - (record.screened_at ?? 0)
    if (ageS > SCREEN_MAX_AGE_S) {
      return { code: 'TOKEN_STALE', message: `${token} was last screened ${ageS} s ago.` }
    }
    const imitation = record.risks.find(({ code }) => code === 'IMPERSONATOR')
    if (imitation && !terms.acceptRisks.includes('IMPERSONATOR')) {
      return { code: 'HELD_IMPERSONATOR', message: `${token}: ${imitation.message}` }
    }
    if (!record.tradable) return { code: 'TOKEN_BLOCKED', message: `${token} has no route.` }
    return null
  }

  /** The caller has checked the session itself. */
  async function isAttested(agent: HostedAgent): Promise<boolean> {
    const { last } = await readStock(deps.db, agent.id)
    const session = { status: 'active' } as const
    return last !== null && whyNotValid(last, { agent, session, nowS: nowS(clock) }) === null
  }

  /** Checks the owner's attestation and the market hours of a stock token. */
  async function ofStock(agent: HostedAgent, { token, address }: AgentToken): Promise<TokenHold | null> {
    if (agent.mode === 'live' && !(await isAttested(agent))) {
      return {
        code: 'STOCK_ATTESTATION',
        message:
          `${token} is a stock token: the owner’s signed attestation is missing, has expired or was ` +
          'revoked.',
      }
    }
    if (closes(address) && !sessionOpen(clock.nowMs())) {
      return {
        code: 'MARKET_CLOSED',
        message: `${token} trades from Sunday 20:00 to Friday 20:00 New York time.`,
      }
    }
    return null
  }

  /** Checks the price: frozen by the issuer, or a depegged dollar. */
  function ofPrice({ token, address }: AgentToken): TokenHold | null {
    const why = market.mark(address)?.staleWhy
    if (why === 'off_peg') {
      const message = `The feed of ${token} is more than 1% from a dollar, or silent: nothing is traded for it.`
      return { code: 'TOKEN_STALE', message }
    }
    if (why !== 'frozen') return null
    return { code: 'TOKEN_STALE', message: `The issuer of ${token} has frozen its price.` }
  }

  return async (agent, ends, session) => {
    for (const end of ends) {
      const hold =
        ofPrice(end) ?? (await ofRecord(agent, end)) ?? (end.stock ? await ofStock(agent, end) : null)
      if (hold) return hold
    }
    const feedless = ends.find(({ address }) => !backed.has(address))
    const lengthS = session ? session.expiresAtS - session.createdAtS : 0
    if (feedless && lengthS > SESSION.expiresInSMaxFeedless) {
      return {
        code: 'SESSION_TOO_LONG',
        message: `${feedless.token} has no oracle feed, so a session may last at most ${SESSION.expiresInSMaxFeedless} s; this one lasts ${lengthS} s.`,
      }
    }
    return null
  }
}

/** Whether a stock token has market hours; true unless the profile says otherwise. */
function closingOf({ core_tokens, listed_stocks }: ChainProfile): (address: Address) => boolean {
  const always = new Set(
    [...core_tokens, ...listed_stocks]
      .filter(({ feed }) => feed?.session === 'always')
      .map(({ address }) => address.toLowerCase()),
  )
  return (address) => !always.has(address)
}
