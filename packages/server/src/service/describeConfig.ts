import {
  type Answer,
  APPROVAL_MODES,
  AUTH,
  type ChainProfile,
  type CoreSymbol,
  CURVE_FEE_MODES,
  DEFAULT_SHIELD_POLICIES,
  FEE,
  grouped,
  HUB_SYMBOLS,
  MAJOR_SYMBOLS,
  REQUEST,
  RISKS,
  SESSION,
  SHIELD_ONLY_RISKS,
  SHIELD_POLICIES,
  SHIELD_POLICY_NAMES,
  TOKENS,
  TRADE,
} from '@pit/protocol'
import { fastPinOf } from '@pit/trading'
import type { Config } from '../config.ts'

type Address = `0x${string}`
const lower = <T extends string | null>(address: T) => (address?.toLowerCase() ?? null) as T & Address

/** GET config: what a client pins. Everything in it comes from the profile, a setting or the contract. */
export function describeConfig({
  profile,
  settings,
  version,
  cosigner,
}: {
  profile: ChainProfile
  settings: Pick<Config, 'authDomain' | 'requirePartnerAgent' | 'submitEnabled'>
  version: string
  /** Reported by the signer, if the profile pins none. */
  cosigner: Address | null
}): Answer<'config'> {
  const { contracts, delegation } = profile
  const ofProfile = (symbols: readonly CoreSymbol[]) =>
    symbols.filter((symbol) => profile.core_tokens.some((token) => token.symbol === symbol))
  return {
    chain_id: profile.chain_id,
    version,
    auth: {
      challenge_ttl_s: AUTH.challengeTtlS,
      key_ttl_s: AUTH.keyTtlS,
      domain: settings.authDomain,
      require_partner_agent: settings.requirePartnerAgent,
      key_prefix: REQUEST.keyPrefix,
    },
    universal_router: lower(contracts.universal_router),
    permit2: lower(contracts.permit2),
    multicall3: lower(contracts.multicall3),
    tokens: Object.fromEntries(
      profile.core_tokens.map(({ symbol, address, decimals, kind, native }) => [
        symbol,
        { address: lower(address), decimals, kind, native },
      ]),
    ),
    fee: {
      schedule: FEE.schedule,
      major_symbols: ofProfile(MAJOR_SYMBOLS),
      major_tiers: FEE.majorTiers.map((tier) => ({ ...tier })),
      other_bps: FEE.otherBps,
      shield_add_bps: FEE.shieldAddBps,
      max_bps: FEE.maxBps,
      recipient: lower(profile.fee_recipient),
      to_self_allowed: false,
      placeholder: profile.fee_recipient === null,
      how:
        'Every trade pays one fee to one pinned recipient, in the token of the end that ranks first (ETH ' +
        'and WETH, then USDG, then the other core tokens; else the input). Major when both ends are core ' +
        "or stock-beacon tokens, at the rate of the wallet's 30-day volume; else other_bps; shield adds " +
        'shield_add_bps. On the input side it is transferred before the swap, on the output side taken ' +
        'from what the swap delivers; always rounded down.',
    },
    risks: Object.fromEntries(Object.entries(RISKS).map(([code, { severity }]) => [code, severity])),
    high_price_impact_bps: TRADE.highPriceImpactBps,
    price_impact_bps: TRADE.priceImpactBps,
    shield: {
      policies: [...SHIELD_POLICY_NAMES],
      blocks: Object.fromEntries(Object.entries(SHIELD_POLICIES).map(([name, codes]) => [name, [...codes]])),
      default_policies: [...DEFAULT_SHIELD_POLICIES],
      shield_only_risks: [...SHIELD_ONLY_RISKS],
    },
    limits: {
      min_notional_usd: TRADE.minNotionalUsd,
      max_notional_usd: TRADE.maxNotionalUsd,
      max_slippage_bps: TRADE.maxSlippageBps,
      default_slippage_bps: TRADE.defaultSlippageBps,
      slippage_tolerance_by_size: structuredClone(TRADE.slippageToleranceBySize) as never,
      max_vs_mid_bps: TRADE.maxVsMidBps,
      deadline_s: TRADE.deadlineS,
      permit_trade_expiry_s: TRADE.permitTradeExpiryS,
      approval_modes: [...APPROVAL_MODES],
      default_approval_budget_usd: TRADE.defaultApprovalBudgetUsd,
    },
    session: {
      cosigner: lower(profile.cosigner ?? cosigner),
      delegation_manager: lower(delegation.delegation_manager),
      stateless_delegator: lower(delegation.stateless_delegator),
      enforcers: Object.fromEntries(
        Object.entries(delegation.enforcers).map(([name, address]) => [name, lower(address)]),
      ),
      leaf_ttl_s: SESSION.leafTtlS,
    },
    routes: fastPinOf(profile),
    submit_enabled: settings.submitEnabled,
    universe: {
      hops: { max_pools: 3, through: ofProfile(HUB_SYMBOLS) },
      known_hooks: profile.known_hooks.map((hook) => ({ ...hook, address: lower(hook.address) })),
      tiers: {
        A:
          `core, feed-backed, or at least ${grouped(TOKENS.tierALiquidityUsd)} dollars of liquidity with a ` +
          'TWAP or better',
        B: `at least ${grouped(TOKENS.tierBLiquidityUsd)} dollars of liquidity`,
        C: 'any other token with a route',
        blocked: 'no route',
      },
      curve_fee_modes: [...CURVE_FEE_MODES],
    },
  }
}
