/** The contract's numbers, units in their names. Those the documents leave open are marked `ours`. */

export const CHAIN_ID = 4663
export const NATIVE_TOKEN = '0x0000000000000000000000000000000000000000'
export const BPS = 10_000
export const DAY_S = 86_400
export const DAY_MS = DAY_S * 1_000

export const REQUEST = {
  maxBodyBytes: 65_536,
  keyPrefix: 'pit_w_',
  clientHeader: 'X-Pit-Client',
} as const

export const AUTH = {
  challengeTtlS: 300,
  revokeAllChallengeTtlS: 300,
  keyTtlS: 2_592_000,
  keyRandomBytes: 32,
  /** For one requesting address, sign-in and revoke-all together. */
  maxOpenChallengesPerWallet: 5,
  /** For all addresses together. Ours. */
  maxOpenChallengesInAll: 100,
  signatureHexDigits: 130,
  messageVersion: '1',
} as const

export const FEE = {
  schedule: 2,
  majorMaxBps: 25,
  majorMinBps: 10,
  otherBps: 50,
  shieldAddBps: 10,
  maxBps: 100,
  volumeWindowDays: 30,
  /** The thresholds are ours. */
  majorTiers: [
    { min_30d_volume_usd: 0, bps: 25 },
    { min_30d_volume_usd: 10_000, bps: 20 },
    { min_30d_volume_usd: 100_000, bps: 15 },
    { min_30d_volume_usd: 1_000_000, bps: 10 },
  ],
} as const

export const TRADE = {
  minNotionalUsd: 1,
  maxNotionalUsd: 10_000,
  pendingDroppedAfterS: 3_600,
  defaultApprovalBudgetUsd: 25,
  maxApprovalBudgetUsd: 10_000,
  permitTradeExpiryS: 1_800,
  permit30dExpiryS: 2_592_000,
  highPriceImpactBps: 1_000,
  priceImpactBps: 300,
  /** Ours from here on. */
  /** The widest cap of the table below; the co-signer has its own. */
  maxSlippageBps: 1_000,
  defaultSlippageBps: 50,
  maxVsMidBps: 300,
  /** In millionths. Pools with a higher fee are traps and never used. */
  maxPoolFeePips: 100_000,
  deadlineS: 120,
  aggregatorBudgetMs: 1_500,
  slippageToleranceBySize: [
    {
      up_to_usd: 100,
      major: { default_bps: 50, cap_bps: 200 },
      other: { default_bps: 200, cap_bps: 1_000 },
    },
    {
      up_to_usd: 1_000,
      major: { default_bps: 50, cap_bps: 150 },
      other: { default_bps: 150, cap_bps: 700 },
    },
    {
      up_to_usd: 10_000,
      major: { default_bps: 30, cap_bps: 100 },
      other: { default_bps: 100, cap_bps: 500 },
    },
  ],
} as const

export const TOKENS = {
  screenAboutS: 8,
  queryMaxChars: 64,
  limitMax: 100,
  limitDefault: 20,
  statsCacheS: 30,
  auditRetryAfterS: 15,
  screenRetryAfterS: 60,
  /** Ours: liquidity that a tier requires. */
  tierALiquidityUsd: 250_000,
  tierBLiquidityUsd: 25_000,
  severeSellTaxBps: 1_000,
  /**
   * Ours: the window of a token's mean price. A block that holds ten times the price for a second moves it by
   * four percent; a price that walks 15% in ten minutes is never a percent ahead of it.
   */
  referenceTwapS: 60,
  /** Ours: maximum age of a reading used as reference. */
  referenceMaxAgeS: 60,
} as const

export const STATS = { rebuildS: 5, refSizeUsd: 1_000 } as const

export const TREASURY_SPLIT_BPS = { operations: 5_000, buybacks: 4_000, treasury: 1_000 } as const

export const SESSION = {
  minTokens: 2,
  maxTradeUsdDefault: 25,
  maxTradeUsdMax: 1_000,
  maxDayUsdDefault: 100,
  maxDayMultipleOfMaxTrade: 100,
  maxTradesDefault: 50,
  maxTradesMin: 1,
  maxTradesMax: 10_000,
  expiresInSDefault: DAY_S,
  expiresInSMin: 60,
  expiresInSMax: 2_592_000,
  expiresInSMaxFeedless: DAY_S,
  leafTtlS: 120,
  dayWindowS: DAY_S,
  bindingVersion: 3,
  delegatorVersion: '1.3.0',
} as const

