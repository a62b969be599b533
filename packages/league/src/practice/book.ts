import { type Answer, fail, LEAGUE, usdOf } from '@pit/protocol'
import { firstSeasonOf, type LeagueDeps, type Player } from '../deps.ts'
import { activeForEntrant } from '../entries/store.ts'
import { describeFill } from './order.ts'
import { playingNow } from './playing.ts'

const FILLS_SHOWN = 50

/** The wallet's practice account in the season that runs. */
export async function paperBook(deps: LeagueDeps, player: Player): Promise<Answer<'paper.book'>> {
  const firstSeasonS = firstSeasonOf(deps)
  const entry = await activeForEntrant(deps.db, { kind: 'account', ...player })
  if (!entry) fail('NOT_ENTERED', { message: 'This wallet’s account does not play the practice board.' })
  const nothing = {
    season: null,
    balances: {},
    equity_usd: null,
    profit_usd: null,
    started_usdg: LEAGUE.practiceBookUsdg,
    fills: [],
  }
  const playing = await playingNow(deps, firstSeasonS, entry)
  if (playing.state !== 'plays') return nothing
  const { bookId, season } = playing
  const book = (await deps.paper.bookNow([bookId])).get(bookId)
  if (!book) return nothing
  const { equityMicroUsd: equity, startMicroUsd } = book
  const fills = await deps.paper.fillsOf(bookId, { limit: FILLS_SHOWN })
  return {
    season,
    balances: Object.fromEntries(
      book.balances.map(({ symbol, token, atoms }) => [symbol ?? token, String(atoms)]),
    ),
    equity_usd: equity === null ? null : usdOf(equity),
    profit_usd: equity === null ? null : usdOf(equity - startMicroUsd),
    started_usdg: LEAGUE.practiceBookUsdg,
    fills: fills.map((fill) => describeFill(deps, season, fill)),
  }
}
