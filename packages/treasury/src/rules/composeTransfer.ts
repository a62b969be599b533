import type { Address, Hex } from '@pit/chain'
import type { TreasuryBucket } from '@pit/protocol'
import type { RowBody, TokenText, WeekToken } from '../types.ts'
import { type Books, emptyBooks } from './books.ts'
import { perBucket } from './split.ts'

/** Amounts of one transaction to a bucket's wallet, from its receipt. */
export interface Sent {
  bucket: TreasuryBucket
  to: Address
  txHash: Hex
  block: number
  tokens: readonly { token: Address; atoms: bigint }[]
}

export type TransferParts = Pick<RowBody, 'kind' | 'week' | 'tokens' | 'transfers' | 'reconciliation'>

/**
 * The row of a transfer. Rows are never changed, so a later row records the transfer: it books nothing and
 * lowers what is owed. `week` is the last recorded week.
 */
export function composeTransfer({
  sent,
  week,
  books,
  textOf,
}: {
  sent: Sent
  week: RowBody['week']
  books: Books
  textOf(token: Address): TokenText
}): TransferParts {
  const { bucket } = sent
  return {
    kind: 'transfer',
    week,
    tokens: sent.tokens.map(({ token, atoms }) =>
      movedToken(books.get(token) ?? emptyBooks(textOf(token)), bucket, atoms),
    ),
    transfers: describeSent(sent, (token) => books.get(token) ?? textOf(token)),
    reconciliation: {
      status: 'agrees',
      accepted: null,
      ledger: { late: 0, tokens: [] },
      eth: 'ledger',
      counts: { agrees: 0, outside_ledger: 0, differences: 0 },
    },
  }
}

/** A transaction's transfers as a row lists them. */
export const describeSent = (
  { bucket, to, txHash, block, tokens }: Sent,
  textOf: (token: Address) => TokenText,
): RowBody['transfers'] =>
  tokens.map(({ token, atoms }) => {
    const { symbol, decimals } = textOf(token)
    return { bucket, to, token, symbol, decimals, amount: atoms.toString(), tx_hash: txHash, block }
  })

function movedToken(
  { token, symbol, decimals, carried, owed }: ReturnType<typeof emptyBooks>,
  bucket: TreasuryBucket,
  atoms: bigint,
): WeekToken {
  const nothing = () => perBucket(() => '0')
  return {
    token,
    symbol,
    decimals,
    received: '0',
    trades: 0,
    outside: '0',
    outside_trades: 0,
    carried_in: carried.toString(),
    pool: carried.toString(),
    status: 'nothing',
    booked: nothing(),
    moved: { ...nothing(), [bucket]: atoms.toString() },
    owed_in: perBucket((each) => owed[each].toString()),
    owed_out: perBucket((each) => (owed[each] - (each === bucket ? atoms : 0n)).toString()),
    carried_out: carried.toString(),
    value_usd: null,
    mark: null,
  }
}
