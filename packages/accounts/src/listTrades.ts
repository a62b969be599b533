import type { Address } from '@pit/chain'
import { type StoredTrade, tradesPage } from '@pit/relay'
import type { AccountDeps } from './deps.ts'
import type { TokenText, TokenTexts } from './tokenTexts.ts'

export interface TradesRequest {
  wallet: Address
  limit: number
  /** Only trades older than this id. */
  before?: number
  /** Includes refused and dropped trades. */
  withNeverMined: boolean
}

/** A trade with the names of its tokens. */
export interface ListedTrade extends StoredTrade {
  tokenIn: TokenText
  tokenOut: TokenText
}

export interface TradesPage {
  trades: ListedTrade[]
  /** Start of the next page; null on the last one. */
  nextBefore: number | null
}

/** One page, newest first, of all keys and paths. */
export async function listTrades(
  { db, texts }: Pick<AccountDeps, 'db'> & { texts: TokenTexts },
  { wallet, limit, before, withNeverMined }: TradesRequest,
): Promise<TradesPage> {
  // One extra row shows whether there are older ones.
  const rows = await tradesPage(db, { wallet, before, withNeverMined, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const textOf = await texts.read(shown.flatMap(({ token_in, token_out }) => [token_in, token_out]))
  return {
    trades: shown.map((row) => ({
      ...row,
      tokenIn: textOf(row.token_in),
      tokenOut: textOf(row.token_out),
    })),
    nextBefore: rows.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}
