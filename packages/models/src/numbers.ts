/** Our limits for AI agents. */
export const AI = {
  maxOrders: 8,
  maxOrdersDefault: 3,
  strategyMaxChars: 4_000,
  budgetDefaultUsd: 0.5,
  budgetMaxUsd: 25,
  /** The service's markup on a model's price. */
  appFeePct: 0,
  /** A typical tick, for estimates. */
  typicalPromptTokens: 1_500,
  typicalCompletionTokens: 250,
  patienceMs: 25_000,
  callsAtOnce: 32,
} as const
