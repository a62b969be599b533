/** The gateway's models: prices in dollars per million tokens, and how each reports the cost of a call. */
export interface Model {
  id: string
  inputUsd: number
  outputUsd: number
  /** Whether it supports response_format json_schema. */
  structured: boolean
  contextTokens: number
  /**
   * `usage` sets usage.cost, `header` sets x-litellm-response-cost, `none` leaves the caller its own bound.
   */
  costIn: 'usage' | 'header' | 'none'
}

export const MODELS: Model[] = [
  {
    id: 'partner/nano',
    inputUsd: 0.05,
    outputUsd: 0.2,
    structured: true,
    contextTokens: 32_000,
    costIn: 'usage',
  },
  {
    id: 'partner/small',
    inputUsd: 0.15,
    outputUsd: 0.6,
    structured: true,
    contextTokens: 128_000,
    costIn: 'usage',
  },
  {
    id: 'partner/medium',
    inputUsd: 0.8,
    outputUsd: 3.2,
    structured: true,
    contextTokens: 128_000,
    costIn: 'header',
  },
  {
    id: 'partner/large',
    inputUsd: 3,
    outputUsd: 15,
    structured: true,
    contextTokens: 200_000,
    costIn: 'none',
  },
  {
    id: 'partner/prose',
    inputUsd: 0.1,
    outputUsd: 0.3,
    structured: false,
    contextTokens: 32_000,
    costIn: 'usage',
  },
]

/** Keys by purpose. Each key of the user pattern is a separate user. */
export const SERVICE_KEY = 'pk-devnet-service'
export const BROKE_KEY = 'pk-devnet-broke'
export const LIMITED_KEY = 'pk-devnet-limited'
const USER_KEY = /^pk-devnet-user-[a-z0-9-]{1,40}$/

export type KeyKind = 'service' | 'user' | 'broke' | 'limited'

export function kindOfKey(key: string): KeyKind | undefined {
  if (key === SERVICE_KEY) return 'service'
  if (key === BROKE_KEY) return 'broke'
  if (key === LIMITED_KEY) return 'limited'
  return USER_KEY.test(key) ? 'user' : undefined
}

/** Never much below a real tokenizer's count: four characters a token. */
export const countTokens = (text: string): number => Math.max(1, Math.ceil(text.length / 4))

/** Dollars, exact to a billionth. */
export const costUsd = (model: Model, promptTokens: number, completionTokens: number): number =>
  Math.round((promptTokens * model.inputUsd + completionTokens * model.outputUsd) * 1_000) / 1e9

export const modelList = (more: (model: Model) => Record<string, unknown>): unknown => ({
  object: 'list',
  data: MODELS.map((model) => ({
    id: model.id,
    object: 'model',
    created: 1_750_000_000,
    owned_by: 'partner',
    context_length: model.contextTokens,
    ...more(model),
  })),
})
