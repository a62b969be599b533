import type { StaleWhy } from '@pit/chain'
import { auditRisks } from '@pit/market'
import { RISKS, type RiskCode, TRADE } from '@pit/protocol'
import type { Audit, Audited, PricedRoute, Risk, TradeToken } from '../types.ts'
import { unitUsd } from './prices.ts'

/** All disclosures: both tokens', the trade's by its best route, and with shield the audit's. */
export function risksOfTrade({
  tokenIn,
  tokenOut,
  best,
  audits,
}: {
  tokenIn: TradeToken
  tokenOut: TradeToken
  best: Pick<PricedRoute, 'impactBps' | 'risks'> | undefined
  audits: readonly Audited[]
}): Risk[] {
  const risks: Risk[] = []
  for (const token of [tokenIn, tokenOut]) {
    // Before the record's own, which has no reason.
    if (token.mark?.stale) risks.push(staleRisk(token, token.mark.staleWhy))
    risks.push(...token.record.risks.map((risk) => ({ ...risk, token: token.address })))
    if (token.core === null && unitUsd(token) === null) risks.push(riskOf('NO_REFERENCE', token))
  }
  risks.push(...(best?.risks ?? []), ...impactRisk(best?.impactBps ?? null))
  for (const audited of audits) risks.push(...auditRisks(audited.token, audited))
  return severeFirst(onePerToken(risks))
}

const STALE_WORDS: Record<StaleWhy, string> = {
  heartbeat: 'Its oracle price is older than the feed’s heartbeat.',
  closed: 'Its market is closed. The oracle price is from the last trading hours.',
  frozen: 'Its issuer has frozen the oracle price, as during a corporate action.',
  off_peg: 'It is valued at 1 USD, but its feed deviates by more than 1% or does not update.',
}

function staleRisk(token: TradeToken, why: StaleWhy = 'heartbeat'): Risk {
  return { ...riskOf('STALE_MARK', token), message: STALE_WORDS[why] }
}

function impactRisk(impactBps: number | null): Risk[] {
  if (impactBps === null || impactBps < TRADE.priceImpactBps) return []
  const code = impactBps >= TRADE.highPriceImpactBps ? 'HIGH_PRICE_IMPACT' : 'PRICE_IMPACT'
  const message = `This trade moves the price by ${Math.round(impactBps) / 100}%.`
  return [{ code, severity: RISKS[code].severity, message }]
}

function riskOf(code: RiskCode, { address }: Pick<TradeToken, 'address'>): Risk {
  const { severity, meaning } = RISKS[code]
  return { code, severity, token: address, message: `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.` }
}

function onePerToken(risks: readonly Risk[]): Risk[] {
  const unique = new Map<string, Risk>()
  for (const risk of risks) {
    const key = `${risk.code} ${risk.token ?? ''}`
    if (!unique.has(key)) unique.set(key, risk)
  }
  return [...unique.values()]
}

const severeFirst = (risks: readonly Risk[]): Risk[] => [
  ...risks.filter(({ severity }) => severity === 'severe'),
  ...risks.filter(({ severity }) => severity !== 'severe'),
]

const BADNESS = ['verified', 'unverified', 'flagged']

/** The trade's verdict: the worst; of two equal ones that of the bought token. */
export function worstAudit(audits: readonly Audited[]): Audit | null {
  const bad = ({ audit }: Audited) => BADNESS.indexOf(audit.verdict)
  return (
    audits.reduce<Audited | undefined>(
      (worst, one) => (worst && bad(worst) > bad(one) ? worst : one),
      undefined,
    )?.audit ?? null
  )
}
