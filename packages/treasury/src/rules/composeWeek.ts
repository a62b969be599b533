import type { Address } from '@pit/chain'
import type { Interval, RowBody, TokenText, WeekMark } from '../types.ts'
import { type Books, emptyBooks } from './books.ts'
import { describeSent, type Sent } from './composeTransfer.ts'
import type { Reconciled } from './reconcile.ts'
import { perBucket, weekToken } from './split.ts'

/** A week's row without its position in the chain of rows. */
export type WeekParts = Pick<RowBody, 'kind' | 'week' | 'tokens' | 'transfers' | 'reconciliation'>

/**
 * Composes a week's row from the books and the income. It lists a token if something came in or was moved, or
 * if its carried pool can be split now; other tokens are unchanged since the last row that lists them.
 */
export function composeWeek({
  interval,
  books,
  reconciled,
  accepted,
  sent,
  textOf,
  markOf,
}: {
  interval: Interval
  books: Books
  reconciled: Reconciled
  /** Why the differences are accepted. */
  accepted: string | null
  /** Transfers to the buckets that are recorded with the week. */
  sent: readonly Sent[]
  textOf(token: Address): TokenText
  markOf(token: Address): WeekMark | null
}): WeekParts {
  const income = new Map(reconciled.tokens.map((row) => [row.token, row]))
  const moved = new Set(sent.flatMap(({ tokens }) => tokens.map(({ token }) => token)))
  const lines = [...new Set([...income.keys(), ...books.keys(), ...moved])].sort().map((token) => {
    const own = books.get(token) ?? emptyBooks(textOf(token))
    const came = income.get(token)
    return weekToken({
      ...textOf(token),
      received: came?.received ?? 0n,
      trades: came?.trades ?? 0,
      outside: came?.outside ?? 0n,
      outsideTrades: came?.outsideTrades ?? 0,
      carriedIn: own.carried,
      owedIn: own.owed,
      moved: perBucket((bucket) => movedOf(sent, bucket, token)),
      mark: markOf(token),
    })
  })
  const { counts, eth, late } = reconciled
  return {
    kind: 'week',
    week: {
      start: interval.startS,
      end: interval.endS,
      label: interval.label,
      first_block: interval.firstBlock,
      last_block: interval.lastBlock,
    },
    tokens: lines.filter(
      ({ token, status }) =>
        income.has(token as Address) || moved.has(token as Address) || status === 'split',
    ),
    transfers: sent.flatMap((one) => describeSent(one, textOf)),
    reconciliation: {
      status: counts.differences === 0 ? 'agrees' : accepted === null ? null : 'accepted',
      accepted: counts.differences === 0 ? null : accepted,
      ledger: {
        late,
        tokens: reconciled.tokens.map(({ token, ledger, trades }) => ({
          token,
          fees: ledger.toString(),
          trades,
        })),
      },
      eth,
      counts,
    },
  }
}

const movedOf = (sent: readonly Sent[], bucket: Sent['bucket'], token: Address): bigint =>
  sent
    .filter((one) => one.bucket === bucket)
    .flatMap(({ tokens }) => tokens)
    .reduce((sum, one) => (one.token === token ? sum + one.atoms : sum), 0n)
