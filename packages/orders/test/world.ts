import type { Address, Hex, Order, Trigger } from '@pit/chain'
import { NATIVE } from '@pit/chain'
import type { ListFacts, OrderFacts, OrderFills, OrdersInput, TokenMark } from '../src/types.ts'

export const at = (digit: string) => `0x${digit.repeat(40)}` as Address
export const USDG = at('a')
export const WETH = at('b')
export const TOKEN = at('c')
export const USD = 10n ** 6n
export const ETHER = 10n ** 18n
export const E18 = 10n ** 18n
export const NOW_S = 1_800_000_000
export const NONE: Trigger = { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 }
export const below = (usd: number): Trigger => ({
  kind: 'at_or_below',
  token: TOKEN,
  priceE18: BigInt(usd) * E18,
  trailBps: 0,
})
export const above = (usd: number): Trigger => ({ ...below(usd), kind: 'at_or_above' })
export const trailing = (trailBps: number): Trigger => ({
  kind: 'trailing',
  token: TOKEN,
  priceE18: 0n,
  trailBps,
})

export const NO_FILLS: OrderFills = {
  spentIn: 0n,
  receivedOut: 0n,
  parts: 0,
  lastPartMs: null,
  settledFromS: null,
  open: null,
  attempt: null,
}
/** A market sale of ten tokens, unless changed. */
export const orderOf = (change: Partial<Order> = {}): Order => ({
  tokenIn: TOKEN,
  tokenOut: USDG,
  amountIn: 10n * ETHER,
  minAmountOut: 0n,
  maxSlippageBps: 100,
  trigger: NONE,
  slices: 1,
  everyS: 0,
  startsAt: 0,
  expiresAt: NOW_S + 86_400,
  group: 0,
  parent: 0,
  ...change,
})
export const idOf = (n: number) => `0x${n.toString(16).padStart(64, '0')}` as Hex

export const factsOf = (order: Order, n: number, change: Partial<OrderFacts> = {}): OrderFacts => ({
  id: idOf(n),
  order,
  state: 'armed',
  why: null,
  watchedFromS: order.parent > 0 ? null : NOW_S,
  metRounds: null,
  peak: null,
  fills: NO_FILLS,
  ...change,
})
export const listOf = (...orders: readonly OrderFacts[]): ListFacts => ({ hash: idOf(999), orders })

export const markOf = (usd: number, change: Partial<TokenMark> = {}): TokenMark => ({
  priceE18: (BigInt(Math.round(usd * 1_000_000)) * E18) / 1_000_000n,
  decimals: 18,
  round: '7',
  updatedAtS: NOW_S + 10,
  hold: null,
  ...change,
})
const DOLLAR: TokenMark = { priceE18: E18, decimals: 6, round: null, updatedAtS: NOW_S, hold: null }

/** Ten-dollar tokens, ample balances and limits. */
export const inputOf = (
  lists: readonly ListFacts[],
  { mark = markOf(10), ...change }: Partial<Omit<OrdersInput, 'mark'>> & { mark?: TokenMark | null } = {},
): OrdersInput => ({
  lists,
  mark: (token) => (token === USDG ? DOLLAR : token === TOKEN ? (mark ?? undefined) : undefined),
  hasFeed: (token) => token === TOKEN || token === USDG,
  balance: () => 10n ** 30n,
  limits: { maxTradeMicroUsd: 10_000n * USD, dayLeftMicroUsd: 100_000n * USD, positionLeft: () => null },
  usdg: USDG,
  weth: WETH,
  canTrade: true,
  nowMs: (NOW_S + 20) * 1_000,
  ...change,
})
