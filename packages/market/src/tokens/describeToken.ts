import type { Answer } from '@pit/protocol'
import {
  buyTaxBps,
  isCore,
  isListedStock,
  type Judged,
  kindOf,
  limitsOf,
  risksOf,
  type Tier,
  tierOf,
  warningsOf,
} from './rules.ts'

/** A record as it is stored: everything that does not depend on the caller. */
export type StoredRecord = Omit<
  Answer<'tokens.get'>,
  'fee_bps' | 'shield' | 'audit' | 'shield_available' | 'screen_status'
> & { screen_status: 'SCREENED' | 'UNSCREENED' | 'CORE' }

/**
 * Whether the issuer's rules of stock tokens apply: attestation, hours, pauses and blocks. They also apply to
 * an unlisted token on the beacon, since it may be a stock that is not listed yet.
 */
export function hasStockRules({ kind, stock_beacon }: Pick<StoredRecord, 'kind' | 'stock_beacon'>): boolean {
  return kind === 'stock' || stock_beacon === true
}

export function isMajor(record: Pick<Answer<'tokens.get'>, 'screen_status' | 'stock_beacon'>): boolean {
  return record.screen_status === 'CORE' || record.stock_beacon === true
}

/** A token's record from its reading and the current market. */
export function describeToken(judged: Judged): StoredRecord {
  const { reading, view } = judged
  const kind = kindOf(judged)
  const tier: Tier = tierOf(judged)
  const risks = risksOf(judged)
  const isUntried = risks.some(({ code }) => code === 'UNSCREENED')
  const stock_beacon = reading.code.stockBeacon ?? null
  const screen_status = isCore(judged) ? 'CORE' : isUntried ? 'UNSCREENED' : 'SCREENED'
  const onCurve = view.curve !== null && !view.curve.graduated
  return {
    address: reading.address,
    symbol: reading.symbol,
    name: reading.name,
    decimals: reading.decimals ?? 0,
    kind,
    stock_beacon,
    tier,
    tradable: view.routable,
    blocked_reason: view.routable ? null : 'NO_ROUTE',
    venues: view.venues,
    reference: view.reference,
    liquidity_usd: view.liquidityUsd,
    creator_tax_bps: onCurve ? view.curve!.creatorTaxBps : null,
    curve_fee_bps: onCurve ? view.curve!.curveFeeBps : null,
    multiplier: stock_beacon === true ? judged.multiplier : null,
    flags: flagsOf(judged),
    risks,
    limits: limitsOf(tier, isMajor({ screen_status, stock_beacon })),
    warnings: warningsOf(judged, risks),
    screened_at: isUntried ? null : reading.screenedAtS,
    screen_status,
  }
}

/** The raw findings, for callers with their own rules. */
function flagsOf(judged: Judged): StoredRecord['flags'] {
  const { reading } = judged
  const { code, trial } = reading
  const power = (name: (typeof code.powers)[number]) => code.powers.includes(name)
  return {
    proxy: code.proxy?.kind ?? false,
    implementation: code.proxy?.implementation ?? null,
    owner: reading.owner,
    mintable: power('mint'),
    pausable: power('pause'),
    blacklist: power('blacklist'),
    rebasing: power('rebase') || (trial.status === 'done' && trial.rebased),
    owner_sets_taxes: power('tax'),
    owner_limits_trading: power('trading'),
    owner_takes_tokens: power('seize'),
    proved: reading.proved,
    paused: reading.saysPaused,
    decimals_read: reading.decimals !== null,
    text_faults: reading.textFaults,
    first_pool_at: reading.firstPoolAtS,
    listed_stock: isListedStock(judged),
    screened_block: reading.block,
    screen: screenOf(judged),
    ...(trial.status === 'done' && {
      buy_tax_bps: trial.buyTaxBps,
      buy_only_tax_bps: buyTaxBps(judged),
      transfer_ok: trial.transfer.ok,
      transfer_tax_bps: trial.transfer.ok ? trial.transfer.taxBps : null,
      sell_ok: trial.sell.ok,
      sell_tax_bps: trial.sell.ok ? trial.sell.taxBps : null,
      hook_take_bps: trial.hookTakeBps,
      balance_lies: trial.balanceLies,
      tried_in: trial.pool,
    }),
    ...(trial.status === 'buy_failed' && { buy_ok: false, tried_in: trial.pool, why: trial.why }),
  }
}

/** The result of its screen. A token that trades somewhere is never reported as having no route. */
function screenOf(judged: Judged): StoredRecord['flags']['screen'] {
  if (isCore(judged)) return 'not_needed'
  const { status } = judged.reading.trial
  return status === 'no_route' && judged.view.venueCount > 0 ? 'untried' : status
}
