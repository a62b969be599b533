import type { Hex } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { boundControls } from '@pit/protocol'
import { lockRoot } from '../orders/store.ts'
import type { Pins } from '../pins.ts'
import type { Prices } from '../prices/followPrices.ts'
import type { Session } from '../roots/readRoots.ts'
import { type BookPriceOf, profitOf } from './book.ts'
import { bookPricesOf } from './bookPrices.ts'
import { type Breaker, sampleBreaker } from './breaker.ts'
import { type BookState, bookedRoots, putBook, readBook } from './store.ts'

/** The state after one sample of its P&L; unchanged while that cannot be priced. */
export function sampleState(
  state: BookState,
  { breakers, priceOf, atMs }: { breakers: readonly Breaker[]; priceOf: BookPriceOf; atMs: number },
): BookState {
  const profit = profitOf(state.book, priceOf)
  if (profit === null) return state
  return {
    ...state,
    breakers: state.breakers.map((one, i) => sampleBreaker(one, breakers[i]!, { atMs, profit })),
  }
}

/** Samples every session with breakers; call it once a minute. */
export async function sampleBooks({
  db,
  clock,
  pins,
  prices,
  sessions,
}: {
  db: Db
  clock: Clock
  pins: Pins
  prices: Pick<Prices, 'own' | 'last'>
  sessions: { find(rootHash: Hex): Session | null | Promise<Session | null> }
}): Promise<number> {
  const roots = await bookedRoots(db, Math.floor(clock.nowMs() / 1000))
  const errors: unknown[] = []
  for (const rootHash of roots) {
    try {
      const session = await sessions.find(rootHash)
      const breakers = session && boundControls(session.binding)?.breakers
      if (breakers) await sample(session, breakers)
    } catch (error) {
      // One session that cannot be read does not stop the others.
      errors.push(error)
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'some books were not sampled')
  return roots.length

  function sample({ rootHash, binding }: Session, breakers: readonly Breaker[]): Promise<void> {
    return db.transaction(async (sql) => {
      await lockRoot(sql, rootHash)
      const atMs = clock.nowMs()
      const priceOf = bookPricesOf({ pins, prices, binding, nowMs: atMs })
      const state = await readBook(sql, rootHash, { breakers, atMs })
      await putBook(sql, rootHash, sampleState(state, { breakers, priceOf, atMs }), atMs)
    })
  }
}
