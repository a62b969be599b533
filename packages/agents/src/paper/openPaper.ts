import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { fail } from '@pit/protocol'
import type { Cash, PaperDeps } from './deps.ts'
import { fillOrder } from './fill.ts'
import { usdgAtomsOf } from './rules.ts'
import { insertBook, keepEquity, listFills, readBooks } from './store.ts'
import { createThinner } from './thinEquity.ts'
import type { Paper } from './types.ts'
import { createValuer } from './valueBook.ts'

/** Books that trade on paper: real quotes, fees and gas, no chain. */
export function openPaper(deps: PaperDeps): Paper {
  const { db, clock } = deps
  const valueBook = createValuer(deps)
  const thinEquity = createThinner(db)
  const usdg = deps.profile.core_tokens.find(({ symbol }) => symbol === 'USDG')
  const cash = (): Cash =>
    usdg
      ? { address: usdg.address.toLowerCase() as Address, decimals: usdg.decimals }
      : fail('LIVE_UNAVAILABLE', { message: 'This chain has no USDG: no book can be kept in it.' })

  const bookNow: Paper['bookNow'] = async (bookIds) => {
    if (bookIds.length === 0) return new Map()
    const rows = await readBooks(db, bookIds)
    return new Map(rows.map((row) => [row.id, valueBook(row)]))
  }
  return {
    async openBook(sql, { owner, startMicroUsd, atS }) {
      const { address, decimals } = cash()
      const startAtoms = usdgAtomsOf(startMicroUsd, decimals)
      return insertBook(sql, { owner, startMicroUsd, startAtoms, usdg: address, atS })
    },
    fill: async (ask) => fillOrder(deps, cash(), ask),
    bookNow,
    async recordEquity(bookIds, atS) {
      const books = await bookNow(bookIds)
      const rows = [...books].flatMap(([bookId, { equityMicroUsd }]) =>
        equityMicroUsd === null ? [] : [{ bookId, microUsd: equityMicroUsd }],
      )
      await keepEquity(db, Math.floor(atS / 60) * 60, rows)
    },
    fillsOf: (bookId, page) => listFills(db, bookId, page),
    sweep: () => thinEquity(nowS(clock)),
  }
}
