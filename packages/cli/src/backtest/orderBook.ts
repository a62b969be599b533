import { applyFill } from '@pit/brains'
import type { Backtest, StoredMark } from '@pit/brains/backtest'
import type { Address, Order } from '@pit/chain'
import type { OrderPart, TokenMark } from '@pit/orders'
import { exchangeDown, feeOf, lessPipsDown, markPrice, rescaleDown, worthDown } from '@pit/protocol'

/** A token of the orders; its marks are stored under its symbol. */
export interface SimToken {
  address: Address
  symbol: string
  decimals: number
}
export interface OrderBookInput {
  orders: readonly Order[]
  tokens: ReadonlyMap<Address, SimToken>
  usdg: SimToken
  /** By symbol, oldest first; USDG needs none. */
  marks: ReadonlyMap<string, readonly StoredMark[]>
  /** Of USDG; other tokens start with the amounts that the orders sell. */
  cashMicroUsd: bigint
  terms: Backtest['terms']
}

type Fill = Backtest['fills'][number]
export type PartOutcome =
  | { kind: 'filled'; fill: Fill; amountOut: bigint }
  | { kind: 'unfunded' | 'beyond_minimum' }

export interface OrderBook {
  mark(token: Address, atS: number): TokenMark | undefined
  balance(token: Address): bigint
  /** Null without a price. */
  worth(token: Address, atS: number): bigint | null
  /** Of the whole book; null if a token has no price. */
  value(atS: number): bigint | null
  /** Amounts with 18 decimals. */
  shown(atS: number): Backtest['book']
  fill(part: OrderPart, atS: number, reason: string): PartOutcome
}

/** Older marks are stale, as in live ticks. */
const STALE_AFTER_S = 180
const DOLLAR_E18 = 10n ** 18n

/** Balances of a backtest. A fill is at the mark, worse by the slippage, less fee and gas. */
export function openOrderBook(input: OrderBookInput): OrderBook {
  const { tokens, usdg, marks, terms } = input
  const tokenOf = (address: Address): SimToken => (address === usdg.address ? usdg : tokens.get(address)!)
  const balances = startOf(input)

  function mark(token: Address, atS: number): TokenMark | undefined {
    const { symbol, decimals } = tokenOf(token)
    if (token === usdg.address)
      return { priceE18: DOLLAR_E18, decimals, round: String(atS), updatedAtS: atS, hold: null }
    const last = lastMark(marks.get(symbol) ?? [], atS)
    if (!last) return undefined
    const isStale = last.stale === true || atS - last.atS > STALE_AFTER_S
    const { priceE18, atS: updatedAtS } = last
    return { priceE18, decimals, round: String(updatedAtS), updatedAtS, hold: isStale ? 'stale' : null }
  }
  const priceOf = (token: Address, atS: number) => {
    const { priceE18, decimals } = mark(token, atS)!
    return markPrice(priceE18, decimals)
  }
  const worthOf = (token: Address, atoms: bigint, atS: number): bigint | null => {
    if (atoms === 0n) return 0n
    return mark(token, atS) ? worthDown(atoms, priceOf(token, atS)) : null
  }
  const in18 = (token: Address, atoms: bigint): bigint => rescaleDown(atoms, tokenOf(token).decimals, 18)
  const gas = rescaleDown(terms.gasMicroUsd, 6, usdg.decimals)

  function fill(part: OrderPart, atS: number, reason: string): PartOutcome {
    const { tokenIn, tokenOut, amountIn, microUsd } = part
    const fee = feeOf(amountIn, terms.feeBps)
    const fair = exchangeDown(amountIn - fee, priceOf(tokenIn, atS), priceOf(tokenOut, atS))
    const amountOut = lessPipsDown(fair, terms.slippageBps * 100)
    const isPriced = amountOut >= part.minAmountOut && terms.slippageBps <= part.maxSlippageBps
    if (!isPriced) return { kind: 'beyond_minimum' }
    const movement = { tokenIn, tokenOut, amountIn, amountOut, gasUsdgAtoms: gas }
    const applied = applyFill(balances, movement, usdg.address)
    if (!applied.ok) return { kind: 'unfunded' }
    for (const [token, atoms] of applied.after) balances.set(token, atoms)
    const [asset, money] = tokenIn === usdg.address ? [tokenOut, tokenIn] : [tokenIn, tokenOut]
    return {
      kind: 'filled',
      amountOut,
      fill: {
        atS,
        pair: `${tokenOf(asset).symbol}/${tokenOf(money).symbol}`,
        side: tokenIn === usdg.address ? 'buy' : 'sell',
        microUsd,
        priceE18: mark(asset, atS)!.priceE18,
        tokenIn: tokenOf(tokenIn).symbol,
        tokenOut: tokenOf(tokenOut).symbol,
        amountIn: in18(tokenIn, amountIn),
        amountOut: in18(tokenOut, amountOut),
        gasUsdgAtoms: in18(usdg.address, gas),
        feeMicroUsd: worthOf(tokenIn, fee, atS) ?? 0n,
        gasMicroUsd: terms.gasMicroUsd,
        reason,
      },
    }
  }

  return {
    mark,
    balance: (token) => balances.get(token) ?? 0n,
    worth: (token, atS) => worthOf(token, balances.get(token) ?? 0n, atS),
    value: (atS) =>
      [...balances].reduce<bigint | null>((sum, [token, atoms]) => {
        const worth = worthOf(token, atoms, atS)
        return sum === null || worth === null ? null : sum + worth
      }, 0n),
    shown: (atS) =>
      [...balances].map(([token, atoms]) => ({
        token: tokenOf(token).symbol,
        atomsE18: in18(token, atoms),
        microUsd: worthOf(token, atoms, atS),
      })),
    fill,
  }
}

/** The newest mark at or before this second, by binary search. */
function lastMark(marks: readonly StoredMark[], atS: number): StoredMark | undefined {
  let [low, high] = [0, marks.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (marks[middle]!.atS <= atS) low = middle + 1
    else high = middle
  }
  return marks[low - 1]
}

/** Cash, and what orders without an entry sell; a group sells its amount once. */
function startOf({ orders, usdg, cashMicroUsd }: OrderBookInput): Map<Address, bigint> {
  const balances = new Map<Address, bigint>([[usdg.address, rescaleDown(cashMicroUsd, 6, usdg.decimals)]])
  for (const [i, { tokenIn, amountIn, parent, group }] of orders.entries()) {
    const isFirst = group === 0 || orders.findIndex((one) => one.group === group) === i
    if (tokenIn === usdg.address || parent > 0 || !isFirst) continue
    balances.set(tokenIn, (balances.get(tokenIn) ?? 0n) + amountIn)
  }
  return balances
}
