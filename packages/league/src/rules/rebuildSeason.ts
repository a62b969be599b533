import { markSourcesOf } from '@pit/chain'
import { type ChainProfile, lower, NATIVE_TOKEN } from '@pit/protocol'
import type { BookTrade } from './book/book.ts'
import { replay } from './book/replay.ts'
import { type Copying, findCopies, type SeenSwap } from './copies.ts'
import { endMarkOf, FIXED_END, type MarketRecord, markAt } from './marks.ts'
import type { SeasonRecord } from './readRecord.ts'
import { ledgerTexts } from './record.ts'
import { outcomeFields, type RawTrade, type RecordedEntry } from './recordParts.ts'
import { countLedger } from './reserve.ts'
import { ruleSetOf } from './ruleSets.ts'
import { scoreRow } from './scoreRow.ts'
import { judgeSeason, numbersOf } from './season.ts'
import { seenIn } from './seenIn.ts'

/** Facts read from the chain because the record alone does not prove them. */
export interface ChainFacts {
  gasOf(trade: RawTrade): bigint | null
}

/** Recomputes the season: books from trades, then ranks, clusters, rules, places and the ledger. */
export function rebuildSeason(record: SeasonRecord, profile: ChainProfile, chain: ChainFacts) {
  const { span, entries, decidedAtS } = record
  const ruleSet = ruleSetOf(record.rulesVersion)
  const market = marketOf(record, profile)
  const balancesOf = seenIn(record.balances)
  const participants = new Set(
    entries.map(({ token }) => token).filter((token) => token !== NATIVE_TOKEN && !market.assets.has(token)),
  )
  const books = entries.map((entry) => {
    const trades = tradesOf(record.trades, entry, chain)
    const swaps = trades.flatMap(({ swap }) => (swap ? [[swap.tokenIn, swap.tokenOut]] : []))
    const own = swaps.filter((ends) => participants.has(entry.token) && ends.includes(entry.token)).length
    const others = swaps.filter(
      (ends) => !ends.includes(entry.token) && ends.some((token) => participants.has(token)),
    ).length
    const seen = balancesOf(entry.id)
    const book = replay(span, trades, span.endsAtS, market, seen)
    return { entry, trades, own, others, numbers: numbersOf(book, span.endsAtS, market, 'ended', seen) }
  })
  const copies = findCopies(books.flatMap(({ entry, trades }) => seenOf(entry.id, trades)))
  const judged = judgeSeason(
    books.map(({ entry, numbers, own, others }) => ({
      entryId: entry.id,
      party: entry.facts.party,
      numbers,
      facts: { ...entry.facts, ownTokenSwaps: own, participantSwaps: others },
      copying: copies.get(entry.id) ?? null,
      reviews: entry.facts.reviews,
    })),
    'ended',
    ruleSet,
  )
  const numbers = new Map(books.map((book) => [book.entry.id, book.numbers]))
  return {
    trades: books.reduce((sum, { trades }) => sum + trades.length, 0),
    outcome: outcomeFields(judged.outcome),
    rows: judged.rows.map((row) => ({
      entry_id: row.entryId,
      ...scoreRow(numbers.get(row.entryId)!, row, { amounts: [], checkedAtS: decidedAtS, ruleSet }),
    })),
    ledger: ledgerOf(record, market, profile, judged.rows.filter(({ place }) => place !== null).length),
    copying: Object.fromEntries(copies) as Record<string, Copying>,
  }
}

function marketOf({ marks, span }: SeasonRecord, profile: ChainProfile): MarketRecord {
  const decimals = new Map(
    [...profile.core_tokens, ...profile.listed_stocks].map((token) => [
      lower(token.address) as string,
      token.decimals,
    ]),
  )
  const sources = markSourcesOf(profile)
  const fixed = new Set<string>(sources.filter(({ kind }) => kind === 'fixed').map(({ token }) => token))
  return {
    assets: new Map(sources.map(({ token }) => [token, { decimals: decimals.get(token) ?? 18 }])),
    native: NATIVE_TOKEN,
    priceAt: (token, atS) => (fixed.has(token) ? 10n ** 18n : markAt(marks.get(token) ?? [], atS)),
    endMark: (token) => (fixed.has(token) ? FIXED_END : endMarkOf(marks.get(token) ?? [], span.endsAtS)),
  }
}

/** Trades of the entrant's wallet until it left. Mined swaps count fully, everything else by its gas only. */
function tradesOf(trades: readonly RawTrade[], entry: RecordedEntry, chain: ChainFacts): BookTrade[] {
  return trades
    .filter(({ wallet }) => wallet === entry.wallet)
    .filter(({ mined_at_s }) => entry.left_at_s === null || mined_at_s < entry.left_at_s)
    .map((trade) => {
      const { kind, status, token_in, token_out, amount_in, amount_out } = trade
      const counts = kind === 'swap' && status === 'mined' && token_in !== null && token_out !== null
      const amountIn = BigInt(amount_in ?? 0)
      return {
        id: trade.id,
        minedAtS: trade.mined_at_s,
        block: trade.block,
        swap:
          counts && amountIn > 0n
            ? { tokenIn: token_in, tokenOut: token_out, amountIn, amountOut: BigInt(amount_out ?? 0) }
            : null,
        gasWei: chain.gasOf(trade),
      }
    })
}

const seenOf = (entryId: number, trades: readonly BookTrade[]): SeenSwap[] =>
  trades.flatMap(({ id, minedAtS, block, swap }) =>
    swap ? [{ entryId, id, atS: minedAtS, block, tokenIn: swap.tokenIn, tokenOut: swap.tokenOut }] : [],
  )

/** Null if the record has no complete ledger to compare with. */
function ledgerOf(record: SeasonRecord, market: MarketRecord, profile: ChainProfile, placesWon: number) {
  const { ledger, stakes, reserveBefore } = record
  if (!ledger || ledger.status === 'incomplete') return null
  const partner = profile.core_tokens.find(({ symbol }) => symbol === 'PARTNER')?.address.toLowerCase()
  const endMark = partner === undefined ? null : market.endMark(partner)
  const mark = endMark?.priceE18 ?? null
  const price = mark ?? (ledger.mark_source === 'manual' ? BigInt(ledger.partner_price_e18 ?? 0) : null)
  const { start, end } = stakes
  const gain =
    start && end && end.withdrawn !== null
      ? BigInt(end.gain) + BigInt(end.withdrawn) - BigInt(start.gain)
      : BigInt(ledger.gain ?? 0)
  if (price === null || price <= 0n) return null
  const counted = countLedger({
    reserveBefore: BigInt(reserveBefore),
    gain,
    partnerPriceE18: price,
    placesWon,
  })
  return {
    status: ledger.status,
    ...ledgerTexts(counted),
    partner_price_e18: String(price),
    mark_source: mark === null ? ('manual' as const) : ('marks' as const),
    mark_diverges: mark === null ? null : endMark!.diverges,
  }
}
