import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type Answer, FEE, isPitError, NATIVE_TOKEN } from '@pit/protocol'
import { withAudit } from './auditRisks.ts'
import type { TokenDeps } from './deps.ts'
import { isMajor } from './describeToken.ts'
import type { Audited, AuditReader } from './readAudit.ts'
import type { RecordNow, Registry } from './registry.ts'
import { countSharing, type TokenSearch, type TokenSearchTerms } from './searchTokens.ts'
import { searchKey } from './text.ts'

/** A record with the parts that depend on the caller. */
export type TokenShown = Answer<'tokens.get'>

export interface ShowDeps extends Pick<TokenDeps, 'db' | 'profile' | 'majorBps' | 'clock' | 'market'> {
  registry: Registry
  audit: AuditReader
  searchTokens: TokenSearch['find']
}

interface ShowRequest {
  /** Whose fee for major trades is shown; null for the posted one. */
  wallet: Address | null
  /** Adds the audit's verdict. */
  shielded: boolean
}

export interface TokenRequest extends ShowRequest {
  token: Address
  /** Charges the caller's budget before a new token is screened. */
  admit(): Promise<void>
}

export async function showToken(
  deps: ShowDeps,
  { token, wallet, shielded, admit }: TokenRequest,
): Promise<TokenShown> {
  // Read in parallel: a late verdict does not delay the screen.
  const verdict = shielded ? deps.audit.read(token) : undefined
  verdict?.catch(() => {})
  const record = await deps.registry.get(token, admit)
  return finish(deps, record, await deps.majorBps(wallet), verdict && { audited: await verdict })
}

/** Verdicts read in parallel: a whole page takes seconds at worst. */
const VERDICTS_AT_ONCE = 16

export interface TokensFound {
  tokens: TokenShown[]
  warnings: string[]
}

export async function showTokens(
  deps: ShowDeps,
  { wallet, shielded, ...terms }: TokenSearchTerms & ShowRequest,
): Promise<TokensFound> {
  const { q, tier, kind, limit } = terms
  const matches = await deps.searchTokens(terms)
  const core = coreOf(deps, q)
  const fits =
    core && (tier === undefined || core.tier === tier) && (kind === undefined || core.kind === kind)
  // The exact core asset comes first, whatever the registry holds.
  const records: RecordNow[] = [
    ...(fits ? [core] : []),
    ...matches
      .filter(({ address }) => address !== core?.address)
      .map(
        (record): RecordNow =>
          record.screen_status === 'SCREENED' ? { ...record, screen_status: 'CACHED' } : record,
      ),
  ].slice(0, limit)
  const verdicts = shielded ? await readVerdicts(deps.audit, records) : undefined
  const majorBps = await deps.majorBps(wallet)
  const tokens = records.map((record, i) =>
    finish(deps, record, majorBps, verdicts && { audited: verdicts.read[i]! }),
  )
  return { tokens, warnings: [...(await warn(deps, q, core)), ...(verdicts?.warnings ?? [])] }
}

/** The core asset whose symbol is searched for, in any case. */
function coreOf({ profile, registry }: ShowDeps, q: string): RecordNow | undefined {
  const key = searchKey(q)
  const token = profile.core_tokens.find(({ symbol }) => searchKey(symbol) === key)
  return token && registry.coreBySymbol(token.symbol)
}

async function warn({ db }: ShowDeps, q: string, core: RecordNow | undefined): Promise<string[]> {
  if (searchKey(q) === '') return []
  const { count, atLeast } = await countSharing(db, q, core?.address)
  const shown = atLeast ? `more than ${count}` : String(count)
  if (!core) return count > 1 ? [`${shown} tokens have this symbol. Check the address.`] : []
  const others = count === 1 ? 'other token has' : 'other tokens have'
  return [`${core.symbol} is the core asset ${core.address}; ${shown} ${others} the same symbol.`]
}

/** An unreadable verdict is null with a warning; refuses AUDIT_UNAVAILABLE if none can be read. */
async function readVerdicts(audit: AuditReader, records: readonly RecordNow[]) {
  const read: (Audited | null)[] = []
  const unread: unknown[] = []
  const readOne = (address: string) =>
    audit.read(address).catch((error) => {
      if (!isPitError(error) || error.code !== 'AUDIT_UNAVAILABLE') throw error
      unread.push(error)
      return null
    })
  for (let i = 0; i < records.length; i += VERDICTS_AT_ONCE) {
    const batch = records.slice(i, i + VERDICTS_AT_ONCE)
    read.push(...(await Promise.all(batch.map(({ address }) => readOne(address)))))
  }
  if (unread.length === 0) return { read, warnings: [] }
  const audited = records.filter(({ address }) => address !== NATIVE_TOKEN).length
  if (unread.length === audited) throw unread[0]
  const of = `${unread.length} of ${audited} audit verdicts could not be read`
  return { read, warnings: [`${of}: those tokens have \`audit\` null, which is not a good verdict.`] }
}

function finish(
  { clock, market }: ShowDeps,
  stored: RecordNow,
  majorBps: number,
  shield?: { audited: Audited | null },
): TokenShown {
  // A stored record may predate a multiplier's effect.
  const multiplier = stored.stock_beacon
    ? market.stocks.multiplier(stored.address as Address, nowS(clock))
    : null
  const record = { ...stored, multiplier }
  const fee_bps = (isMajor(record) ? majorBps : FEE.otherBps) + (shield ? FEE.shieldAddBps : 0)
  if (!shield) return { ...record, fee_bps, shield: false, shield_available: true }
  const { audited } = shield
  return {
    ...record,
    risks: audited === null ? record.risks : withAudit(record, audited),
    fee_bps,
    shield: true,
    audit: audited?.audit ?? null,
  }
}