/** Ours: limits of a session's controls and of signed orders. */
export const CONTROLS = {
  maxBreakers: 3,
  /** Of a breaker's window and cool-down. */
  minPeriodS: 60,
  maxPeriodS: 2_592_000,
  /** Unsigned trades of the last hour count towards `signature_above_usd`, and those that may still be sent. */
  unsignedWindowS: 3_600,
  maxOpenOrders: 50,
  /** A part of an order below this is not traded; a rest below it ends the order. */
  minPartUsd: 1,
  /** A part's leaf is signed again for at most this long after its first signature: three lifetimes. */
  partTtlS: 360,
} as const

/** Ours: the co-signer's limits for roots and trades, at its own prices. */
export const COSIGNER = {
  /** Maximum loss of a minimum output against the input, besides the fee: see `priceBandBps`. */
  maxSlippageBps: 500,
  /**
   * How far pools may differ from oracle feeds, besides slippage; and from a 30-minute mean.
   */
  feedBandBps: 100,
  meanBandBps: 300,
  /** The same against an owner-signed mark, which ages for up to a day. */
  signedMarkBandBps: 2_000,
  /** How far a root's ETH caps may be from the dollars of its binding. */
  capPriceBandBps: 1_000,
  /** Nothing is signed at prices from a reading older than this. */
  maxReadingAgeS: 30,
  /**
   * Nor at prices from a block older than this: a node that is stuck still responds.
   */
  maxHeadAgeS: 60,
  /** Maximum clock difference between a call and the signer. */
  callWindowS: 30,
  /** How far ahead a router call's deadline may lie. */
  maxDeadlineS: 300,
} as const

export const FAST = {
  deadlineMaxS: 60,
  gasLimitMax: 1_000_000,
  maxFeePerGasBaseFeeMultiple: 10,
  minNotionalUsd: 1,
  amountUsdTolerancePct: 3,
  bandBpsUsdg: 75,
  bandBpsCross: 125,
  txType: 2,
  /** Ours. */
  maxNotionalUsd: 2_500,
  markMaxAgeS: 60,
} as const

/** Default settings of a new agent, in the command and in MCP. */
export const NEW_AGENT = {
  pairs: ['ETH/USDG'],
  intervalS: 300,
  maxTradeUsd: 25,
  maxDayUsd: 100,
  maxPositionUsd: 1_000,
} as const

export const HOSTED = {
  maxAgentsPerWallet: 20,
  aiMinIntervalS: 300,
  aiPoolIntervalS: 900,
  practiceMinIntervalS: 300,
  aiOrderMinUsd: 1,
  aiPricePerTokens: 1_000_000,
  logsLimitMax: 200,
  logsLimitDefault: 50,
  spendLimitMax: 200,
  spendLimitDefault: 50,
  refundTxType: 2,
  /** Ours: tick interval limits of brains other than AI models. */
  minIntervalS: 10,
  maxIntervalS: 604_800,
  nameMaxChars: 64,
  webhookTimeoutMs: 5_000,
  webhookMaxAnswerBytes: 65_536,
} as const

export const STOCK_ATTESTATION_TIMES = {
  minAheadS: 300,
  maxAheadS: 2_592_000,
  issuedMaxAgeS: 3_600,
} as const

export const ACCOUNT = {
  tradesLimitMax: 100,
  tradesLimitDefault: 50,
  portfolioCacheS: 5,
  portfolioMaxTradedTokens: 40,
  usdgPriceUsd: 1,
  partnerTwapS: 1_800,
} as const

export const LEAGUE = {
  seasonDays: 14,
  minOwnerClusters: 10,
  places: 3,
  splitPct: [50, 30, 20],
  practiceBookUsdg: 10_000,
  practiceMinIntervalS: 300,
  statementTtlS: 600,
  scoreDecimals: 6,
  tokenDecimals: 18,
  /** Half of the stake's gain goes to the reserve, up to three caps; a third of it is a season's budget. */
  reserveAddedFraction: { of: 1, in: 2 },
  reserveCeilingCaps: 3,
  budgetFraction: { of: 1, in: 3 },
  minAgeYears: 18,
} as const

export const CLIENT = {
  marksDifferPct: 3,
  poolFarBpsUsdg: 75,
  poolFarBpsCross: 125,
  /** Nothing is signed at an older newest block; a profile may lower it. */
  headMaxAgeS: 60,
} as const
