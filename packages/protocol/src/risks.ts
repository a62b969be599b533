/**
 * The disclosure table: risks of a token or a trade, and whether they must be accepted first. Ours.
 */
export const RISKS = {
  HONEYPOT: { severity: 'severe', meaning: 'it can be bought but not sold' },
  SELL_TAX: { severity: 'severe', meaning: 'selling it costs more than 10%' },
  TRANSFER_BLOCKED: { severity: 'severe', meaning: 'it cannot be transferred' },
  UNSCREENED: { severity: 'severe', meaning: 'its screen has not finished' },
  UNKNOWN_HOOK: { severity: 'severe', meaning: 'its pool uses an unreviewed hook' },
  IMPERSONATOR: {
    severity: 'severe',
    meaning: 'it imitates a core asset, or runs on the stock beacon without being an issued stock',
  },
  HIGH_PRICE_IMPACT: { severity: 'severe', meaning: 'this trade moves the price by 10% or more' },
  NO_REFERENCE: { severity: 'severe', meaning: 'no independent price to compare with' },
  TOKEN_PAUSED: { severity: 'severe', meaning: 'it is paused by its controller' },
  AUDIT_FLAGGED: { severity: 'severe', meaning: 'the audit flags it' },
  PRICE_IMPACT: { severity: 'info', meaning: 'this trade moves the price by 3% or more' },
  BUY_TAX: { severity: 'info', meaning: 'buying it is taxed' },
  FEE_ON_TRANSFER: { severity: 'info', meaning: 'transfers deliver less than was sent' },
  CREATOR_TAX: { severity: 'info', meaning: 'its creator takes a share of each trade' },
  CURVE: { severity: 'info', meaning: 'it trades on a launchpad curve' },
  LOW_LIQUIDITY: { severity: 'info', meaning: 'it has little liquidity' },
  NEW_TOKEN: { severity: 'info', meaning: 'it is only hours or days old' },
  PROXY: { severity: 'info', meaning: 'its code can be replaced' },
  MINTABLE: { severity: 'info', meaning: 'its supply can be increased' },
  BLACKLIST: { severity: 'info', meaning: 'someone can block wallets' },
  OWNER_CONTROLS: { severity: 'info', meaning: 'an owner has powers over it' },
  REBASING: { severity: 'info', meaning: 'balances change by themselves' },
  SINGLE_POOL: { severity: 'info', meaning: 'it trades in one pool only' },
  STOCK_TOKEN: { severity: 'info', meaning: 'it represents a stock and follows its issuer’s rules' },
  STALE_MARK: { severity: 'info', meaning: 'its oracle price is old, or its market is closed' },
  AUDIT_UNVERIFIED: { severity: 'info', meaning: 'the audit has not verified it' },
} as const
export type RiskCode = keyof typeof RISKS
export type Severity = (typeof RISKS)[RiskCode]['severity']

export const RISK_CODES = Object.keys(RISKS) as RiskCode[]
export const isRiskCode = (text: string): text is RiskCode => Object.hasOwn(RISKS, text)
export const isSevere = (code: RiskCode): boolean => RISKS[code].severity === 'severe'
export const severeFirst = (codes: readonly RiskCode[]): RiskCode[] => [
  ...codes.filter(isSevere),
  ...codes.filter((code) => !isSevere(code)),
]

/** Checks that inform or warn and are never risks to accept. */
export const INFORMING_CHECKS = ['TOKEN_TIER', 'UNLIMITED_APPROVAL_IN_PLACE'] as const

/** Disclosed only with shield, which alone queries the audit. */
export const SHIELD_ONLY_RISKS = ['AUDIT_FLAGGED', 'AUDIT_UNVERIFIED'] as const satisfies readonly RiskCode[]

/** Policies that a shield request may name. */
export const SHIELD_POLICY_NAMES = [
  'block_flagged',
  'require_verified',
  'block_severe',
  'block_new',
  'block_taxed',
] as const
export type ShieldPolicy = (typeof SHIELD_POLICY_NAMES)[number]

/** The disclosures each policy refuses, accepted ones too. */
export const SHIELD_POLICIES: { readonly [Name in ShieldPolicy]: readonly RiskCode[] } = {
  block_flagged: ['AUDIT_FLAGGED'],
  require_verified: ['AUDIT_FLAGGED', 'AUDIT_UNVERIFIED'],
  block_severe: RISK_CODES.filter(isSevere),
  block_new: ['NEW_TOKEN', 'UNSCREENED'],
  block_taxed: ['SELL_TAX', 'BUY_TAX', 'FEE_ON_TRANSFER', 'CREATOR_TAX'],
}
/** Policies of shield if `policies` is absent or false. */
export const DEFAULT_SHIELD_POLICIES = ['block_flagged'] as const satisfies readonly ShieldPolicy[]
