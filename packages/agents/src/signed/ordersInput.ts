import type { BrainBook } from '@pit/brains'
import { type Address, markSourcesOf } from '@pit/chain'
import type { Mark, Market } from '@pit/market'
import type { OrdersInput, TokenMark } from '@pit/orders'
import { atomsDown, type ChainProfile, lower, markPrice } from '@pit/protocol'
import type { AgentToken, HostedAgent } from '../types.ts'
import type { StoredList } from './store.ts'

/** Prices and tokens for decisions about signed orders. */
export interface OrderMarket {
  mark(token: Address): TokenMark | undefined
  /** How a token is priced; undefined without an independent price. */
  sourceOf(token: Address): 'feed' | 'twap' | 'fixed' | undefined
  usdg: Address
  weth: Address | null
}

const HOLDS = { closed: 'closed', frozen: 'paused', heartbeat: 'stale', off_peg: 'stale' } as const

const markNow = (mark: Mark, decimals: number): TokenMark => ({
  priceE18: mark.priceE18,
  decimals,
  round: mark.roundId?.toString() ?? null,
  updatedAtS: mark.updatedAtS,
  hold: mark.staleWhy ? HOLDS[mark.staleWhy] : null,
})

export function createOrderMarket({
  market,
  profile,
}: {
  market: Pick<Market, 'mark'>
  profile: ChainProfile
}): OrderMarket {
  const sources = new Map(markSourcesOf(profile).map(({ token, kind }) => [token, kind]))
  const decimals = new Map(
    [...profile.core_tokens, ...profile.listed_stocks].map((one) => [lower(one.address), one.decimals]),
  )
  const core = (symbol: string) => profile.core_tokens.find((one) => one.symbol === symbol)
  const weth = core('WETH')
  return {
    mark(token) {
      const mark = market.mark(token)
      return mark && markNow(mark, decimals.get(token) ?? 18)
    },
    sourceOf: (token) => sources.get(token),
    usdg: lower(core('USDG')?.address ?? ''),
    weth: weth ? lower(weth.address) : null,
  }
}

/** Kept of a paper book's USDG for gas. */
const PAPER_GAS_MICRO_USD = 250_000n

export interface OrdersNow {
  agent: Pick<HostedAgent, 'limits' | 'tokens' | 'mode'>
  lists: readonly StoredList[]
  held: ReadonlyMap<Address, bigint | null>
  book: BrainBook
  /** Value of a token without an independent mark. */
  referenceMicroUsd?(token: AgentToken, atoms: bigint): bigint | null
  canTrade: boolean
  blockedBy: string | null
  nowMs: number
}

export function ordersInput(market: OrderMarket, now: OrdersNow): OrdersInput {
  const { agent, book, held } = now
  const { maxTradeMicroUsd, maxDayMicroUsd, maxPositionMicroUsd } = agent.limits
  const usdg = agent.tokens.find(({ address }) => address === market.usdg)
  const gasAtoms =
    agent.mode === 'paper' && usdg ? atomsDown(PAPER_GAS_MICRO_USD, markPrice(10n ** 18n, usdg.decimals)) : 0n
  return {
    lists: now.lists,
    mark: market.mark,
    hasFeed: (token) => market.sourceOf(token) !== undefined,
    balance(token) {
      const atoms = held.get(token) ?? undefined
      return atoms !== undefined && token === market.usdg ? atoms - gasAtoms : atoms
    },
    limits: {
      maxTradeMicroUsd,
      dayLeftMicroUsd: maxDayMicroUsd - book.dayUsedMicroUsd,
      positionLeft(address) {
        if (address === market.usdg) return null
        const token = agent.tokens.find((one) => one.address === address)
        const position = book.positions.find((one) => one.token === token?.token)
        if (!token || !position) return undefined
        const value =
          position.microUsd ??
          (position.atoms === 0n ? 0n : (now.referenceMicroUsd?.(token, position.atoms) ?? null))
        return value === null ? undefined : maxPositionMicroUsd - value
      },
    },
    usdg: market.usdg,
    weth: market.weth,
    canTrade: now.canTrade,
    blockedBy: now.blockedBy,
    nowMs: now.nowMs,
  }
}
