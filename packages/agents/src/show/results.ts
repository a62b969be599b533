import type { Address } from '@pit/chain'
import { type Answer, markPrice, pipsTowardsZero, usdOf, worthDown } from '@pit/protocol'
import type { BookNow } from '../paper/index.ts'
import type { AgentToken } from '../types.ts'
import type { FeeSums, TradeSums } from './liveTrades.ts'

/** Results of an agent in dollars at independent marks. A missing mark makes a sum null, never smaller. */

type Shown = Answer<'hosted.list'>['agents'][number]
export type Pnl = NonNullable<Shown['pnl']>
export type LiveStats = NonNullable<Shown['live_stats']>
type PaperPnl = Extract<Pnl, { basis: 'paper_book' }>
type LivePnl = Extract<Pnl, { basis: 'mined_trades' }>

export interface Fall {
  microUsd: bigint
  fromMicroUsd: bigint
}

const percentOf = (part: bigint, whole: bigint): number | null =>
  whole <= 0n ? null : Number(pipsTowardsZero(part, whole)) / 10_000

/** Results of a paper agent's book. `fall`: max drawdown, if read. */
export function paperPnl(book: BookNow, tokens: readonly AgentToken[], fall?: Fall | null): PaperPnl {
  const { equityMicroUsd: equity, startMicroUsd: start } = book
  const profit = equity === null ? null : equity - start
  const deepest = fall === undefined ? undefined : deeperOf(fall, start, profit)
  return {
    basis: 'paper_book',
    since: book.openedAtS,
    start_usd: usdOf(start),
    equity_usd: equity === null ? null : usdOf(equity),
    profit_usd: profit === null ? null : usdOf(profit),
    return_pct: profit === null ? null : percentOf(profit, start),
    ...(deepest !== undefined && {
      max_drawdown_usd: deepest === null ? null : usdOf(deepest.microUsd),
      max_drawdown_pct: deepest === null ? null : percentOf(deepest.microUsd, deepest.fromMicroUsd),
    }),
    positions: book.balances.map(({ token, symbol, atoms, microUsd }) => ({
      token,
      symbol: symbol ?? tokens.find(({ address }) => address === token)?.symbol ?? null,
      amount_atoms: atoms.toString(),
      value_usd: microUsd === null ? null : usdOf(microUsd),
    })),
    unpriced: [...book.unpriced],
  }
}

/** The book is valued periodically, so the current loss may exceed the recorded drawdown. */
function deeperOf(fall: Fall | null, start: bigint, profit: bigint | null): Fall | null {
  const loss = profit === null ? 0n : -profit
  return loss > (fall?.microUsd ?? 0n) ? { microUsd: loss, fromMicroUsd: start } : fall
}

export interface Marked {
  decimals(token: Address): number | undefined
  priceE18(token: Address): bigint | undefined
}

/** Results of a live agent: outputs less inputs of mined trades at marks, after fees, without gas. */
export function livePnl(sums: readonly TradeSums[], marks: Marked): LivePnl | null {
  const mined = sums.filter(({ status }) => status === 'mined')
  if (mined.length === 0) return null
  const flows = new Map<Address, bigint>()
  const add = (token: Address, atoms: bigint) => flows.set(token, (flows.get(token) ?? 0n) + atoms)
  for (const { tokenIn, tokenOut, amountIn, amountOut } of mined) {
    add(tokenIn, -amountIn)
    add(tokenOut, amountOut)
  }
  const unpriced: Address[] = []
  let profit = 0n
  for (const [token, atoms] of flows) {
    if (atoms === 0n) continue
    const decimals = marks.decimals(token)
    const price = marks.priceE18(token)
    if (decimals === undefined || price === undefined) unpriced.push(token)
    else profit += worthDown(atoms, markPrice(price, decimals))
  }
  return {
    basis: 'mined_trades',
    since: Math.floor(Math.min(...mined.map(({ firstAtMs }) => firstAtMs)) / 1_000),
    equity_usd: null,
    profit_usd: unpriced.length > 0 ? null : usdOf(profit),
    flows: [...flows].map(([token, atoms]) => ({ token, amount_atoms: atoms.toString() })),
    unpriced,
  }
}

/** Counts of live trades. */
export function liveStats(sums: readonly TradeSums[], fees: readonly FeeSums[]): LiveStats {
  const count = (...statuses: TradeSums['status'][]) =>
    sums.filter(({ status }) => statuses.includes(status)).reduce((total, { trades }) => total + trades, 0)
  const mined = sums.filter(({ status }) => status === 'mined')
  const volume = mined.reduce((total, { volumeMicroUsd }) => total + volumeMicroUsd, 0n)
  const last = Math.max(0, ...sums.map(({ lastAtMs }) => lastAtMs))
  return {
    mined: count('mined'),
    pending: count('relaying', 'pending'),
    reverted: count('reverted'),
    dropped: count('dropped'),
    volume_usd: usdOf(volume),
    fees: fees.map(({ token, atoms }) => ({ token, amount_atoms: atoms.toString() })),
    last_trade_at: last === 0 ? null : Math.floor(last / 1_000),
  }
}
