import { launchpadOf } from '@pit/chain'
import {
  type Answer,
  DAY_S,
  FEE,
  isSevere,
  RISKS,
  type RiskCode,
  severeFirst,
  type TOKEN_KINDS,
  type TOKEN_TIERS,
  TOKENS,
  TRADE,
  usdText,
} from '@pit/protocol'
import type { ProtectedAsset } from './impersonation.ts'
import type { MarketView } from './marketView.ts'
import { isReplaceable, type TokenReading, type Trial } from './reading.ts'

export type Kind = (typeof TOKEN_KINDS)[number]
export type Tier = (typeof TOKEN_TIERS)[number]

/** Everything a token is judged by. */
export interface Judged {
  reading: TokenReading
  view: MarketView
  nowS: number
  imitates: ProtectedAsset | null
  /** How the chain profile lists it. */
  standing: 'core' | 'core_stock' | 'listed_stock' | 'none'
  feedBacked: boolean
  /** Shares per stock token now; null for other tokens. */
  multiplier: number | null
}

const NEW_FOR_S = 72 * 3_600
/** Less than the largest trade needs. */
const LOW_LIQUIDITY_USD = TRADE.maxNotionalUsd
/** Differences up to this are rounding. */
const NO_TAX_BPS = 5

/** The profile's list; the beacon does not prove who issued a token. */
export const isListedStock = ({ standing }: Pick<Judged, 'standing'>): boolean =>
  standing === 'core_stock' || standing === 'listed_stock'
/** Anyone can deploy a proxy on the issuer's beacon and mint its supply. */
const isUnlistedStock = ({ reading, standing }: Judged): boolean =>
  reading.code.stockBeacon === true && standing === 'none'

export const isCore = ({ standing }: Pick<Judged, 'standing'>): boolean =>
  standing === 'core' || standing === 'core_stock'

export function kindOf(judged: Judged): Kind {
  const { reading, view, standing } = judged
  if (standing === 'core') return 'core'
  if (isListedStock(judged)) return 'stock'
  if (reading.agentToken) return 'partner_agent'
  if (view.curve && !view.curve.graduated) return 'curve'
  return reading.code.bridged ? 'bridged' : 'erc20'
}

export function tierOf(judged: Judged): Tier {
  const { view, feedBacked } = judged
  if (!view.routable) return 'blocked'
  if (isCore(judged) || feedBacked) return 'A'
  const liquidityUsd = view.liquidityUsd ?? 0
  const wellPriced = view.reference.source === 'oracle_feed' || view.reference.source === 'twap'
  if (liquidityUsd >= TOKENS.tierALiquidityUsd && wellPriced) return 'A'
  return liquidityUsd >= TOKENS.tierBLiquidityUsd ? 'B' : 'C'
}

interface RiskRule {
  code: RiskCode
  /** True when the risk applies. */
  check(judged: Judged): boolean
  /** A sentence about this token; undefined for the table's own. */
  says?(judged: Judged): string | undefined
}

type DoneTrial = Extract<Trial, { status: 'done' }>
const done = ({ reading }: Judged): DoneTrial | null =>
  reading.trial.status === 'done' ? reading.trial : null
const has = ({ reading }: Judged, ...powers: string[]) =>
  reading.code.powers.some((power) => powers.includes(power))
/** A renounced owner has no powers left; an unknown one may have them. */
const owned = ({ reading }: Judged) => reading.owner === null || BigInt(reading.owner) !== 0n
const percent = (bps: number) => `${bps / 100}%`

const PAUSED = (judged: Judged): boolean => {
  const { trial } = judged.reading
  if (trial.status === 'buy_failed') return trial.paused
  if (trial.status === 'done') return !trial.sell.ok && trial.sell.paused
  return trial.status === 'no_route' && judged.reading.saysPaused === true
}

/** The tax on purchases alone, without the transfer tax, which is disclosed apart. */
export function buyTaxBps(judged: Judged): number {
  const trial = done(judged)
  if (!trial || trial.buyTaxBps === null) return 0
  const ofTransfers = trial.transfer.ok ? (trial.transfer.taxBps ?? 0) : 0
  return Math.max(0, trial.buyTaxBps - ofTransfers)
}

