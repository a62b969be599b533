import type { Address } from '@pit/chain'
import {
  COSIGNER,
  FEE,
  FEE_SIDE_RANK,
  type FeeClass,
  isRiskCode,
  isSevere,
  lessBps,
  RISKS,
  type RiskCode,
  TOKENS,
  TRADE,
} from '@pit/protocol'
import { broken, must } from '../errors.ts'
import type { RouteReading } from '../own/impact.ts'
import { feeClassOf, type Pins } from '../pins.ts'
import { checkApprovals } from './approvals.ts'
import type { OwnReading } from './ownReading.ts'
import { checkPoolFees, checkPrice, ROUNDING_BPS, slippageOf } from './price.ts'
import type { Terms } from './terms.ts'

/**
 * One thing that was checked, in words for people.
 * @public
 */
export interface Checked {
  rule: string
  says: string
}

/** Checks a plan's bytes before anything is read from the chain. Throws at the first violation. */
export function checkBytes(terms: Terms): Checked[] {
  checkRequested(terms)
  checkRisks(terms)
  checkHooks(terms)
  checkApprovals(terms)
  return [
    { rule: 'RECIPIENT', says: 'Only the wallet, the router and the pinned fee recipient receive anything.' },
    { rule: 'MIN_OUT', says: 'Either the plan’s minimum arrives in full, or the trade reverts.' },
    { rule: 'RISK_CODES', says: 'Every disclosure is one of the pinned table.' },
    { rule: 'RISK_NOT_ACCEPTED', says: 'No severe risk is left unaccepted.' },
    { rule: 'V4_HOOKS', says: 'Every hook on the way is known, or was accepted.' },
  ]
}

/** Checks a plan against the client's own readings; lists only the checks that were made. */
export function checkOwn(terms: Terms, own: OwnReading): Checked[] {
  checkFee(terms, own)
  checkShield(terms)
  checkListed(terms, own)
  checkRoute(terms, own)
  const slippageBps = slippageOf(terms, own)
  checkPoolFees(terms, own)
  const isPriced = checkPrice(terms, own, slippageBps)
  checkTrial(terms, own, slippageBps)
  checkSale(terms, own)
  checkImpact(terms, own)
  return [
    { rule: 'FEE_CLASS', says: `The fee class is ${terms.plan.fee_class}.` },
    { rule: 'FEE_BPS', says: `The fee is ${terms.plan.fee_bps} bps of the ${terms.plan.fee_side}.` },
    ...(isPriced ? [{ rule: 'PRICE', says: 'Size and minimum are near the client’s own prices.' }] : []),
    { rule: 'QUOTE_OWN', says: quoteText(own) },
    ...(own.route ? [{ rule: 'IMPACT_OWN', says: 'The price impact is as disclosed.' }] : []),
  ]
}

function quoteText({ trial, sale }: OwnReading): string {
  if (!trial.ok) return 'The planned pools quote what was quoted. Your node cannot simulate the trade.'
  return sale?.ok
    ? 'The client’s own trial delivers what was quoted, and the token can be sold again.'
    : 'The client’s own trial delivers what was quoted.'
}

/**
 * Checks that a plan passed without: the market gave nothing to make them by.
 * @public
 */
export const missingChecks = (checks: readonly Checked[]): string[] =>
  ['PRICE'].filter((rule) => !checks.some((one) => one.rule === rule))

/** A later deadline would let the relayer choose when to execute. */
const MAX_DEADLINE_S = COSIGNER.maxDeadlineS

function checkRequested({ request, pins, plan, reading, tokenIn, tokenOut, nowS }: Terms): void {
  must(reading.tokenIn === tokenIn, 'RECIPIENT', 'it sells another token than requested', {
    token: reading.tokenIn,
  })
  must(reading.tokenOut === tokenOut, 'RECIPIENT', 'it buys another token than requested', {
    token: reading.tokenOut,
  })
  must(BigInt(plan.amount_in) === reading.amountIn, 'MIN_OUT', 'amount_in is not what the calldata spends')
  if (request.amount_in !== undefined)
    must(
      reading.amountIn === BigInt(request.amount_in),
      'RECIPIENT',
      'it spends another amount than requested',
    )
  const least = leastOut({ plan })
  // Only a token outside the pins may tax what its pool pays.
  const isTaxable = reading.direct && !pins.tokens.has(tokenOut)
  const isCalldatas = least === reading.amountOutMin || (isTaxable && least < reading.amountOutMin)
  must(isCalldatas, 'MIN_OUT', 'amount_out_min is not the calldata’s')
  must(least > 0n, 'MIN_OUT', 'the minimum output is zero')
  if (request.min_amount_out !== undefined)
    must(least >= BigInt(request.min_amount_out), 'MIN_OUT', 'the minimum output is below the requested one')
  const { deadlineS } = reading
  if (deadlineS === null) {
    checkUndated({ request, plan })
    return
  }
  const isSoon = deadlineS > BigInt(nowS) && deadlineS <= BigInt(nowS + MAX_DEADLINE_S)
  must(isSoon, 'PRICE', 'the deadline has passed or is too far ahead', { deadline: deadlineS.toString() })
}

