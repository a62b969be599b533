import type { Hex } from '@pit/chain'
import { type Party, signaturesFor, startGrant } from '../../e2e/session/party.ts'

/** Activates a session with bounds that no measurement reaches, and other terms if given; returns its id. */
export async function grantSession(owner: Party, executor: Hex, terms: object = {}): Promise<string> {
  const granted = await startGrant(owner, executor, {
    max_trade_usd: 1_000,
    max_day_usd: 100_000,
    max_trades: 10_000,
    setup_budget_usd: 0,
    ...terms,
  })
  if (granted.status !== 200) throw new Error(JSON.stringify(granted.body.error))
  const on = await owner.post('live/session/grant', await signaturesFor(owner, granted.body))
  if (on.status !== 200) throw new Error(JSON.stringify(on.body.error))
  return granted.body.session_id
}