/** Every risk of a token by itself. Core assets are the operator's choice: only their state is disclosed. */
const RULES: readonly RiskRule[] = [
  {
    code: 'UNSCREENED',
    // A route found after the screen, or one the screen could not use, is untested.
    check: ({ reading: { trial }, view, standing }) =>
      trial.status === 'unfinished' || (trial.status === 'no_route' && view.routable && standing === 'none'),
    says: () => 'It is not screened yet: it is unknown whether it can be bought and sold.',
  },
  {
    code: 'HONEYPOT',
    check: (judged) => {
      const trial = done(judged)
      return trial !== null && !trial.sell.ok && !trial.sell.paused
    },
    says: (judged) => {
      const trial = done(judged)
      const why = trial && !trial.sell.ok ? ` (${trial.sell.why})` : ''
      return `It can be bought but not sold${why}.`
    },
  },
  {
    code: 'SELL_TAX',
    check: (judged) => {
      const trial = done(judged)
      return trial?.sell.ok === true && trial.sell.taxBps > TOKENS.severeSellTaxBps
    },
    says: (judged) => `Selling it costs ${percent((done(judged)!.sell as { taxBps: number }).taxBps)}.`,
  },
  {
    code: 'TRANSFER_BLOCKED',
    check: (judged) => {
      const { trial } = judged.reading
      if (trial.status === 'buy_failed') return !trial.paused && !trial.hooked
      return trial.status === 'done' && !trial.transfer.ok && !PAUSED(judged)
    },
    says: ({ reading: { trial } }) =>
      trial.status === 'buy_failed'
        ? `Its market could not deliver it to a buyer (${trial.why}).`
        : 'It cannot be transferred between wallets.',
  },
  { code: 'UNKNOWN_HOOK', check: ({ view }) => view.unknownHook },
  {
    code: 'IMPERSONATOR',
    check: (judged) => judged.imitates !== null || isUnlistedStock(judged),
    says: ({ imitates }) =>
      imitates === null
        ? UNLISTED_STOCK
        : `It imitates ${imitates.symbol}; the real one is ${imitates.address}.`,
  },
  {
    code: 'NO_REFERENCE',
    check: ({ view }) => view.routable && view.reference.source === 'none',
  },
  { code: 'TOKEN_PAUSED', check: PAUSED },
  {
    code: 'BUY_TAX',
    check: (judged) => buyTaxBps(judged) > NO_TAX_BPS,
    says: (judged) => `Buying it costs ${percent(buyTaxBps(judged))}.`,
  },
  {
    code: 'FEE_ON_TRANSFER',
    check: (judged) => {
      const transfer = done(judged)?.transfer
      return transfer?.ok === true && (transfer.taxBps ?? 0) > NO_TAX_BPS
    },
    says: (judged) =>
      `Every transfer loses ${percent((done(judged)!.transfer as { taxBps: number }).taxBps)} of the amount.`,
  },
  {
    code: 'CREATOR_TAX',
    check: ({ view }) => view.curve !== null && !view.curve.graduated && view.curve.creatorTaxBps > 0,
    says: ({ view }) => `Its creator takes ${percent(view.curve!.creatorTaxBps)} of each trade.`,
  },
  {
    code: 'CURVE',
    check: ({ view }) => view.curve !== null && !view.curve.graduated,
    says: ({ view }) =>
      launchpadOf(view.curve!.launchpad).hasDeadline
        ? 'It trades on a launchpad curve.'
        : 'It trades on a launchpad curve that takes no deadline: a signed trade can be mined late, at its ' +
          'minimum or better, until its nonce is used.',
  },
  {
    code: 'LOW_LIQUIDITY',
    check: ({ view }) => view.routable && (view.liquidityUsd ?? 0) < LOW_LIQUIDITY_USD,
    says: ({ view }) => `Its liquidity is only about ${usdText(Math.round(view.liquidityUsd ?? 0))}.`,
  },
  {
    code: 'NEW_TOKEN',
    // An unknown age counts as new.
    check: ({ reading, nowS, standing }) =>
      standing === 'none' && (reading.firstPoolAtS === null || nowS - reading.firstPoolAtS < NEW_FOR_S),
    says: ({ reading, nowS }) =>
      reading.firstPoolAtS === null
        ? 'Its age is unknown.'
        : `It first traded ${ageOf(nowS - reading.firstPoolAtS)} ago.`,
  },
  {
    code: 'PROXY',
    check: ({ reading }) => isReplaceable(reading.code),
    says: ({ reading }) =>
      `Its code can be replaced; the current implementation is ${reading.code.proxy!.implementation}.`,
  },
  { code: 'MINTABLE', check: (judged) => has(judged, 'mint') && owned(judged) },
  { code: 'BLACKLIST', check: (judged) => has(judged, 'blacklist') && owned(judged) },
  {
    code: 'OWNER_CONTROLS',
    check: (judged) => has(judged, 'pause', 'trading', 'tax', 'seize') && owned(judged),
    says: ({ reading }) =>
      `Its owner can ${reading.code.powers
        .map((power) => CAN[power])
        .filter(Boolean)
        .join(', ')}.`,
  },
  {
    code: 'REBASING',
    check: (judged) => done(judged)?.rebased === true || (has(judged, 'rebase') && owned(judged)),
  },
  { code: 'SINGLE_POOL', check: ({ view }) => view.venueCount === 1 && view.curve?.graduated !== false },
  {
    code: 'STOCK_TOKEN',
    check: (judged) => judged.reading.code.stockBeacon === true || isListedStock(judged),
  },
  { code: 'STALE_MARK', check: ({ view }) => view.markStale },
]
const CAN: Partial<Record<string, string>> = {
  pause: 'stop all transfers',
  trading: 'limit or stop trading',
  tax: 'change its taxes',
  seize: "take holders' tokens",
}
const UNLISTED_STOCK =
  'It uses the stock issuer’s beacon but is not a listed stock: anyone can deploy such a ' +
  'token and mint its supply.'
