import type { Answer } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import type { SessionRequest } from './sessionTrade.ts'

/**
 * Lists every rule of the service and the co-signer for a session trade. Nothing is signed or counted.
 * @param request as for `sessionTrade`
 * @param options `signal`
 * @returns the rules with their values and limits, as the service reports them
 * @example
 * ```ts
 * const rehearsal = await bot.rehearseTrade({
 *   session_id: active.session_id,
 *   token_in: 'ETH',
 *   token_out: 'USDG',
 *   notional_usd: 5,
 * })
 * console.log(rehearsal)
 * ```
 */
export async function rehearseTrade(
  { api, checked }: ClientDeps,
  request: SessionRequest,
  options: VerbOptions = {},
): Promise<Answer<'live.session.trade'>> {
  await checked()
  return api['live.session.trade']({ body: { ...request, check_only: true } }, options)
}
