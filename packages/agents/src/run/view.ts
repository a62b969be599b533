import type { BrainBook, BrainMarket, PairNow } from '@pit/brains'
import type { Address } from '@pit/chain'
import type { Market } from '@pit/market'
import { markPrice, worthDown } from '@pit/protocol'
import type { Cash } from '../paper/deps.ts'
import type { AgentToken, HostedAgent } from '../types.ts'
import type { MarkHistory } from './history.ts'
import type { Held } from './types.ts'

export interface Ends {
  base: AgentToken
  quote: AgentToken
}

/** The two tokens of one of the agent's own pairs; undefined for any other text. */
export function endsOf(
  { pairs, tokens }: Pick<HostedAgent, 'pairs' | 'tokens'>,
  pair: string,
): Ends | undefined {
  if (!pairs.includes(pair)) return undefined
  const [baseName, quoteName] = pair.split('/')
  const base = tokens.find(({ token }) => token === baseName)
  const quote = tokens.find(({ token }) => token === quoteName)
  return base && quote ? { base, quote } : undefined
}

/** The market as shown to a brain: its own pairs at independent marks. */
export function marketOf(
  agent: Pick<HostedAgent, 'pairs' | 'tokens'>,
  {
    market,
    history,
    spanS,
    nowMs,
  }: { market: Pick<Market, 'mark'>; history: MarkHistory; spanS: number; nowMs: number },
): BrainMarket {
  const pairs = agent.pairs.flatMap((pair): PairNow[] => {
    const ends = endsOf(agent, pair)
    if (!ends) return []
    const { base, quote } = ends
    const mark = market.mark(base.address)
    return [
      {
        pair,
        base: base.token,
        quote: quote.token,
        baseSymbol: base.symbol,
        quoteSymbol: quote.symbol,
        priceE18: mark?.priceE18 ?? null,
        stale: mark?.stale ?? false,
        history: history.of(base.address, spanS),
      },
    ]
  })
  return { atS: Math.floor(nowMs / 1_000), pairs }
}

/** Holdings as shown to a brain: its own tokens, and USDG as cash. */
export function bookOf(
  agent: Pick<HostedAgent, 'tokens'>,
  held: Held,
  { market, usdg, dayUsedMicroUsd }: { market: Pick<Market, 'mark'>; usdg: Cash; dayUsedMicroUsd: bigint },
): BrainBook {
  const valueAtMark = (address: Address, decimals: number): bigint | null => {
    const atoms = held.get(address)
    const mark = market.mark(address)
    if (atoms === 0n) return 0n
    return atoms == null || !mark ? null : worthDown(atoms, markPrice(mark.priceE18, decimals))
  }
  const positions = agent.tokens.map(({ token, symbol, address, decimals }) => ({
    token,
    symbol,
    atoms: held.get(address) ?? 0n,
    microUsd: valueAtMark(address, decimals),
  }))
  const cash = valueAtMark(usdg.address, usdg.decimals)
  const isTraded = agent.tokens.some(({ address }) => address === usdg.address)
  const values = [...positions.map(({ microUsd }) => microUsd), ...(isTraded ? [] : [cash])]
  return {
    cashMicroUsd: cash ?? 0n,
    equityMicroUsd: values.includes(null)
      ? null
      : values.reduce<bigint>((sum, value) => sum + (value ?? 0n), 0n),
    positions,
    dayUsedMicroUsd,
  }
}