const OF_CORE: ReadonlySet<RiskCode> = new Set(['TOKEN_PAUSED', 'STOCK_TOKEN', 'STALE_MARK'])

export interface Disclosure {
  code: RiskCode
  severity: 'severe' | 'info'
  token: `0x${string}`
  message: string
}

export function risksOf(judged: Judged): Disclosure[] {
  const token = judged.reading.address
  const rules = RULES.filter(({ code, check }) => (!isCore(judged) || OF_CORE.has(code)) && check(judged))
  const says = new Map(rules.map(({ code, says }) => [code, says?.(judged)]))
  return severeFirst(rules.map(({ code }) => code)).map((code) => ({
    code,
    severity: RISKS[code].severity,
    token,
    message: says.get(code) ?? sentence(RISKS[code].meaning),
  }))
}

/** A trade's limits by tier, unless the request asks for less. */
const TIER_LIMITS = {
  A: { max_price_impact_bps: TRADE.priceImpactBps, max_notional_usd: TRADE.maxNotionalUsd },
  B: { max_price_impact_bps: TRADE.highPriceImpactBps, max_notional_usd: TRADE.maxNotionalUsd },
  C: { max_price_impact_bps: TRADE.highPriceImpactBps, max_notional_usd: TRADE.maxNotionalUsd },
  blocked: { max_price_impact_bps: 0, max_notional_usd: 0 },
} as const satisfies Record<Tier, object>

export function limitsOf(tier: Tier, isMajor: boolean): Answer<'tokens.get'>['limits'] {
  const feeClass = isMajor ? 'major' : 'other'
  return {
    ...TIER_LIMITS[tier],
    min_notional_usd: tier === 'blocked' ? 0 : TRADE.minNotionalUsd,
    fee_class: feeClass,
    slippage_by_size: TRADE.slippageToleranceBySize.map((row) => ({
      up_to_usd: row.up_to_usd,
      ...row[feeClass],
    })),
    max_fee_bps: FEE.maxBps,
  }
}

/** Sentences for people: facts without a code, then each severe risk. */
export function warningsOf(judged: Judged, risks: readonly Disclosure[]): string[] {
  const { reading, view } = judged
  const { trial } = reading
  const sentences: (string | false)[] = [
    reading.textFaults.includes('symbol_unreadable') && 'Its symbol cannot be read.',
    reading.textFaults.includes('name_unreadable') && 'Its name cannot be read.',
    reading.textFaults.includes('hidden_characters') &&
      'Its name or symbol contains characters that hide or reorder text; they are shown as \ufffd.',
    reading.textFaults.includes('cut') && 'Its name or symbol is truncated.',
    reading.decimals === null && 'Its decimals are unknown; amounts are in its smallest unit.',
    trial.status === 'unfinished' && `It could not be screened: ${trial.why}.`,
    trial.status === 'done' &&
      trial.balanceLies &&
      'It reports a balance for a wallet that never held any: its balances cannot be trusted.',
    trial.status === 'done' &&
      trial.sell.ok &&
      trial.sell.taxBps > NO_TAX_BPS &&
      trial.sell.taxBps <= TOKENS.severeSellTaxBps &&
      `Selling it costs ${percent(trial.sell.taxBps)}.`,
    buyTaxBps(judged) > TOKENS.severeSellTaxBps &&
      `Buying it costs ${percent(buyTaxBps(judged))} of the amount.`,
    trial.status === 'done' &&
      trial.hookTakeBps > NO_TAX_BPS &&
      `The hook of its pool keeps ${percent(trial.hookTakeBps)} of a purchase.`,
    !view.routable && 'It cannot be traded here: no pool or curve with liquidity.',
    view.venueCount > view.venues.length && `It trades at ${view.venueCount} venues; the deepest are listed.`,
  ]
  const severe = risks.filter(({ code }) => isSevere(code)).map(({ message }) => message)
  return [...sentences.filter((text) => text !== false), ...severe]
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

function ageOf(seconds: number): string {
  if (seconds < 5_400) return `${Math.max(1, Math.round(seconds / 60))} minutes`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} hours` : `${Math.round(seconds / DAY_S)} days`
}
