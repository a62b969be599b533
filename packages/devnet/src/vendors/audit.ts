import { createHash } from 'node:crypto'
import type { VendorState } from './modes.ts'
import { json, problem, type Reply } from './reply.ts'

export type Verdict = 'verified' | 'flagged' | 'unknown'

export interface AuditDeps {
  nowMs: () => number
  /** Fixed verdicts by lower-case address. */
  fixtures: Map<string, Verdict>
  baseUrl: () => string
}

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Deterministic verdict per address: 30% verified, 10% flagged, the rest unknown. */
export function verdictOf(address: string, fixtures: Map<string, Verdict>): Verdict {
  const fixture = fixtures.get(address.toLowerCase())
  if (fixture) return fixture
  const draw = digest(address.toLowerCase()).readUInt32BE(0) % 100
  if (draw < 30) return 'verified'
  return draw < 40 ? 'flagged' : 'unknown'
}

const FINDINGS = [
  'owner can mint without limit',
  'transfers can be paused',
  'sells are taxed',
  'source is not published',
  'liquidity is not locked',
]

/** GET /audit/v1/tokens/:chain/:address */
export function readAudit(deps: AuditDeps, chain: string, address: string, { mode }: VendorState): Reply {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address))
    return problem(400, 'bad_address', 'An address is 0x and 40 hex digits.')
  if (chain !== '4663') return problem(404, 'unknown_chain', `Chain ${chain} is not covered.`)
  const token = address.toLowerCase()
  const forced = mode === 'verified' || mode === 'flagged' || mode === 'unknown' ? mode : undefined
  const verdict = mode === 'wrong_schema' ? 'probably fine' : (forced ?? verdictOf(token, deps.fixtures))
  const draw = digest(`${token}:findings`)
  // A verdict was made some hours ago, fixed per token, so that responses repeat.
  const hourMs = 3_600_000
  const checkedAtMs = Math.floor(deps.nowMs() / hourMs) * hourMs - (draw.readUInt8(0) % 24) * hourMs
  const findings = verdict === 'flagged' ? [FINDINGS[draw.readUInt8(1) % FINDINGS.length]] : []
  if (mode === 'too_many') return problem(429, 'rate_limited', 'Too many requests.')
  if (mode === 'missing_fields') return json(200, { chain_id: 4663, address: token })
  return json(200, {
    chain_id: 4663,
    address: token,
    verdict,
    url: `${deps.baseUrl()}/audit/reports/4663/${token}`,
    checked_at: verdict === 'unknown' ? null : new Date(checkedAtMs).toISOString(),
    findings,
  })
}
