import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { askBalance, readAll } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { type Answer, lower, TREASURY_SPLIT_BPS } from '@pit/protocol'
import { platformWalletOf, type TreasuryDeps } from './deps.ts'
import { readPreviews } from './preview.ts'
import { addRow, type Books, booksOf } from './rules/books.ts'
import { perBucket } from './rules/split.ts'
import { onOneSnapshot, readHead, readRows } from './store.ts'
import type { RowBody, ServedRow } from './types.ts'

export type PrizePayouts = Answer<'treasury'>['prize_payouts']

export interface AnswerDeps extends TreasuryDeps {
  prizePayouts(): Promise<PrizePayouts>
}

/** The response without its age, and the newest row it contains. */
export interface Built {
  opening: string
  headSeq: number
}

/** Rows are served as the recorded text, so that recomputed hashes match. */
export async function buildAnswer(deps: AnswerDeps): Promise<Built> {
  const { db, rpc, clock, profile } = deps
  const wallet = platformWalletOf(profile)
  const { head, rows, integrity, previews } = await onOneSnapshot(db, async (sql) => {
    const head = await readHead(sql)
    const checked = await readRows(sql, head)
    // A preview based on a broken record would be wrong too.
    const shown = wallet !== null && checked.integrity.ok
    const bodies = checked.rows.map(({ body }) => body)
    return { head, ...checked, previews: shown ? await readPreviews(sql, deps, wallet, bodies) : [] }
  })
  const books = totalBooks(
    rows.map(({ body }) => body),
    previews,
  )
  const held = wallet === null ? new Map() : await readHeld(rpc, wallet, [...books.keys()])
  const weeks = [
    ...[...previews].reverse().map((row) => JSON.stringify(row)),
    ...rows.map(({ served }) => served).reverse(),
  ]
  const fields: Record<string, unknown> = {
    platform_wallet: wallet,
    buckets: perBucket((bucket) => {
      const own = profile.treasury_buckets[bucket]
      return own === null ? null : lower(own)
    }),
    split_bps: TREASURY_SPLIT_BPS,
    integrity,
  }
  const after: Record<string, unknown> = {
    totals: describeTotals(books, held),
    prize_payouts: await deps.prizePayouts(),
    explorer_tx: profile.explorer_tx,
    generated_at: nowS(clock),
  }
  const [before, rest] = [JSON.stringify(fields).slice(0, -1), JSON.stringify(after).slice(1, -1)]
  const opening = `${before},"weeks":[${weeks.join(',')}],${rest}`
  return { opening, headSeq: head.seq }
}

const HELD_TIMEOUT_MS = 3_000

/** The wallet's current balances, without tokens that do not answer; empty if the chain does not. */
async function readHeld(
  rpc: Rpc,
  wallet: Address,
  tokens: readonly Address[],
): Promise<Map<Address, bigint>> {
  const questions = tokens.map((token) => askBalance({ wallet, token }))
  const balances = await readAll(rpc, questions, { timeoutMs: HELD_TIMEOUT_MS }).catch(() => [])
  return new Map(balances.flatMap((atoms, i) => (atoms === undefined ? [] : [[tokens[i]!, atoms] as const])))
}

/** Sums of the served rows. Income includes previews; booked, moved and owed are from recorded rows only. */
function totalBooks(rows: readonly RowBody[], previews: readonly ServedRow[]): Books {
  const books = booksOf(rows)
  const recorded = booksOf(rows)
  for (const preview of previews) addRow(books, preview)
  const zero = () => perBucket(() => 0n)
  for (const [token, own] of books) {
    const then = recorded.get(token)
    own.booked = then?.booked ?? zero()
    own.moved = then?.moved ?? zero()
    own.owed = then?.owed ?? zero()
  }
  return books
}

function describeTotals(books: Books, held: ReadonlyMap<string, bigint>): Answer<'treasury'>['totals'] {
  return [...books.values()]
    .sort((a, b) => (a.token < b.token ? -1 : 1))
    .map((own) => ({
      token: own.token,
      symbol: own.symbol,
      decimals: own.decimals,
      received: own.received.toString(),
      outside: own.outside.toString(),
      trades: own.trades,
      held: held.get(own.token)?.toString() ?? null,
      booked: perBucket((bucket) => own.booked[bucket].toString()),
      moved: perBucket((bucket) => own.moved[bucket].toString()),
      owed: perBucket((bucket) => own.owed[bucket].toString()),
    }))
}
