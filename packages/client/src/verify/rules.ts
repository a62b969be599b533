import type { Address } from '@pit/chain'
import {
  COSIGNER,
  FEE,
  FEE_SIDE_RANK,
  type FeeClass,
  isRiskCode,
  isSevere,
  lessBps,
  markPrice,
  RISKS,
  shortfallBpsUp,
  slippageTolerance,
  TRADE,
  worthUp,
} from '@pit/protocol'
import { broken, must } from '../errors.ts'
import { markOf } from '../own/marks.ts'
import { feeClassOf, type Pins } from '../pins.ts'
import {
  checkApprovals,
  checkBudget,
  mustBeWorth,
  type OwnPrice,
  POOL_BAND_BPS,
  SIZE_BAND_BPS,
} from './approvals.ts'
import type { OwnReading } from './facts.ts'
import type { Terms } from './terms.ts'

/** One thing that was checked, in words for people. */
export interface Checked {
  rule: string
  says: string
}

/** What a plan's bytes must be, before anything is read from the chain. Throws at the first lie. */
export function checkBytes(terms: Terms): Checked[] {
  checkAsked(terms)
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

/** What a plan's bytes must be, by what the client read itself. */
export function checkOwn(terms: Terms, own: OwnReading): Checked[] {
  checkFee(terms, own)
  const slippageBps = slippageOf(terms, own)
  checkPrice(terms, own, slippageBps)
  checkTrial(terms, own, slippageBps)
  checkImpact(terms, own)
  return [
    { rule: 'FEE_CLASS', says: `The fee class is ${terms.plan.fee_class}.` },
    { rule: 'FEE_BPS', says: `The fee is ${terms.plan.fee_bps} bps of the ${terms.plan.fee_side}.` },
    { rule: 'PRICE', says: 'The minimum is near the client’s own prices.' },
    { rule: 'QUOTE_OWN', says: 'The client’s own trial delivers what was quoted.' },
    { rule: 'IMPACT_OWN', says: 'The price impact is as disclosed.' },
  ]
}

/** A deadline further ahead lets whoever relays choose the moment. */
const MAX_DEADLINE_S = COSIGNER.maxDeadlineS

function checkAsked({ ask, pins, plan, reading, tokenIn, tokenOut, nowS }: Terms): void {
  must(reading.tokenIn === tokenIn, 'RECIPIENT', 'it sells another token than asked', {
    token: reading.tokenIn,
  })
  must(reading.tokenOut === tokenOut, 'RECIPIENT', 'it buys another token than asked', {
    token: reading.tokenOut,
  })
  must(BigInt(plan.amount_in) === reading.amountIn, 'MIN_OUT', 'amount_in is not what the calldata spends')
  if (ask.amount_in !== undefined)
    must(reading.amountIn === BigInt(ask.amount_in), 'RECIPIENT', 'it spends another amount than asked')
  const least = leastOut({ plan })
  // Only a token outside the pins may tax what its pool pays.
  const isTaxable = reading.direct && !pins.tokens.has(tokenOut)
  const isCalldatas = least === reading.amountOutMin || (isTaxable && least < reading.amountOutMin)
  must(isCalldatas, 'MIN_OUT', 'amount_out_min is not the calldata’s')
  must(least > 0n, 'MIN_OUT', 'there is no minimum')
  if (ask.min_amount_out !== undefined)
    must(least >= BigInt(ask.min_amount_out), 'MIN_OUT', 'it is under the minimum asked for')
  const { deadlineS } = reading
  if (deadlineS === null) {
    checkUndated({ ask, plan })
    return
  }
  const isSoon = deadlineS > BigInt(nowS) && deadlineS <= BigInt(nowS + MAX_DEADLINE_S)
  must(isSoon, 'PRICE', 'the deadline has passed or is far ahead', { deadline: deadlineS.toString() })
}

/** Whoever relays a call without a deadline chooses its moment: only the owner's own word allows that. */
function checkUndated({ ask, plan }: Pick<Terms, 'ask' | 'plan'>): void {
  const isDisclosed = plan.risks.some(({ code }) => code === 'CURVE')
  must(isDisclosed, 'RISK_CODES', 'the curve’s call has no deadline, and CURVE is not disclosed')
  const isAccepted = ask.accept_risks?.includes('CURVE') ?? false
  must(
    isAccepted,
    'RISK_NOT_ACCEPTED',
    'CURVE: this curve takes no deadline, so a signed trade can be mined late; accept CURVE to sign it',
    { code: 'CURVE' },
  )
}

/** What reaches the wallet at least. Where a pool pays the wallet itself, a token's tax comes off it. */
const leastOut = ({ plan }: Pick<Terms, 'plan'>): bigint => BigInt(plan.amount_out_min)

function checkRisks({ ask, plan }: Terms): void {
  const accepted = new Set<string>(ask.accept_risks ?? [])
  for (const { code, severity } of plan.risks) {
    if (!isRiskCode(code)) broken('RISK_CODES', `${String(code).slice(0, 64)} is not in the table`)
    must(severity === RISKS[code].severity, 'RISK_CODES', `${code} is disclosed with another severity`)
    must(!isSevere(code) || accepted.has(code), 'RISK_NOT_ACCEPTED', `${code}: ${RISKS[code].meaning}`, {
      code,
    })
  }
}

function checkHooks({ ask, pins, reading }: Terms): void {
  const unknown = reading.hooks.find((hook) => !pins.knownHooks.has(hook))
  if (unknown === undefined || ask.accept_risks?.includes('UNKNOWN_HOOK')) return
  broken('V4_HOOKS', 'a pool on the way runs a hook nobody has read', { hook: unknown })
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

function checkFee({ ask, pins, plan, reading, tokenIn, tokenOut }: Terms, own: OwnReading): void {
  const feeClass = feeClassOf(pins, [tokenIn, tokenOut], own.standsOnBeacon)
  must(plan.fee_class === feeClass, 'FEE_CLASS', `it says ${plan.fee_class}, the tokens say ${feeClass}`)
  const allowed = feeRates(feeClass, ask.shield === true)
  const { fee_bps } = plan
  must(allowed.includes(fee_bps), 'FEE_BPS', `${fee_bps} bps is none of ${allowed.join(', ')}`)
  if (ask.max_fee_bps !== undefined) must(fee_bps <= ask.max_fee_bps, 'FEE_BPS', 'it is over max_fee_bps')
  const side = feeSideOf(pins, tokenIn, tokenOut)
  must(plan.fee_side === side, 'FEE_BPS', `the fee is taken from the ${plan.fee_side}`)
  // A fee that rounds to nothing is not sent at all.
  must(reading.fee === null || reading.fee.side === side, 'FEE_BPS', 'the fee is taken at the other end')
  must(reading.fee === null || reading.fee.isOf(fee_bps), 'FEE_BPS', 'the calldata pays another fee')
}

const priceOf = (terms: Terms, own: OwnReading, token: Address) => {
  const mark = markOf(own.marks, token, terms.pins.weth)
  return mark && { price: markPrice(mark.priceE18, mark.decimals), source: mark.source }
}

/** What was asked for, or the table's for the class and size; never what the server says it used. */
function slippageOf(terms: Terms, own: OwnReading): number {
  if (terms.ask.slippage_bps !== undefined) return terms.ask.slippage_bps
  const paid = priceOf(terms, own, terms.tokenIn)
  const bought = priceOf(terms, own, terms.tokenOut)
  const microUsd = paid
    ? worthUp(terms.reading.amountIn, paid.price)
    : bought && worthUp(terms.reading.amountOutMin, bought.price)
  // Smaller trades are given more: one of unknown size as the smallest, one at a row's edge as the row below.
  const least = microUsd === undefined ? 0n : (microUsd * (10_000n - SIZE_BAND_BPS)) / 10_000n
  return slippageTolerance(terms.plan.fee_class, least).defaultBps
}

/** Rounding of sizes and of a minimum that both sides compute. */
const ROUNDING_BPS = 5

/** Holds the minimum and the size against prices read from the chain, where both ends have one. */
function checkPrice(terms: Terms, own: OwnReading, slippageBps: number): void {
  const { reading, tokenIn, tokenOut, ask, plan } = terms
  const [paid, bought] = [priceOf(terms, own, tokenIn), priceOf(terms, own, tokenOut)]
  const worth = paid?.price ?? impliedPrice(terms, own, bought?.price)
  if (worth && ask.notional_usd !== undefined) mustBeWorth(ask.notional_usd, reading.amountIn, worth)
  if (worth) checkBudget(terms, worth)
  if (!paid || !bought) return
  const isMean = paid.source === 'twap' || bought.source === 'twap'
  const band = TRADE.maxVsMidBps + (isMean ? COSIGNER.meanBandBps : COSIGNER.feedBandBps)
  const limit = slippageBps + plan.fee_bps + band + ROUNDING_BPS
  const lost = shortfallBpsUp(
    { atoms: reading.amountIn, price: paid.price },
    { atoms: reading.amountOutMin, price: bought.price },
  )
  must(lost <= BigInt(limit), 'PRICE', `the minimum is ${lost} bps under the input, ${limit} at most`)
}

/** What the input is worth by what it brings, where it has no price of its own. */
function impliedPrice({ reading }: Terms, { trial }: OwnReading, bought?: OwnPrice): OwnPrice | undefined {
  const received = trial.ok ? (trial.changes[0] ?? 0n) : 0n
  if (!bought || received <= 0n) return undefined
  return { num: received * bought.num, den: reading.amountIn * bought.den, bandBps: POOL_BAND_BPS }
}

/** How much pools may move between the plan's block and the client's. */
const MOVED_BPS = 100

/** The client's own trial of the very transactions: what arrives, what is spent, who is paid. */
function checkTrial({ plan }: Terms, { trial }: OwnReading, slippageBps: number): void {
  if (!trial.ok) {
    if (trial.unsupported) return
    broken('QUOTE_OWN', `on the client’s own node it fails: ${trial.why}`)
  }
  const [received] = trial.changes
  const minimum = leastOut({ plan })
  must(received !== undefined && received >= minimum, 'QUOTE_OWN', 'less than the minimum arrives')
  const least = lessBps(received, Math.min(slippageBps + MOVED_BPS + ROUNDING_BPS, 10_000))
  must(minimum >= least, 'QUOTE_OWN', 'the minimum is far under what the pools give', {
    received: received.toString(),
    minimum: minimum.toString(),
  })
  const expected = BigInt(plan.amount_out_expected)
  const own = lessBps(expected, Math.min(slippageBps + ROUNDING_BPS, 10_000))
  must(minimum >= own, 'QUOTE_OWN', 'the minimum is further under the plan’s own quote than the slippage')
  const isNear = received >= lessBps(expected, MOVED_BPS)
  must(isNear, 'QUOTE_OWN', 'less arrives than the plan expects', { received: received.toString() })
}

/** Pools move between two readings, and the service rounds. */
const IMPACT_BAND_BPS = 100

function checkImpact({ plan }: Terms, { impactBps }: OwnReading): void {
  if (impactBps === null || impactBps < TRADE.highPriceImpactBps + IMPACT_BAND_BPS) return
  const isDisclosed = plan.risks.some(({ code }) => code === 'HIGH_PRICE_IMPACT')
  must(isDisclosed, 'IMPACT_OWN', `this trade moves the price by ${impactBps} bps, which is not disclosed`)
}
