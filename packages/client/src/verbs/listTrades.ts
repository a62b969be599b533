import type { Answer } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { refuse } from '../errors.ts'
import { ownAnswer } from '../verify/ownAnswer.ts'

type Page = Answer<'me.trades'>

/**
 * The wallet's trades, newest first. Every page must lie below the one before it.
 * @param options `refused` includes refused trades
 * @returns an async iterator
 * @throws ACCOUNT_SHAPE a page is malformed or out of order
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
): AsyncGenerator<Page['trades'][number]> {
  for (let before: number | undefined; ; ) {
    const query = { ...(before !== undefined && { before }), ...(refused && { refused: '1' as const }) }
    const page = ownAnswer('me.trades', account, await api['me.trades']({ query }, { signal }))
    checkOrder(page, before)
    yield* page.trades
    if (page.next_before === null) return
    before = page.next_before
  }
}

function checkOrder({ trades, next_before }: Page, before = Number.POSITIVE_INFINITY): void {
  let last = before
  for (const { id } of trades) {
    if (id >= last) refuse('ACCOUNT_SHAPE', `me.trades: trade ${id} is out of order or listed twice`)
    last = id
  }
  const isNext = next_before === null || (trades.length > 0 && next_before === last)
  if (!isNext) refuse('ACCOUNT_SHAPE', 'me.trades: next_before is not the last trade of its page')
}
