import { openIntervals } from './closeWeek.ts'
import { platformWalletOf, type TreasuryDeps } from './deps.ts'
import { readOpenWeek } from './openWeek.ts'
import { booksOf } from './rules/books.ts'
import { readScan } from './scan/scanStore.ts'
import { onOneSnapshot, readHead, readRows } from './store.ts'

export interface TreasuryState {
  platform_wallet: string | null
  integrity: { ok: boolean; rows: number; head: string | null; broken_at: number | null; why: string | null }
  /** The newest week recorded. */
  recorded: string | null
  /** Weeks that ended and are not recorded yet; the first may have differences that wait for an operator. */
  waiting: { label: string; differences: number | null }[]
  /** Last block read. */
  block: number | null
  /** Amounts owed to the buckets and carried, by token, in smallest units. */
  owed: {
    token: string
    symbol: string
    carried: string
    operations: string
    buybacks: string
    treasury: string
  }[]
}

/** The treasury's state for the operator. */
export function readState({ db, profile }: Pick<TreasuryDeps, 'db' | 'profile'>): Promise<TreasuryState> {
  const wallet = platformWalletOf(profile)
  return onOneSnapshot(db, async (sql) => {
    const { rows, integrity } = await readRows(sql, await readHead(sql))
    const bodies = rows.map(({ body }) => body)
    const books = booksOf(bodies)
    const ended = wallet === null ? [] : await openIntervals(sql, wallet, bodies)
    const [first] = ended
    const open =
      wallet !== null && first && integrity.ok
        ? await readOpenWeek(sql, {
            profile,
            wallet,
            interval: first,
            books,
            accepted: null,
            withEarlier: true,
            marksBeforeS: first.endS,
          })
        : null
    return {
      platform_wallet: wallet,
      integrity,
      recorded: bodies.findLast(({ kind }) => kind === 'week')?.week.label ?? null,
      waiting: ended.map(({ label }, i) => ({
        label,
        differences: i === 0 ? (open?.reconciled.counts.differences ?? null) : null,
      })),
      block: wallet === null ? null : ((await readScan(sql, wallet))?.block ?? null),
      owed: [...books.values()].map(({ token, symbol, carried, owed }) => ({
        token,
        symbol,
        carried: carried.toString(),
        operations: owed.operations.toString(),
        buybacks: owed.buybacks.toString(),
        treasury: owed.treasury.toString(),
      })),
    }
  })
}
