import type { Answer } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import type { SessionRequest } from './sessionTrade.ts'

/** Runs every rule of a session trade without signing or counting anything. */
export async function rehearseTrade(
  { api, checked }: ClientDeps,
  request: SessionRequest,
  options: VerbOptions = {},
): Promise<Answer<'live.session.trade'>> {
  await checked()
  return api['live.session.trade']({ body: { ...request, check_only: true } }, options)
}
