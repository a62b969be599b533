import type { Address } from '@pit/chain'
import { sweepJob } from '@pit/platform/jobs'
import { fail, markPrice, rescaleDown, worthDown } from '@pit/protocol'
import type { Cash, PaperDeps } from './deps.ts'
import { fillOrder } from './fill.ts'
import { type BookRow, insertBook, keepFalls, listFills, readBooks, sweepFills } from './store.ts'
import type { BookNow, Holding, Paper } from './types.ts'

/** Paper books: real quotes, fees and gas, no transactions. */
export function openPaper(deps: PaperDeps): Paper {
  const { db, clock, history } = deps
  const valueBook = createValuer(deps)
  const sweep = () => sweepFills(db, clock.nowMs())
  const usdg = deps.profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  const cash = (): Cash =>
    usdg
      ? { address: usdg.address.toLowerCase() as Address, decimals: usdg.decimals }
      : fail('LIVE_UNAVAILABLE', { message: 'Paper books need USDG, which this chain does not have.' })

  const bookNow: Paper['bookNow'] = async (bookIds) => {
    if (bookIds.length === 0) return new Map()
    const rows = await readBooks(db, bookIds)
    return new Map(rows.map((row) => [row.id, valueBook(row)]))
  }
  return {
    async openBook(sql, { owner, startMicroUsd, atS }) {
      const { address, decimals } = cash()
      const startAtoms = rescaleDown(startMicroUsd, 6, decimals)
      return insertBook(sql, { owner, startMicroUsd, startAtoms, usdg: address, atS })
    },
    fill: async (request) => fillOrder(deps, cash(), request),
    bookNow,
    async recordEquity(bookIds) {
      const books = await bookNow(bookIds)
      const rows = [...books].flatMap(([bookId, { equityMicroUsd }]) =>
        equityMicroUsd === null ? [] : [{ bookId, microUsd: equityMicroUsd }],
      )
      await keepFalls(db, rows)
      await history.append(
        rows.map(({ bookId, microUsd }) => ({ series: bookSeries(bookId), value: microUsd })),
      )
    },
    fillsOf: (bookId, page) => listFills(db, bookId, page),
    sweep,
    jobs: { everywhere: [], worker: [sweepJob('sweep paper books', sweep)] },
  }
}

/** A book's equity in the history, in micro-dollars. */
export const bookSeries = (bookId: number): string => `book:${bookId}`

/** Values books at independent marks, all read at once. */
function createValuer({ profile, market }: Pick<PaperDeps, 'profile' | 'market'>) {
  const profileTokens = [...profile.core_tokens, ...profile.listed_stocks]
  const texts = new Map(
    profileTokens.map(({ address, symbol, decimals }) => [address.toLowerCase(), { symbol, decimals }]),
  )

  function holdingOf(token: Address, atoms: bigint): Holding {
    const text = texts.get(token)
    const mark = text && market.mark(token)
    return {
      token,
      symbol: text?.symbol ?? null,
      decimals: text?.decimals ?? null,
      atoms,
      microUsd: mark && text ? worthDown(atoms, markPrice(mark.priceE18, text.decimals)) : null,
    }
  }

  return (row: BookRow): BookNow => {
    const balances = row.tokens.map((token, i) => holdingOf(token, BigInt(row.atoms[i]!)))
    const unpriced = balances.filter(({ microUsd }) => microUsd === null).map(({ token }) => token)
    const total = balances.reduce((sum, { microUsd }) => sum + (microUsd ?? 0n), 0n)
    return {
      startMicroUsd: BigInt(row.start_micro_usd),
      openedAtS: row.opened_at_s,
      balances,
      equityMicroUsd: unpriced.length > 0 ? null : total,
      unpriced,
    }
  }
}
