import type { Answer, QueryInput } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { readPages } from '../pages.ts'
import { ownWallet } from '../verify/ownWallet.ts'

type Row = Answer<'me.trades'>['trades'][number]

/** The most that the route returns. */
const PAGE = 100

/**
 * The wallet's trades, newest first: 100,000 at most.
 * @param options `refused` includes refused trades
 * @returns an async iterator
 * @throws ACCOUNT_SHAPE a page is malformed, out of order or not full, or the pages do not end
 * @throws ACCOUNT_WALLET a page is about another wallet
 * @example
 * ```ts
 * for await (const { id, status } of client.trades()) {
 *   console.log(id, status)
 *   break
 * }
 * ```
 */
export async function* listTrades(
  { api, account }: ClientDeps,
  { refused = false, signal }: { refused?: boolean } & VerbOptions = {},
): AsyncGenerator<Row> {
  yield* readPages(
    async (before) => {
      const query = { limit: PAGE, before, ...(refused && { refused: '1' as const }) }
      const answer = await api['me.trades']({ query: query as QueryInput<'me.trades'> }, { signal })
      const { trades, next_before } = ownWallet(account, answer)
      return { rows: trades, next_before }
    },
    { what: 'me.trades', limit: PAGE },
  )
}
