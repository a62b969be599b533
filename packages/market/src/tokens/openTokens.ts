import { randomBytes } from 'node:crypto'
import { openAgentRegistry } from '@pit/agent-registry'
import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { CapabilityJobs } from '@pit/platform/jobs'
import { type Answer, FEE, type RiskCode } from '@pit/protocol'
import { createAgentTokens } from './agentTokens.ts'
import { createTokenStats } from './countTokens.ts'
import type { TokenDeps } from './deps.ts'
import { keepRegistry } from './keepRegistry.ts'
import { type AuditReader, createAuditReader } from './readAudit.ts'
import { createRegistry, type Registry } from './registry.ts'
import { createTokenSearch, type TokenSearchTerms } from './searchTokens.ts'
import { showToken, showTokens, type TokenRequest, type TokenShown, type TokensFound } from './showTokens.ts'
import { saveToken } from './store.ts'

export type TokenOptions = Omit<TokenDeps, 'randomBytes' | 'majorBps' | 'isAgentToken'> &
  Partial<Pick<TokenDeps, 'randomBytes' | 'majorBps' | 'isAgentToken'>>

export interface Tokens {
  /** A token's record with this wallet's fee. */
  showToken(request: TokenRequest): Promise<TokenShown>
  searchTokens(request: TokenSearchTerms & Pick<TokenRequest, 'wallet' | 'shielded'>): Promise<TokensFound>
  /** Never older than half a minute; refuses STATS_PENDING before the first count. */
  countTokens(): Promise<Answer<'tokens.stats'>>
  /** A token's record; a token without one is screened first, after `admit` has passed. */
  get: Registry['get']
  find: Registry['find']
  coreBySymbol: Registry['coreBySymbol']
  /** Refuses TOKEN_CHANGED when a proxy runs other code than its screen read. */
  assertUnchanged: Registry['assertUnchanged']
  readAudit: AuditReader['read']
  checkAudit: AuditReader['check']
  /** False if transfers are taxed or balances change by themselves: then logs do not show what arrived. */
  isPlain(token: Address): Promise<boolean>
  /** How many tokens have a route; null before the first count that found any. */
  tradable(): Promise<number | null>
  jobs: CapabilityJobs
  close(): Promise<void>
}

const READ_CORE_EVERY_MS = 15_000
const STORE_CORE_EVERY_MS = 1_000
const IDLE_MS = 60_000
const MOVES_OTHERWISE = new Set<string>([
  'FEE_ON_TRANSFER',
  'BUY_TAX',
  'SELL_TAX',
  'REBASING',
  'UNSCREENED',
] satisfies RiskCode[])

export function openTokens(options: TokenOptions): Tokens {
  const deps: TokenDeps = {
    randomBytes,
    majorBps: () => FEE.majorMaxBps,
    isAgentToken: createAgentTokens({ clock: options.clock, registry: openAgentRegistry(options) }),
    ...options,
  }
  const { clock, logger, profile } = deps
  const search = createTokenSearch(deps)
  const registry = createRegistry(deps, async (known) => {
    await saveToken(deps.db, known, nowS(clock))
    search.forgetLists()
  })
  const stats = createTokenStats(deps)
  const audit = createAuditReader({ profile, clock, logger })
  stats.countUnseen()
  const show = { ...deps, registry, audit, searchTokens: search.find }
  return {
    showToken: (request) => showToken(show, request),
    searchTokens: (request) => showTokens(show, request),
    countTokens: stats.read,
    get: registry.get,
    find: registry.find,
    coreBySymbol: registry.coreBySymbol,
    assertUnchanged: registry.assertUnchanged,
    readAudit: audit.read,
    checkAudit: audit.check,
    isPlain: async (token) => {
      if (registry.coreAddresses.has(token)) return true
      const stored = await registry.find(token)
      return stored !== undefined && !stored.record.risks.some(({ code }) => MOVES_OTHERWISE.has(code))
    },
    tradable: stats.tradable,
    jobs: {
      everywhere: [
        {
          name: 'read core assets',
          intervalMs: READ_CORE_EVERY_MS,
          idleMs: IDLE_MS,
          run: registry.refreshCore,
        },
        registry.screening.queueJob,
      ],
      worker: [
        {
          name: 'store core assets',
          intervalMs: STORE_CORE_EVERY_MS,
          idleMs: IDLE_MS,
          run: registry.storeCore,
        },
        ...keepRegistry(deps, registry),
      ],
    },
    close: registry.screening.close,
  }
}
