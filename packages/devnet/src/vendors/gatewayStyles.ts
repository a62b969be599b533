import type { Model } from './models.ts'

/** How a gateway lists its models' prices and reports the cost of a call. */
export interface GatewayStyle {
  /** A row of its list; undefined without a list. */
  list: ((model: Model) => Record<string, unknown>) | undefined
  costIn(model: Model): 'usage' | 'header' | 'none'
}

/** Header that reports the cost in dollars. */
export const COST_HEADER = 'x-litellm-response-cost'

/** By location: the first part of the path, or none for one whose models differ. */
const STYLES: Record<string, GatewayStyle> = {
  '': {
    list: ({ inputUsd, outputUsd, structured }) => ({
      structured_outputs: structured,
      /** Dollars per million tokens. */
      pricing: { input: inputUsd, output: outputUsd },
    }),
    costIn: ({ costIn }) => costIn,
  },
  openrouter: {
    list: ({ inputUsd, outputUsd, structured }) => ({
      supported_parameters: structured ? ['structured_outputs', 'max_tokens'] : ['max_tokens'],
      /** Dollars a token, as text. */
      pricing: { prompt: perToken(inputUsd), completion: perToken(outputUsd), request: '0', image: '0' },
    }),
    costIn: () => 'usage',
  },
  litellm: { list: () => ({}), costIn: () => 'header' },
  vercel: {
    list: ({ inputUsd, outputUsd, structured }) => ({
      structured_outputs: structured,
      pricing: { input: perToken(inputUsd), output: perToken(outputUsd) },
    }),
    costIn: () => 'none',
  },
  cloudflare: { list: undefined, costIn: () => 'none' },
}

const perToken = (usdPerMillion: number): string => (usdPerMillion / 1e6).toFixed(12)

/** A gateway's style and the path below its base; undefined for any other path. */
export function findGateway(pathname: string): { style: GatewayStyle; path: string } | undefined {
  const [, name = '', path] = /^(?:\/([a-z]+))?(\/v1\/(?:models|chat\/completions|key))$/.exec(pathname) ?? []
  const style = Object.hasOwn(STYLES, name) ? STYLES[name] : undefined
  return style !== undefined && path !== undefined ? { style, path } : undefined
}
