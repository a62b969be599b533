import type { PartnerFinding } from '@pit/market'
import type { Answer } from '@pit/protocol'
import type { ApiKey } from '../http/types.ts'
import type { AuthDeps } from './deps.ts'
import { accountName } from './rules.ts'

/** Asks the store nothing, and waits only when the registry has not been asked about this wallet lately. */
export function readMe(
  { findPartner }: Pick<AuthDeps, 'findPartner'>,
  key: ApiKey,
): Answer<'auth.me'> | Promise<Answer<'auth.me'>> {
  if (key.wallet === null) return answer(key, null)
  const partner = findPartner(key.wallet)
  return partner instanceof Promise ? partner.then((found) => answer(key, found)) : answer(key, partner)
}

function answer(key: ApiKey, partner: PartnerFinding | null): Answer<'auth.me'> {
  return {
    wallet: key.wallet,
    account: { id: key.accountId, name: accountName(key.accountId, key.wallet) },
    key_id: key.keyId,
    expires_at: key.expiresAtS,
    partner_agent: partner?.status === 'ok' ? partner.agent : null,
  }
}
