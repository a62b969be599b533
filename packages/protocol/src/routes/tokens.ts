import {
  TokenParams,
  TokenQuery,
  TokenRecord,
  TokenSearch,
  TokenSearchQuery,
  TokenStats,
} from '../schemas/token.ts'
import { PLACES } from './places.ts'
import { route } from './route.ts'

export const TOKEN_ROUTES = {
  'tokens.get': route({
    ...PLACES['tokens.get'],
    area: 'tokens',
    auth: 'key',
    buckets: ['token_get.address', 'token_get.key'],
    lateBuckets: ['screen.caller', 'screen.overall'],
    strictQuery: true,
    summary: 'One token’s record; an unknown token is screened first, within about 8 s.',
    params: TokenParams,
    query: TokenQuery,
    answer: TokenRecord,
    errors: ['ADDRESS_REQUIRED', 'NOT_A_TOKEN', 'SCREEN_UNAVAILABLE', 'AUDIT_UNAVAILABLE', 'RPC_UNAVAILABLE'],
    byContract: ['UNKNOWN_TOKEN'],
    statusOf: { UNKNOWN_TOKEN: [404] },
  }),
  'tokens.search': route({
    ...PLACES['tokens.search'],
    area: 'tokens',
    auth: 'key',
    buckets: ['token_search.address', 'token_search.key'],
    summary: 'Search the registry by name, symbol or address prefix; never screens.',
    query: TokenSearchQuery,
    answer: TokenSearch,
    errors: ['AUDIT_UNAVAILABLE'],
  }),
  'tokens.stats': route({
    ...PLACES['tokens.stats'],
    area: 'tokens',
    auth: 'key',
    summary: 'Number of tokens by tier, kind and risk; counted at most every 30 s.',
    answer: TokenStats,
    errors: ['STATS_PENDING'],
  }),
}
