import { MySessions, Portfolio, Trades, TradesQuery } from '../schemas/account.ts'
import { HistoryQuery } from '../schemas/history.ts'
import { PLACES } from './places.ts'
import { route } from './route.ts'

const MINE = { area: 'account', auth: 'wallet' } as const

export const ACCOUNT_ROUTES = {
  'me.trades': route({
    ...PLACES['me.trades'],
    ...MINE,
    buckets: ['me_reads'],
    summary: 'The wallet’s trades by any of its keys, newest first.',
    query: TradesQuery,
    answer: Trades,
  }),
  'me.portfolio': route({
    ...PLACES['me.portfolio'],
    ...MINE,
    buckets: ['me_portfolio.key', 'me_portfolio.overall'],
    summary: 'On-chain balances valued at independent prices, and the volume tier.',
    query: HistoryQuery,
    answer: Portfolio,
    errors: ['RPC_UNAVAILABLE'],
  }),
  'me.sessions': route({
    ...PLACES['me.sessions'],
    ...MINE,
    buckets: ['me_reads'],
    summary: 'The wallet’s sessions and hosted agents.',
    answer: MySessions,
  }),
}
