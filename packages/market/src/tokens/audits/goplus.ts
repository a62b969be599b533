import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/http'
import { CHAIN_ID, type RiskCode } from '@pit/protocol'
import type { AuditOpinion, AuditProvider, Verdict } from './provider.ts'

/** `power`: what a third party could do, which lowers the verdict unless that party is known. */
type Weight = 'flagged' | 'unverified' | 'power' | 'noted'

interface FlagRule {
  field: string
  /** The value that is bad. */
  bad: '0' | '1'
  weight: Weight
  risk?: RiskCode
  /** Whether a token is verified only if this is known. */
  mustKnow?: true
}

/** The meaning of each of its flags here. */
const FLAG_RULES: readonly FlagRule[] = [
  { field: 'is_honeypot', bad: '1', weight: 'flagged', risk: 'HONEYPOT', mustKnow: true },
  { field: 'cannot_sell_all', bad: '1', weight: 'flagged', risk: 'TRANSFER_BLOCKED', mustKnow: true },
  { field: 'cannot_buy', bad: '1', weight: 'flagged', risk: 'TRANSFER_BLOCKED' },
  { field: 'honeypot_with_same_creator', bad: '1', weight: 'flagged' },
  { field: 'is_airdrop_scam', bad: '1', weight: 'flagged' },
  { field: 'is_true_token', bad: '0', weight: 'flagged', risk: 'IMPERSONATOR' },
  { field: 'owner_change_balance', bad: '1', weight: 'flagged', risk: 'OWNER_CONTROLS' },
  { field: 'selfdestruct', bad: '1', weight: 'flagged', risk: 'OWNER_CONTROLS' },
  { field: 'is_open_source', bad: '0', weight: 'unverified', mustKnow: true },
  { field: 'hidden_owner', bad: '1', weight: 'power', risk: 'OWNER_CONTROLS' },
  { field: 'can_take_back_ownership', bad: '1', weight: 'power', risk: 'OWNER_CONTROLS' },
  { field: 'slippage_modifiable', bad: '1', weight: 'power', risk: 'OWNER_CONTROLS' },
  { field: 'personal_slippage_modifiable', bad: '1', weight: 'power', risk: 'OWNER_CONTROLS' },
  { field: 'transfer_pausable', bad: '1', weight: 'power', risk: 'OWNER_CONTROLS' },
  { field: 'is_blacklisted', bad: '1', weight: 'power', risk: 'BLACKLIST' },
  { field: 'external_call', bad: '1', weight: 'power' },
  { field: 'is_proxy', bad: '1', weight: 'noted', risk: 'PROXY' },
  { field: 'is_mintable', bad: '1', weight: 'noted', risk: 'MINTABLE' },
]

/** Its taxes are fractions of the amount. */
const TAX_RULES: readonly { field: string; above: number; weight: Weight; risk?: RiskCode }[] = [
  { field: 'sell_tax', above: 0.1, weight: 'flagged', risk: 'SELL_TAX' },
  { field: 'sell_tax', above: 0, weight: 'unverified' },
  { field: 'buy_tax', above: 0.1, weight: 'flagged', risk: 'BUY_TAX' },
  { field: 'buy_tax', above: 0, weight: 'noted', risk: 'BUY_TAX' },
]
const TAXES = ['sell_tax', 'buy_tax']

const WHOLE = 1
/** Some fields are missing, so unknown. */
const IN_PART = 2
const TOO_MANY = 4_029

/** GoPlus: flags as `"0"` and `"1"`, taxes as fractions, `""` for unknown; no overall verdict. */
export const goplus: AuditProvider = {
  rate: { perMinute: 30, burst: 30 },
  request: (baseUrl, token) => ({
    url: `${baseUrl}/api/v1/token_security/${CHAIN_ID}?contract_addresses=${token}`,
  }),
  read(answer, { token, listed }) {
    refuseStatus(answer)
    const code = fieldAt(answer.body, 'code')
    if (code === TOO_MANY) throw new VendorRefused('RESTING')
    const result = fieldAt(answer.body, 'result')
    if ((code !== WHOLE && code !== IN_PART) || !isObject(result)) throw new VendorRefused('MALFORMED')
    const url = `https://gopluslabs.io/token-security/${CHAIN_ID}/${token}`
    // The token was never analysed.
    if (Object.keys(result).length === 0) return { verdict: 'unverified', url, findings: [] }
    const report = fieldAt(result, token)
    if (report === undefined) throw new VendorRefused('OTHER')
    if (!isObject(report)) throw new VendorRefused('MALFORMED')
    return { ...judge(report, { listed }), url }
  },
}

function judge(said: object, { listed }: { listed: boolean }): Omit<AuditOpinion, 'url'> {
  const isTrusted = flagOf(said, 'trust_list') === '1' || listed
  const hits: { weight: Weight; risk?: RiskCode }[] = []
  let knowsEnough = true
  for (const rule of FLAG_RULES) {
    const value = flagOf(said, rule.field)
    if (value === rule.bad) hits.push(rule)
    if (value === undefined && rule.mustKnow) knowsEnough = false
  }
  if (fieldAt(said, 'fake_token', 'value') === 1) hits.push({ weight: 'flagged', risk: 'IMPERSONATOR' })
  for (const field of TAXES) {
    const tax = taxOf(said, field)
    if (tax === undefined) knowsEnough = false
    else hits.push(...TAX_RULES.filter((rule) => rule.field === field && tax > rule.above).slice(0, 1))
  }
  return {
    verdict: verdictOf(
      hits.map(({ weight }) => weight),
      { knowsEnough, isTrusted },
    ),
    findings: [...new Set(hits.flatMap(({ risk }) => risk ?? []))],
  }
}

function verdictOf(
  weights: readonly Weight[],
  { knowsEnough, isTrusted }: { knowsEnough: boolean; isTrusted: boolean },
): Verdict {
  if (weights.includes('flagged')) return 'flagged'
  const isDoubtful = weights.includes('unverified') || (weights.includes('power') && !isTrusted)
  return isDoubtful || !knowsEnough ? 'unverified' : 'verified'
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Undefined: unknown. A value that is neither yes nor no makes the whole response unreadable. */
function flagOf(said: object, field: string): '0' | '1' | undefined {
  const value = fieldAt(said, field)
  if (value === undefined || value === '') return undefined
  if (value === '0' || value === '1') return value
  throw new VendorRefused('MALFORMED')
}

function taxOf(said: object, field: string): number | undefined {
  const value = fieldAt(said, field)
  if (value === undefined || value === '') return undefined
  const tax = typeof value === 'string' && /^\d(\.\d{1,40})?$/.test(value) ? Number(value) : Number.NaN
  if (!(tax <= 1)) throw new VendorRefused('MALFORMED')
  return tax
}