/** Without a deadline the relayer chooses when to execute, so the owner must accept that explicitly. */
function checkUndated({ request, plan }: Pick<Terms, 'request' | 'plan'>): void {
  const isDisclosed = plan.risks.some(({ code }) => code === 'CURVE')
  must(isDisclosed, 'RISK_CODES', 'the curve’s call has no deadline, and CURVE is not disclosed')
  const isAccepted = request.accept_risks?.includes('CURVE') ?? false
  must(
    isAccepted,
    'RISK_NOT_ACCEPTED',
    'CURVE: this curve takes no deadline, so a signed trade can be mined late; accept CURVE to sign it',
    { code: 'CURVE' },
  )
}

/** The minimum that reaches the wallet. If a pool pays the wallet directly, a token's tax is deducted. */
const leastOut = ({ plan }: Pick<Terms, 'plan'>): bigint => BigInt(plan.amount_out_min)

function checkRisks({ request, plan }: Terms): void {
  const accepted = new Set<string>(request.accept_risks ?? [])
  for (const { code, severity } of plan.risks) {
    if (!isRiskCode(code)) broken('RISK_CODES', `${String(code).slice(0, 64)} is not in the table`)
    must(severity === RISKS[code].severity, 'RISK_CODES', `${code} is disclosed with another severity`)
    must(!isSevere(code) || accepted.has(code), 'RISK_NOT_ACCEPTED', `${code}: ${RISKS[code].meaning}`, {
      code,
    })
  }
}

function checkHooks({ request, pins, reading }: Terms): void {
  const unknown = reading.hooks.find((hook) => !pins.knownHooks.has(hook))
  if (unknown === undefined || request.accept_risks?.includes('UNKNOWN_HOOK')) return
  broken('V4_HOOKS', 'a pool of the route uses an unreviewed hook', { hook: unknown })
}

/** The end that ranks higher pays; when neither is core, the input does. */
function feeSideOf(pins: Pins, tokenIn: Address, tokenOut: Address): 'input' | 'output' {
  const rank = (token: Address): number => {
    const core = pins.tokens.get(token)?.core
    return core ? FEE_SIDE_RANK.indexOf(core) : FEE_SIDE_RANK.length
  }
  return rank(tokenOut) < rank(tokenIn) ? 'output' : 'input'
}

/** Every rate a trade of the class may pay. */
export function feeRates(feeClass: FeeClass, shield: boolean): number[] {
  const rates = feeClass === 'other' ? [FEE.otherBps] : FEE.majorTiers.map(({ bps }) => bps)
  return rates.map((bps) => bps + (shield ? FEE.shieldAddBps : 0))
}

function checkFee({ request, pins, plan, reading, tokenIn, tokenOut }: Terms, own: OwnReading): void {
  const feeClass = feeClassOf(pins, [tokenIn, tokenOut], own.standsOnBeacon)
  must(
    plan.fee_class === feeClass,
    'FEE_CLASS',
    `the plan has ${plan.fee_class}, but the tokens are ${feeClass}`,
  )
  const allowed = feeRates(feeClass, request.shield === true)
  const { fee_bps } = plan
  must(allowed.includes(fee_bps), 'FEE_BPS', `${fee_bps} bps is not one of ${allowed.join(', ')} bps`)
  if (request.max_fee_bps !== undefined)
    must(fee_bps <= request.max_fee_bps, 'FEE_BPS', 'the fee is above max_fee_bps')
  const side = feeSideOf(pins, tokenIn, tokenOut)
  must(plan.fee_side === side, 'FEE_BPS', `the fee is taken from the ${plan.fee_side}`)
  // A fee that rounds to nothing is not sent at all.
  must(reading.fee === null || reading.fee.side === side, 'FEE_BPS', 'the fee is taken from the other side')
  must(reading.fee === null || reading.fee.isOf(fee_bps), 'FEE_BPS', 'the calldata pays another fee')
}

