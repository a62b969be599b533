import { type BrainBook, type BrainMarket, isRuleBrain, type PairNow, RULE_BRAINS } from '@pit/brains'
import type { Address } from '@pit/chain'
import type { Market } from '../../market/index.ts'
import type { AgentToken, HostedAgent } from '../types.ts'
import { type MarkHistory, MOST_HISTORY_S } from './history.ts'
import type { Held } from './types.ts'

/** How much history a webhook or a model is shown. */
const SHOWN_HISTORY_S = 86_400

export interface Ends {
  base: AgentToken
  quote: AgentToken
}

/** The two ends of one of the agent's own pairs; undefined for any other text. */
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

/** How far back this agent's brain looks. */
export function historyOf({ brain, params }: Pick<HostedAgent, 'brain' | 'params'>): number {
  if (!isRuleBrain(brain)) return SHOWN_HISTORY_S
  return Math.min(RULE_BRAINS[brain].historyS(params), MOST_HISTORY_S)
}

/** What a brain sees of the market: its own pairs at independent marks. */
export function marketOf(
  agent: Pick<HostedAgent, 'pairs' | 'tokens' | 'brain' | 'params'>,
  { market, history, nowMs }: { market: Pick<Market, 'mark'>; history: MarkHistory; nowMs: number },
): BrainMarket {
  const spanS = historyOf(agent)
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

/** A balance at a price, in millionths of a dollar, rounded down. */
const worthOf = (atoms: bigint, decimals: number, priceE18: bigint): bigint =>
  (atoms * priceE18) / 10n ** BigInt(decimals + 12)

/** What a brain sees of what it holds. Tokens it does not trade are not its business. */
export function bookOf(
  agent: Pick<HostedAgent, 'tokens'>,
  held: Held,
  { market, usdg, dayUsedMicroUsd }: { market: Pick<Market, 'mark'>; usdg: Address; dayUsedMicroUsd: bigint },
): BrainBook {
  const positions = agent.tokens.map(({ token, symbol, address, decimals }) => {
    const atoms = held.get(address)
    const mark = market.mark(address)
    const microUsd = atoms == null || !mark ? null : worthOf(atoms, decimals, mark.priceE18)
    return { token, symbol, address, atoms: atoms ?? 0n, microUsd: atoms === 0n ? 0n : microUsd }
  })
  const cash = positions.find(({ address }) => address === usdg)
  const isKnown = positions.every(({ microUsd }) => microUsd !== null)
  return {
    cashMicroUsd: cash?.microUsd ?? 0n,
    equityMicroUsd: isKnown ? positions.reduce((sum, { microUsd }) => sum + (microUsd ?? 0n), 0n) : null,
    positions: positions.map(({ address: _, ...position }) => position),
    dayUsedMicroUsd,
  }
}
