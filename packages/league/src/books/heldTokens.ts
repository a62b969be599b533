import type { Address } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import type { Holding } from '@pit/platform/reads'
import type { SeasonSpan } from '../rules/index.ts'
import { readCursor, relayedAfter } from './store.ts'

export interface HeldToken extends Holding {
  entryId: number
}

const PAGE = 2_000

/**
 * Tokens each entrant's book may hold at a full hour that was not sampled yet: its current holdings, and
 * tokens bought since by relayed transactions that are not taken.
 */
export async function heldTokens(db: Db, span: SeasonSpan): Promise<(atS: number) => HeldToken[]> {
  const books = await db.query<{
    entry_id: number
    wallet: Address
    held: Record<string, unknown>
    unmarked: Record<string, unknown>
  }>(
    `select b.entry_id, e.wallet, b.book->'held' as held, b.book->'unmarked' as unmarked
     from league_books b join league_entries e on e.id = b.entry_id where b.season = $1 order by b.entry_id`,
    [span.number],
  )
  /** By wallet and token, from when it may be held. */
  const bought = new Map<Address, Map<Address, number>>(books.map(({ wallet }) => [wallet, new Map()]))
  for (let after: number | null = await readCursor(db); after !== null; ) {
    const { trades, next } = await relayedAfter(db, after, PAGE)
    for (const { wallet, kind, tokenOut, minedAtS } of trades) {
      const tokens = bought.get(wallet)
      if (kind !== 'swap' || tokenOut === null || !tokens) continue
      const fromS = minedAtS ?? span.startsAtS
      if (fromS >= span.startsAtS) tokens.set(tokenOut, Math.min(fromS, tokens.get(tokenOut) ?? fromS))
    }
    after = next
  }
  return (atS) =>
    books.flatMap(({ entry_id: entryId, wallet, held, unmarked }) => {
      const since = [...(bought.get(wallet) ?? [])].filter(([, fromS]) => fromS < atS)
      const tokens = new Set([
        ...Object.keys(held),
        ...Object.keys(unmarked),
        ...since.map(([token]) => token),
      ])
      return [...tokens].map((token) => ({ entryId, wallet, token: token as Address }))
    })
}