/** Anybody can deploy a token on the stock beacon: one the pins do not name needs the owner's acceptance. */
function checkListed({ accepted, pins, tokenIn, tokenOut }: Terms, own: OwnReading): void {
  const unlisted = [tokenIn, tokenOut].find((token) => !pins.tokens.has(token) && own.standsOnBeacon(token))
  if (unlisted === undefined || accepted.includes('IMPERSONATOR')) return
  broken(
    'RISK_NOT_ACCEPTED',
    `IMPERSONATOR: ${unlisted} runs on the stock beacon, but is not a listed stock`,
    {
      code: 'IMPERSONATOR',
      token: unlisted,
    },
  )
}

/** How much pools may move between the plan's block and the client's. */
const MOVED_BPS = 100

/** A route that quotes nothing cannot be compared with anything. */
function checkRoute({ pins, tokenIn, tokenOut }: Terms, { route, trial }: OwnReading): void {
  const isSimulatedPair = trial.ok && pins.tokens.has(tokenIn) && pins.tokens.has(tokenOut)
  must(
    isSimulatedPair || route !== null,
    'IMPACT_OWN',
    'the planned route quotes nothing on the client’s own node',
  )
}

/** Output after the fee; a token's own tax, which only a simulation shows, is not in it. */
const quotedOut = ({ fee_side, fee_bps }: Terms['plan'], { out }: RouteReading): bigint =>
  fee_side === 'output' ? lessBps(out, fee_bps) : out

/**
 * The exact transactions, simulated on the client's own node; the quotes of the planned pools if that node has no
 * simulation.
 */
function checkTrial({ plan }: Terms, { trial, route }: OwnReading, slippageBps: number): void {
  if (!trial.ok && !trial.unsupported)
    broken('QUOTE_OWN', `the simulation on the client’s own node failed: ${trial.why}`)
  const received = trial.ok ? trial.changes[0] : quotedOut(plan, route!)
  const minimum = leastOut({ plan })
  must(
    received !== undefined && received >= minimum,
    'QUOTE_OWN',
    'the simulation delivers less than the minimum',
  )
  const least = lessBps(received, Math.min(slippageBps + MOVED_BPS + ROUNDING_BPS, 10_000))
  must(minimum >= least, 'QUOTE_OWN', 'the minimum is far below what the pools pay', {
    received: received.toString(),
    minimum: minimum.toString(),
  })
  const expected = BigInt(plan.amount_out_expected)
  const own = lessBps(expected, Math.min(slippageBps + ROUNDING_BPS, 10_000))
  must(
    minimum >= own,
    'QUOTE_OWN',
    'the minimum is further below the plan’s own quote than the slippage allows',
  )
  const isNear = received >= lessBps(expected, MOVED_BPS)
  must(isNear, 'QUOTE_OWN', 'the simulation delivers less than the plan expects', {
    received: received.toString(),
  })
}

/** A dropped shield would trade without the requested audit. */
function checkShield({ request, plan }: Terms): void {
  const isShieldRequested = request.shield === true
  must(
    plan.shield === isShieldRequested,
    'FEE_CLASS',
    `the plan is ${plan.shield ? 'with' : 'without'} shield, unlike the request`,
  )
  must(
    !isShieldRequested || plan.audit !== undefined,
    'FEE_CLASS',
    'the plan lacks the audit that shield requires',
  )
}

/** A bought token outside the pins must be sellable, whatever the service disclosed. */
function checkSale({ pins, tokenOut, accepted }: Terms, { trial, sale }: OwnReading): void {
  if (pins.tokens.has(tokenOut)) return
  const refuseRisk = (code: RiskCode, why: string): void =>
    must(accepted.includes(code), 'RISK_NOT_ACCEPTED', `${code}: ${why}`, { code })
  if (!sale?.ok) {
    const why = sale?.why ?? (trial.ok ? 'not simulated' : trial.why)
    refuseRisk('HONEYPOT', `no sale after the purchase could be proved (${why})`)
    return
  }
  if (sale.lostBps > TOKENS.severeSellTaxBps)
    refuseRisk(
      'SELL_TAX',
      `a sale after the purchase brings ${sale.lostBps / 100}% less than its pools quote`,
    )
  if (!sale.transfers) refuseRisk('TRANSFER_BLOCKED', 'a transfer to another wallet fails')
}

/** Pools move between two readings, and the service rounds. */
const IMPACT_BAND_BPS = 100

function checkImpact({ plan }: Terms, { route }: OwnReading): void {
  if (!route || route.impactBps < TRADE.highPriceImpactBps + IMPACT_BAND_BPS) return
  const isDisclosed = plan.risks.some(({ code }) => code === 'HIGH_PRICE_IMPACT')
  must(
    isDisclosed,
    'IMPACT_OWN',
    `this trade moves the price by ${route.impactBps} bps, which is not disclosed`,
  )
}
