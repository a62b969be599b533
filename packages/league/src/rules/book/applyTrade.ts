import { DAY_S, isWithinBps, markPrice, maxOf, minOf, worthDown, worthUp } from '@pit/protocol'
import type { MarketRecord } from '../marks.ts'
import { RULES } from '../numbers.ts'
import { addTo, takeBasis } from './basis.ts'
import type { Book, BookTrade } from './book.ts'

type Swap = NonNullable<BookTrade['swap']>

/** Books one transaction. Fees are inside: the amounts are what left and what reached the wallet. */
export function applyTrade(book: Book, trade: BookTrade, market: MarketRecord): void {
  if (trade.gasWei === null) book.unknownGas++
  else book.gasWei += trade.gasWei
  book.cursor = { minedAtS: trade.minedAtS, block: trade.block, id: trade.id }
  if (!trade.swap) return
  const { swap, minedAtS } = trade
  book.trades++
  book.days.add(Math.floor(minedAtS / DAY_S))
  const given = valueAt(swap.tokenIn, swap.amountIn, minedAtS, market)
  const got = valueAt(swap.tokenOut, swap.amountOut, minedAtS, market)
  if (isOutlier(given, got)) book.outliers++
  if (given !== null && got !== null) book.overMarksMicroUsd += got - given
  if (takesBack(book.last, swap, minedAtS)) book.roundTrips++
  book.last = { tokenIn: swap.tokenIn, tokenOut: swap.tokenOut, amountOut: swap.amountOut, atS: minedAtS }
  const taken = take(book, swap, minedAtS, market)
  // Of a token without a mark that the book never bought, neither the sale nor what came of it is the book's.
  const received = (swap.amountOut * taken.atoms) / swap.amountIn
  if (!market.assets.has(swap.tokenIn)) {
    const proceeds = valueAt(swap.tokenOut, received, minedAtS, market)
    if (proceeds !== null && taken.costMicroUsd !== null)
      book.unmarkedGainMicroUsd += proceeds - taken.costMicroUsd
  }
  if (received > 0n) put(book, swap.tokenOut, received, taken, market)
}

/** What a swap takes out of the book, and what that cost; the cost is null when it cannot be valued. */
interface Taken {
  atoms: bigint
  costMicroUsd: bigint | null
  basisMicroUsd: bigint
}

function take(book: Book, { tokenIn, amountIn }: Swap, atS: number, market: MarketRecord): Taken {
  const asset = market.assets.get(tokenIn)
  if (!asset) return takeUnmarked(book, tokenIn, amountIn)
  const priceE18 = market.priceAt(tokenIn, atS)
  const held = book.held.get(tokenIn) ?? 0n
  const lacking = amountIn > held ? amountIn - held : 0n
  if (lacking > 0n) {
    if (priceE18 === null) book.unvaluedTrades++
    else bring(book, tokenIn, worthUp(lacking, markPrice(priceE18, asset.decimals)))
  }
  const basisMicroUsd = takeBasis(book, tokenIn, amountIn, held + lacking)
  addTo(book.held, tokenIn, lacking - amountIn)
  const costMicroUsd = priceE18 === null ? null : worthDown(amountIn, markPrice(priceE18, asset.decimals))
  return { atoms: amountIn, costMicroUsd, basisMicroUsd }
}

function bring(book: Book, token: string, microUsd: bigint): void {
  book.broughtMicroUsd += microUsd
  book.capitalMicroUsd = maxOf(book.capitalMicroUsd, book.broughtMicroUsd - book.leftMicroUsd)
  addTo(book.basis, token, microUsd)
}

/** Takes at most so much of a token without a mark out of the book. */
export function takeUnmarked(book: Book, token: string, most: bigint): Taken {
  const position = book.unmarked.get(token)
  if (!position) return { atoms: 0n, costMicroUsd: 0n, basisMicroUsd: 0n }
  const atoms = minOf(most, position.atoms)
  const basisMicroUsd = takeBasis(book, token, atoms, position.atoms)
  const rest = position.atoms - atoms
  if (rest === 0n) {
    book.unmarked.delete(token)
    return { atoms, costMicroUsd: position.costMicroUsd, basisMicroUsd }
  }
  const cost = position.costMicroUsd
  const restCost = cost === null ? null : (cost * rest) / position.atoms
  book.unmarked.set(token, { atoms: rest, costMicroUsd: restCost })
  return { atoms, costMicroUsd: cost === null || restCost === null ? null : cost - restCost, basisMicroUsd }
}

function put(
  book: Book,
  token: string,
  atoms: bigint,
  { costMicroUsd: cost, basisMicroUsd }: Taken,
  market: MarketRecord,
): void {
  addTo(book.basis, token, basisMicroUsd)
  if (market.assets.has(token)) {
    addTo(book.held, token, atoms)
    return
  }
  const position = book.unmarked.get(token) ?? { atoms: 0n, costMicroUsd: 0n }
  book.unmarked.set(token, {
    atoms: position.atoms + atoms,
    costMicroUsd: position.costMicroUsd === null || cost === null ? null : position.costMicroUsd + cost,
  })
}

/** Far from the marks of its minute, either way. Without both marks nothing can be said. */
const isOutlier = (given: bigint | null, got: bigint | null): boolean =>
  given !== null && got !== null && !isWithinBps(got, given, RULES.outlierBps)

function valueAt(token: string, atoms: bigint, atS: number, market: MarketRecord): bigint | null {
  const asset = market.assets.get(token)
  const priceE18 = asset ? market.priceAt(token, atS) : null
  return asset && priceE18 !== null ? worthDown(atoms, markPrice(priceE18, asset.decimals)) : null
}

/** Sells back within minutes about what the swap before bought. */
function takesBack(last: Book['last'], swap: Swap, atS: number): boolean {
  if (!last || last.tokenIn !== swap.tokenOut || last.tokenOut !== swap.tokenIn) return false
  if (atS - last.atS > RULES.roundTripWindowS) return false
  return isWithinBps(swap.amountIn, last.amountOut, RULES.roundTripNearBps)
}
