import { pinnedFacts, type TokenFacts } from '@pit/client'

export const ETH = `0x${'0'.repeat(40)}` as const
export const USDG = `0x${'b'.repeat(40)}` as const

/** Facts of pins with ETH and USDG. */
export const FACTS = pinnedFacts({
  tokens: new Map([
    [ETH, { symbol: 'ETH', core: 'ETH', decimals: 18, stock: false }],
    [USDG, { symbol: 'USDG', core: 'USDG', decimals: 6, stock: false }],
  ]),
})
export const factsOf = (token: `0x${string}`): TokenFacts => FACTS.get(token)!
