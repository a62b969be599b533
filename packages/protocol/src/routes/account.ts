import { MySessions, Portfolio, Trades, TradesQuery } from '../schemas/account.ts'
import { route } from './route.ts'

const MINE = { area: 'account', auth: 'wallet', method: 'GET' } as const

export const ACCOUNT_ROUTES = {
  'me.trades': route({
    ...MINE,
    path: 'me/trades',
    buckets: ['me_reads'],
    summary: 'The wallet’s trades, newest first, whichever key relayed them.',
    query: TradesQuery,
    answer: Trades,
  }),
  'me.portfolio': route({
    ...MINE,
    path: 'me/portfolio',
    buckets: ['me_portfolio.key', 'me_portfolio.overall'],
    summary: 'Balances read from the chain, valued by independent prices, and the volume tier.',
    answer: Portfolio,
    errors: ['RPC_UNAVAILABLE'],
  }),
  'me.sessions': route({
    ...MINE,
    path: 'me/sessions',
    buckets: ['me_reads'],
    summary: 'The wallet’s sessions and hosted agents.',
    answer: MySessions,
  }),
}
