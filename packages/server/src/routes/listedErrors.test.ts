import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ErrorCode, errorRow, ROUTE_IDS, type RouteId, routeById } from '@pit/protocol'
import { expect, it } from 'vitest'

// Every code that a route lists must stand in a file the route can run. A code in the right file that no
// request can reach is beyond this test; a code that only another capability throws is not.

const PACKAGES = new URL('../../../', import.meta.url).pathname

const EDGE = ['http/src', 'server/src/http', 'auth/src', 'server/src/routes', 'platform/src']
const TOKENS = ['market/src/tokens']
const QUOTE = [...TOKENS, 'trading/src/quote']
const PLAN = [...QUOTE, 'trading/src/plan', 'trading/src/types.ts']
const SIMULATED = [...PLAN, 'trading/src/simulate']
const COSIGNED = ['signer/src/leaves', 'signer/src/ledger', 'signer/src/checks.ts', 'signer/src/http']
const STORED_ROOTS = ['signer/src/roots/readRoots.ts']
const SESSIONS = ['sessions/src/addresses.ts', 'sessions/src/cosigner.ts', 'sessions/src/readWallet.ts']
const HOSTED = ['agents/src', 'models/src', ...SESSIONS, ...SIMULATED, 'relay/src', 'signer/src']
const ENTRIES = ['league/src/deps.ts', 'league/src/entries/readRequest.ts', 'league/src/entries/statement.ts']

const FOLDERS: { readonly [Route in RouteId]?: readonly string[] } = {
  'tokens.get': TOKENS,
  'tokens.search': TOKENS,
  'tokens.stats': TOKENS,
  'live.quote': QUOTE,
  'live.build': PLAN,
  'live.prepare': SIMULATED,
  'live.simulate': SIMULATED,
  'live.submit': ['relay/src'],
  'live.fast': ['trading/src/fast', 'relay/src'],
  'live.fast.terms': ['trading/src/fast'],
  'live.revoke': ['trading/src/plan', 'trading/src/simulate'],
  'live.session.grant': [
    'sessions/src/grant',
    'trading/src/plan/planRequest.ts',
    ...SESSIONS,
    ...TOKENS,
    'signer/src/roots',
    ...COSIGNED,
  ],
  'live.session.trade': ['sessions/src/trade', ...SESSIONS, ...SIMULATED, ...COSIGNED, ...STORED_ROOTS],
  'live.session.revoke': ['sessions/src/revoke', ...SESSIONS],
  'live.session.orders.cancel': [
    'sessions/src/revoke/cancelOrders.ts',
    'sessions/src/revoke/ownSession.ts',
    'signer/src/orders/cancelOrders.ts',
    ...SESSIONS,
  ],
  'league.statement': ENTRIES,
  'league.enter': [...ENTRIES, 'league/src/entries/enter.ts', 'league/src/entries/statements.ts'],
  'league.confirm': ['league/src/entries', 'league/src/deps.ts'],
  'league.leave': ['league/src/entries', 'league/src/deps.ts'],
  'paper.order': ['league/src', 'agents/src/paper', 'trading/src/quote', 'trading/src/plan'],
}
const foldersOf = (id: RouteId): readonly string[] => {
  const { area } = routeById(id)
  const own =
    FOLDERS[id] ?? { hosted: HOSTED, account: ['accounts/src'], league: ['league/src'] }[area as string]
  return [...EDGE, ...(own ?? [])]
}

const texts = new Map<string, string>()
function textOf(path: string): string {
  const cached = texts.get(path)
  if (cached !== undefined) return cached
  const file = join(PACKAGES, path)
  const isFolder = statSync(file).isDirectory()
  const inside = isFolder ? readdirSync(file).filter((name) => name !== 'test') : []
  const text = isFolder
    ? inside.map((name) => textOf(`${path}/${name}`)).join('\n')
    : path.endsWith('.ts') && !path.endsWith('.test.ts')
      ? readFileSync(file, 'utf8')
      : ''
  texts.set(path, text)
  return text
}

const ownCodes = (id: RouteId): ErrorCode[] => {
  const { errors, byContract } = routeById(id)
  return errors.filter((code) => !byContract.includes(code))
}

it.each(ROUTE_IDS)('%s lists only codes that its own files can throw', (id) => {
  const { refusedFields, area } = routeById(id)
  const text = foldersOf(id).map(textOf).join('\n')
  const byTable = new Set<string>([...Object.values(refusedFields), 'FAST_DISABLED'])
  const strangers = ownCodes(id).filter((code) => !byTable.has(code) && !text.includes(`'${code}'`))
  expect(strangers, area).toEqual([])
})

it.each(ROUTE_IDS)('%s lists no code that this server never answers there', (id) => {
  const unanswered = ownCodes(id).filter((code) => errorRow(code).unusedBecause)
  const answered = { 'live.session.grant': ['UNKNOWN_TOKEN'], 'live.session.trade': ['FEE_MISMATCH'] }
  expect(unanswered).toEqual(answered[id as keyof typeof answered] ?? [])
})
