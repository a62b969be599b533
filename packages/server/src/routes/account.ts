import type { Account, ListedTrade } from '@pit/accounts'
import type { Answer } from '@pit/protocol'
import type { Handlers } from '../http/types.ts'
import { traderOf } from './caller.ts'
import { dollarPoint } from './historyPoints.ts'

type TradeRow = Answer<'me.trades'>['trades'][number]

export const accountRoutes = ({
  listTrades,
  readPortfolio,
  valueHistory,
}: Pick<Account, 'listTrades' | 'readPortfolio' | 'valueHistory'>): Pick<
  Handlers,
  'me.trades' | 'me.portfolio'
> => ({
  'me.trades': async ({ caller, query: { limit, before, refused } }) => {
    const { wallet } = traderOf(caller)
    const withNeverMined = refused === '1'
    const { trades, nextBefore } = await listTrades({
      wallet,
      limit,
      ...(before !== undefined && { before }),
      withNeverMined,
    })
    return {
      wallet,
      trades: trades.map(describeTrade),
      next_before: nextBefore,
      refused_included: withNeverMined,
    }
  },
  'me.portfolio': async ({ caller, query: { range } }) => {
    const { wallet } = traderOf(caller)
    const [portfolio, history] = await Promise.all([readPortfolio(wallet), valueHistory(wallet, range)])
    return { ...portfolio, history: history.map(dollarPoint) }
  },
})

export function describeTrade(row: ListedTrade): TradeRow {
  return {
    id: row.id,
    time: Math.floor(row.created_at_ms / 1000),
    path: row.path,
    // The bytes were sent: all the caller can know is that they may be mined.
    status: row.status === 'relaying' ? 'pending' : row.status,
    ...(row.status === 'refused' && { code: row.code }),
    token_in: tokenOf(row.tokenIn),
    token_out: tokenOf(row.tokenOut),
    amount_in: row.amount_in,
    ...amountOutOf(row),
    amount_out_min: row.amount_out_min,
    tx_hash: row.tx_hash,
    block: row.block,
    ...((row.path === 'session' || row.path === 'hosted') && { session_id: row.session_id }),
  }
}

const tokenOf = ({
  token,
  address,
  symbol,
  name,
  decimals,
}: ListedTrade['tokenIn']): TradeRow['token_in'] => ({
  token,
  address,
  symbol,
  name,
  decimals,
})

function amountOutOf(row: ListedTrade): Pick<TradeRow, 'amount_out' | 'amount_out_kind'> {
  const nothing = { amount_out: null, amount_out_kind: null }
  const minimum =
    row.amount_out_min === null
      ? nothing
      : { amount_out: row.amount_out_min, amount_out_kind: 'minimum' as const }
  switch (row.status) {
    case 'mined':
      // The receipt showed no output; if it cannot show one, the minimum stays here.
      if (row.amount_out === null) return nothing
      return { amount_out: row.amount_out, amount_out_kind: row.amount_out_kind ?? 'minimum' }
    case 'relaying':
    case 'pending':
      return minimum
    default:
      return nothing
  }
}
