import type { Address } from '@pit/chain'
import type { Call, Caller, Handlers } from '@pit/platform/call'
import { type Answer, FEE, fail, RISKS, type RiskCode, severeFirst } from '@pit/protocol'
import type { TokenStats } from './countTokens.ts'
import { lower, type TokenDeps } from './deps.ts'
import { isMajor } from './describeToken.ts'
import type { AuditReader, Verdict } from './readAudit.ts'
import type { RecordNow, Registry } from './registry.ts'
import { countSharing, type TokenSearch } from './searchTokens.ts'
import { searchKey } from './text.ts'

export type TokenRoute = 'tokens.get' | 'tokens.search' | 'tokens.stats'
type TokenAnswer = Answer<'tokens.get'>

export interface HandlerDeps extends Pick<TokenDeps, 'db' | 'crypto' | 'profile' | 'charge' | 'majorBps'> {
  registry: Registry
  audit: AuditReader
  stats: TokenStats
  searchTokens: TokenSearch
}

export function createTokenHandlers(deps: HandlerDeps): Pick<Handlers, TokenRoute> {
  return {
    'tokens.get': (call) => getToken(deps, call),
    'tokens.search': (call) => search(deps, call),
    'tokens.stats': () => deps.stats.read(),
  }
}

async function getToken(
  deps: HandlerDeps,
  { params, query, caller }: Call<'tokens.get'>,
): Promise<TokenAnswer> {
  const token = addressOf(deps, params.address)
  const admit = () => deps.charge(caller, ['screen.caller', 'screen.overall'])
  const shielded = query.shield === '1'
  // Asked side by side: a verdict that is late does not make the screen later.
  const verdict = shielded ? deps.audit.read(token) : null
  verdict?.catch(() => {})
  const record = await deps.registry.get(token, admit)
  return finish(record, await majorBpsOf(deps, caller), verdict && (await verdict))
}

/** A core symbol or an address; mixed case only with its checksum. */
function addressOf({ crypto, profile }: HandlerDeps, text: string): Address {
  if (/^0x/i.test(text)) {
    return (
      crypto.parseAddress(text) ??
      fail('BAD_REQUEST', {
        field: 'address',
        message: '`address`: its checksum is wrong; send it lower-case or as it is.',
      })
    )
  }
  const core = profile.core_tokens.find(({ symbol }) => symbol === text)
  return core ? lower(core.address) : fail('ADDRESS_REQUIRED', { field: 'address' })
}

/** So many verdicts are asked at once: a page of them takes seconds at worst. */
const VERDICTS_AT_ONCE = 16

async function search(
  deps: HandlerDeps,
  { query, caller }: Call<'tokens.search'>,
): Promise<Answer<'tokens.search'>> {
  const { q = '', tier, kind, limit } = query
  const shielded = query.shield === '1'
  const found = await deps.searchTokens({
    q,
    limit,
    ...(tier === undefined ? {} : { tier }),
    ...(kind === undefined ? {} : { kind }),
  })
  const core = coreOf(deps, q)
  const fits =
    core && (tier === undefined || core.tier === tier) && (kind === undefined || core.kind === kind)
  // The exact core asset is first, whatever the registry has of it.
  const records: RecordNow[] = [
    ...(fits ? [core] : []),
    ...found
      .filter(({ address }) => address !== core?.address)
      .map(
        (record): RecordNow =>
          record.screen_status === 'SCREENED' ? { ...record, screen_status: 'CACHED' } : record,
      ),
  ].slice(0, limit)
  const verdicts = shielded ? await readVerdicts(deps.audit, records) : null
  const majorBps = await majorBpsOf(deps, caller)
  const tokens = records.map((record, i) => finish(record, majorBps, verdicts && verdicts[i]!))
  return {
    query: { q, ...(tier && { tier }), ...(kind && { kind }), limit, shield: shielded },
    tokens,
    count: tokens.length,
    warnings: await warn(deps, q, core),
    shield: shielded,
  }
}

/** A symbol names the core asset in any case: the answer says which one is meant. */
function coreOf({ profile, registry }: HandlerDeps, q: string): RecordNow | undefined {
  const key = searchKey(q)
  const token = profile.core_tokens.find(({ symbol }) => searchKey(symbol) === key)
  return token && registry.coreBySymbol(token.symbol)
}

async function warn({ db }: HandlerDeps, q: string, core: RecordNow | undefined): Promise<string[]> {
  if (searchKey(q) === '') return []
  const { count, atLeast } = await countSharing(db, q, core?.address)
  const shown = atLeast ? `more than ${count}` : String(count)
  if (!core) return count > 1 ? [`${shown} tokens carry this symbol: go by the address.`] : []
  if (count === 0) return []
  const carry =
    count === 1 ? 'other token carries its symbol and is' : 'other tokens carry its symbol and are'
  return [`${core.symbol} is the core asset ${core.address}; ${shown} ${carry} not it.`]
}

async function readVerdicts(audit: AuditReader, records: readonly RecordNow[]) {
  const verdicts: Awaited<ReturnType<AuditReader['read']>>[] = []
  for (let i = 0; i < records.length; i += VERDICTS_AT_ONCE) {
    const batch = records.slice(i, i + VERDICTS_AT_ONCE)
    verdicts.push(...(await Promise.all(batch.map(({ address }) => audit.read(address)))))
  }
  return verdicts
}

const majorBpsOf = ({ majorBps }: HandlerDeps, { key }: Caller) => majorBps(key?.wallet ?? null)

const OF_VERDICT: Partial<Record<Verdict, RiskCode>> = {
  flagged: 'AUDIT_FLAGGED',
  unverified: 'AUDIT_UNVERIFIED',
}

/** What depends on who asks, and how. */
function finish(
  record: RecordNow,
  majorBps: number,
  audit: Awaited<ReturnType<AuditReader['read']>> | null,
): TokenAnswer {
  const fee_bps = (isMajor(record) ? majorBps : FEE.otherBps) + (audit ? FEE.shieldAddBps : 0)
  if (audit === null) return { ...record, fee_bps, shield: false, shield_available: true }
  const code = OF_VERDICT[audit.verdict]
  return { ...record, risks: withRisk(record, code), fee_bps, shield: true, audit }
}

function withRisk({ risks, address }: RecordNow, code: RiskCode | undefined): TokenAnswer['risks'] {
  if (code === undefined) return risks
  const { severity, meaning } = RISKS[code]
  const message = `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`
  const all = [...risks, { code, severity, token: address, message }]
  const order = severeFirst(all.map((risk) => risk.code as RiskCode))
  return all.toSorted((a, b) => order.indexOf(a.code as RiskCode) - order.indexOf(b.code as RiskCode))
}
