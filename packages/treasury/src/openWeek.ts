import type { Address } from '@pit/chain'
import type { Sql } from '@pit/platform/db'
import type { ChainProfile } from '@pit/protocol'
import { readTokensOf } from './deps.ts'
import { readMatches } from './matches.ts'
import type { Books } from './rules/books.ts'
import type { Sent } from './rules/composeTransfer.ts'
import { composeWeek, type WeekParts } from './rules/composeWeek.ts'
import { type Reconciled, reconcile } from './rules/reconcile.ts'
import { marksAt, textsOf } from './store.ts'
import type { Interval } from './types.ts'

export interface OpenWeek {
  parts: WeekParts
  reconciled: Reconciled
  /** Tokens whose fees went into it. */
  taken: Address[]
}

/** Computes the row of an interval from the store; writes nothing. */
export async function readOpenWeek(
  sql: Sql,
  {
    profile,
    wallet,
    interval,
    books,
    accepted,
    sent = [],
    withEarlier,
    marksBeforeS,
  }: {
    profile: ChainProfile
    wallet: Address
    interval: Interval
    books: Books
    accepted: string | null
    sent?: readonly Sent[]
    withEarlier: boolean
    /** The end of the week, or now while it runs. */
    marksBeforeS: number
  },
): Promise<OpenWeek> {
  const listed = readTokensOf(profile)
  const readTokens = [...listed.keys()]
  const { firstBlock: fromBlock, lastBlock: toBlock } = interval
  const matched = await readMatches(sql, { wallet, readTokens, withEarlier, fromBlock, toBlock })
  const reconciled = reconcile(matched)
  const named = [...new Set([...reconciled.tokens.map(({ token }) => token), ...books.keys()])]
  const [marks, texts] = await inOrder(
    () => marksAt(sql, named, marksBeforeS),
    () =>
      textsOf(
        sql,
        named.filter((token) => !listed.has(token)),
      ),
  )
  const parts = composeWeek({
    interval,
    books,
    reconciled,
    accepted,
    sent,
    // The name in the first row: a later rename by the deployer does not change the record.
    textOf: (token) => books.get(token) ?? listed.get(token) ?? texts.get(token)!,
    markOf: (token) => marks.get(token) ?? null,
  })
  return { parts, reconciled, taken: [...readTokens, ...reconciled.tokens.map(({ token }) => token)] }
}

/** A transaction's queries run one after the other. */
async function inOrder<A, B>(first: () => Promise<A>, second: () => Promise<B>): Promise<[A, B]> {
  const one = await first()
  return [one, await second()]
}
