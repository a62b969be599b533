import { type Body, fail } from '@pit/protocol'
import type { TradeAsk } from '../types.ts'

/** The policies a request names, null for the default ones; the same for quotes and plans. */
export function readPolicies({
  policies,
  shield,
}: Pick<Body<'live.quote'>, 'policies' | 'shield'>): TradeAsk['policies'] {
  if (policies === undefined || policies === false) return null
  if (policies.length > 0 && !shield) {
    fail('BAD_REQUEST', {
      field: 'policies',
      message: '`policies` are the shield’s: send shield true with them.',
    })
  }
  return policies
}
