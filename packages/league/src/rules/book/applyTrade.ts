import { DAY_S, isWithinBps, markPrice, maxOf, minOf, worthDown, worthUp } from '@pit/protocol'
import type { MarketRecord } from '../marks.ts'
import { RULES } from '../numbers.ts'
import { addTo, takeBasis } from './basis.ts'
import type { Book, BookTrade } from './book.ts'

type Swap = NonNullable<BookTrade['swap']>

/** Books one transaction. Fees are included: the amounts are those that left and reached the wallet. */
export function applyTrade(book: Book, trade: BookTrade, market: MarketRecord): void {
  if (trade.gasWei === null) book.unknownGas++
  else book.gasWei += trade.gasWei
  book.cursor = { minedAtS: trade.minedAtS, block: trade.block, id: trade.id }
  if (!trade.swap) return
  const { swap, minedAtS } = trade
  book.trades++
  book.days.add(Math.floor(minedAtS / DAY_S))
  const paid = valueAt(swap.tokenIn, swap.amountIn, minedAtS, market)
  const received = valueAt(swap.tokenOut, swap.amountOut, minedAtS, market)
  if (isOutlier(paid, received)) book.outliers++
  if (paid !== null && received !== null) book.overMarksMicroUsd += received - paid
  if (isRoundTrip(book.last, swap, minedAtS)) book.roundTrips++
  book.last = { tokenIn: swap.tokenIn, tokenOut: swap.tokenOut, amountOut: swap.amountOut, atS: minedAtS }
  const removal = remove(book, swap, minedAtS, market)
  // If the book never bought an unmarked token, neither its sale nor the proceeds belong to the book.
  const bookedOut = (swap.amountOut * removal.atoms) / swap.amountIn
  if (!market.assets.has(swap.tokenIn)) {
    const proceeds = valueAt(swap.tokenOut, bookedOut, minedAtS, market)
    if (proceeds !== null && removal.costMicroUsd !== null)
      book.unmarkedGainMicroUsd += proceeds - removal.costMicroUsd
  }
  if (bookedOut > 0n) put(book, swap.tokenOut, bookedOut, removal, market)
}

/** Atoms a swap removes from the book, and their cost; the cost is null if it cannot be valued. */
interface Removal {
  atoms: bigint
  costMicroUsd: bigint | null
  basisMicroUsd: bigint
}

function remove(book: Book, { tokenIn, amountIn }: Swap, atS: number, market: MarketRecord): Removal {
  const asset = market.assets.get(tokenIn)
  if (!asset) return removeUnmarked(book, tokenIn, amountIn)
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

/** Removes up to `most` atoms of a token without a mark from the book. */
export function removeUnmarked(book: Book, token: string, most: bigint): Removal {
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
  { costMicroUsd: cost, basisMicroUsd }: Removal,
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

/** Far from the marks of its minute, in either direction. False without both marks. */
const isOutlier = (paid: bigint | null, received: bigint | null): boolean =>
  paid !== null && received !== null && !isWithinBps(received, paid, RULES.outlierBps)

function valueAt(token: string, atoms: bigint, atS: number, market: MarketRecord): bigint | null {
  const asset = market.assets.get(token)
  const priceE18 = asset ? market.priceAt(token, atS) : null
  return asset && priceE18 !== null ? worthDown(atoms, markPrice(priceE18, asset.decimals)) : null
}

/** Sells back within minutes about the amount that the previous swap bought. */
function isRoundTrip(last: Book['last'], swap: Swap, atS: number): boolean {
  if (!last || last.tokenIn !== swap.tokenOut || last.tokenOut !== swap.tokenIn) return false
  if (atS - last.atS > RULES.roundTripWindowS) return false
  return isWithinBps(swap.amountIn, last.amountOut, RULES.roundTripNearBps)
}
