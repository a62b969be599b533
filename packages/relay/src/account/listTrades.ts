import type { Address } from '@pit/chain'
import type { Answer, Query } from '@pit/protocol'
import type { AccountDeps } from './deps.ts'
import { type StoredTrade, tradesPage } from './store.ts'
import type { TokenText, TokenTexts } from './tokenTexts.ts'

type TradeRow = Answer<'me.trades'>['trades'][number]

/** GET me/trades: one page, newest first, whichever key or path relayed them. */
export async function listTrades(
  { db, texts }: Pick<AccountDeps, 'db'> & { texts: TokenTexts },
  wallet: Address,
  query: Query<'me.trades'>,
): Promise<Answer<'me.trades'>> {
  const { limit, before } = query
  const withNeverMined = query.refused === '1'
  // One more than is shown tells whether there are older ones.
  const rows = await tradesPage(db, { wallet, before, withNeverMined, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const textOf = await texts.read(shown.flatMap(({ token_in, token_out }) => [token_in, token_out]))
  return {
    wallet,
    trades: shown.map((row) => describeTrade(row, textOf)),
    next_before: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
    refused_included: withNeverMined,
  }
}

export function describeTrade(row: StoredTrade, textOf: (address: Address) => TokenText): TradeRow {
  return {
    id: row.id,
    time: Math.floor(row.created_at_ms / 1000),
    path: row.path,
    // The bytes are on their way: whoever asks cannot know better than that they may be mined.
    status: row.status === 'relaying' ? 'pending' : row.status,
    ...(row.status === 'refused' && { code: row.code }),
    token_in: tokenOf(textOf(row.token_in)),
    token_out: tokenOf(textOf(row.token_out)),
    amount_in: row.amount_in,
    ...amountOutOf(row),
    amount_out_min: row.amount_out_min,
    tx_hash: row.tx_hash,
    block: row.block,
    ...((row.path === 'session' || row.path === 'hosted') && { session_id: row.session_id }),
  }
}

const tokenOf = ({ token, address, symbol, name, decimals }: TokenText): TradeRow['token_in'] => ({
  token,
  address,
  symbol,
  name,
  decimals,
})

function amountOutOf(row: StoredTrade): Pick<TradeRow, 'amount_out' | 'amount_out_kind'> {
  const nothing = { amount_out: null, amount_out_kind: null }
  const minimum =
    row.amount_out_min === null
      ? nothing
      : { amount_out: row.amount_out_min, amount_out_kind: 'minimum' as const }
  switch (row.status) {
    case 'mined':
      if (row.amount_out === null) return minimum
      return { amount_out: row.amount_out, amount_out_kind: row.amount_out_kind ?? 'minimum' }
    case 'relaying':
    case 'pending':
      return minimum
    default:
      return nothing
  }
}
