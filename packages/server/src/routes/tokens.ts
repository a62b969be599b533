import type { Address, Crypto } from '@pit/chain'
import type { Charge } from '@pit/http'
import type { Tokens } from '@pit/market'
import { type ChainProfile, fail, lower } from '@pit/protocol'
import type { Handlers } from '../http/types.ts'
import { screenAdmission } from './caller.ts'

interface TokenRoutesDeps {
  tokens: Pick<Tokens, 'showToken' | 'searchTokens' | 'countTokens'>
  crypto: Pick<Crypto, 'parseAddress'>
  profile: Pick<ChainProfile, 'core_tokens'>
  charge: Charge
}

export const tokenRoutes = ({
  tokens,
  crypto,
  profile,
  charge,
}: TokenRoutesDeps): Pick<Handlers, 'tokens.get' | 'tokens.search' | 'tokens.stats'> => ({
  'tokens.get': async ({ params, query, caller }) =>
    tokens.showToken({
      token: addressOf({ crypto, profile }, params.address),
      wallet: caller.key?.wallet ?? null,
      shielded: query.shield === '1',
      admit: screenAdmission(charge, caller),
    }),
  'tokens.search': async ({ query, caller }) => {
    const { q = '', tier, kind, limit } = query
    const terms = { q, ...(tier && { tier }), ...(kind && { kind }), limit }
    const shielded = query.shield === '1'
    const results = await tokens.searchTokens({ ...terms, wallet: caller.key?.wallet ?? null, shielded })
    return {
      query: { ...terms, shield: shielded },
      tokens: results.tokens,
      count: results.tokens.length,
      warnings: results.warnings,
      shield: shielded,
    }
  },
  'tokens.stats': () => tokens.countTokens(),
})

/** A core symbol or an address; mixed case only with its checksum. */
function addressOf({ crypto, profile }: Pick<TokenRoutesDeps, 'crypto' | 'profile'>, text: string): Address {
  if (/^0x/i.test(text)) {
    return (
      crypto.parseAddress(text) ??
      fail('BAD_REQUEST', {
        field: 'address',
        message: '`address` has a wrong checksum. Send it in lower case or with its checksum.',
      })
    )
  }
  const core = profile.core_tokens.find(({ symbol }) => symbol === text)
  return core ? lower(core.address) : fail('ADDRESS_REQUIRED', { field: 'address' })
}
