import type { Hex } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { nowS } from '@pit/platform/clock'
import { readReceipts } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { type LedgerTrade, lastIdBefore } from '@pit/relay'
import type { LeagueDeps } from '../deps.ts'
import { groupBy } from '../rules/groupBy.ts'
import { markCertainS, RULES, seasonAt, seasonOf } from '../rules/index.ts'
import { applyTaken } from './applyTaken.ts'
import type { Assets } from './assets.ts'
import type { MarkBook } from './marks.ts'
import { lastSeen } from './seen.ts'
import {
  type BookKey,
  booksOfWallets,
  countBooks,
  insertLate,
  insertTaken,
  moveCursor,
  participantTokens,
  readCursor,
  relayedAfter,
  type TakenTrade,
} from './store.ts'

const PAGE = 2_000
const MAX_PAGES = 50
const CURSOR_EVERY_MS = 60_000
const CURSOR_BEHIND_MS = 2 * 3_600_000
/** A node without the receipt of a mined transaction after this time has lost it. */
const GAS_LOST_S = 3_600

export type TakeDeps = Pick<LeagueDeps, 'db' | 'rpc' | 'clock' | 'logger'> & {
  firstSeasonS: number
  assets: Assets
  marks: MarkBook
}

/**
 * Takes final transactions of entrants into their seasons' books. The cursor stays before the first one that
 * may still change, and some time behind: a late entrant may have traded a moment before.
 */
export function createTaker(deps: TakeDeps): () => Promise<{ taken: number }> {
  const { db, clock } = deps
  const tokensOf = createParticipants(deps)
  let cursorDueMs = 0
  return async () => {
    const cursor = await readCursor(db)
    let takenCount = 0
    let firstOpen = Number.POSITIVE_INFINITY
    let after = cursor
    for (let page = 0; page < MAX_PAGES; page++) {
      const { trades, next } = await relayedAfter(db, after, PAGE)
      const looked = await takePage(deps, tokensOf, trades)
      takenCount += looked.taken
      for (const id of looked.open) firstOpen = Math.min(firstOpen, id)
      if (next === null) break
      after = next
      // Trades beyond the last page stay open.
      if (page === MAX_PAGES - 1) firstOpen = Math.min(firstOpen, after + 1)
    }
    const nowMs = clock.nowMs()
    if (nowMs >= cursorDueMs) {
      cursorDueMs = nowMs + CURSOR_EVERY_MS
      // Older trades cannot belong to a new entrant any more.
      const old = await lastIdBefore(db, cursor, nowMs - CURSOR_BEHIND_MS)
      await moveCursor(db, Math.min(old ?? cursor, firstOpen - 1))
    }
    return { taken: takenCount }
  }
}

/** Takes the final trades of a page; `open` are those to look at again. */
async function takePage(
  deps: TakeDeps,
  tokensOf: (season: number) => Promise<ReadonlySet<string>>,
  rows: readonly LedgerTrade[],
): Promise<{ taken: number; open: Set<number> }> {
  const { db, clock, firstSeasonS, logger } = deps
  const now = nowS(clock)
  const open = new Set<number>()
  const final = rows.filter((row) => {
    if (!row.settled || (isMined(row) && markCertainS(row.minedAtS!) > now)) {
      open.add(row.id)
      return false
    }
    return isMined(row)
  })
  const seasons = final.map((row) => seasonAt(firstSeasonS, row.minedAtS!)?.number ?? 0)
  const keys = await booksOfWallets(
    db,
    [...new Set(final.map(({ wallet }) => wallet))],
    [...new Set(seasons)],
  )
  const books = new Map(keys.map((key) => [`${key.season} ${key.wallet}`, key]))
  const late: { id: number; season: number }[] = []
  /** By season, the next full hour to sample: trades mined from then on wait for that sample. */
  const unseenS = new Map<number, number>()
  for (const number of new Set(keys.map(({ season }) => season)))
    unseenS.set(number, (await lastSeen(db, seasonOf(firstSeasonS, number))).atS + RULES.sampleEveryS)
  const own = final.flatMap((row, i) => {
    const key = books.get(`${seasons[i]} ${row.wallet}`)
    if (!key || (key.left_at_s !== null && row.minedAtS! >= key.left_at_s)) return []
    if (key.state === 'open' || key.state === 'closing') {
      if (row.minedAtS! < unseenS.get(key.season)!) return [{ row, key }]
      open.add(row.id)
      return []
    }
    logger.warn({ trade: row.id, season: key.season }, 'a trade became final after its season was valued')
    late.push({ id: row.id, season: key.season })
    return []
  })
  await insertLate(db, late, now)
  const unread = own.filter(({ row }) => row.gasWei === null)
  const gas = await readGas(
    deps.rpc,
    unread.map(({ row }) => row.txHash),
  ).catch((error: unknown) => {
    logger.warn({ err: error }, 'receipts of entrants cannot be read')
    return new Map<string, bigint | null>()
  })
  const ready: TakenTrade[] = []
  const tokens = new Map<number, ReadonlySet<string>>()
  for (const { key } of own) {
    if (!tokens.has(key.season)) tokens.set(key.season, await tokensOf(key.season))
  }
  for (const { row, key } of own) {
    const gasWei = row.gasWei ?? gas.get(row.txHash)
    const isLost = gasWei === null && row.minedAtS! + GAS_LOST_S < now
    if (gasWei === undefined || (gasWei === null && !isLost)) open.add(row.id)
    else ready.push(takenOf(row, key, gasWei, tokens.get(key.season)!))
  }
  await book(deps, ready, now)
  return { taken: ready.length, open }
}

/** Gas cost by transaction hash; null if the node has no receipt, absent if it did not answer. */
async function readGas(rpc: Pick<Rpc, 'batch'>, hashes: readonly Hex[]): Promise<Map<string, bigint | null>> {
  const receipts = await readReceipts(rpc, hashes)
  const costs = new Map<string, bigint | null>()
  for (const [i, receipt] of receipts.entries()) {
    if (receipt === null) costs.set(hashes[i]!, null)
    else if (receipt && receipt.gasCostWei !== null) costs.set(hashes[i]!, receipt.gasCostWei)
  }
  return costs
}

const isMined = ({ status, minedAtS }: LedgerTrade): boolean =>
  (status === 'mined' || status === 'reverted') && minedAtS !== null

async function book({ db, marks, firstSeasonS, logger }: TakeDeps, trades: TakenTrade[], now: number) {
  for (const [season, part] of groupBy(trades, (trade) => trade.season)) {
    const { rebuilt } = await db.transaction(async (sql) => {
      // Locks the season: no trade is added once it is valued.
      const [row] = await sql.query<{ state: string }>(
        'select state from league_seasons where number = $1 for share',
        [season],
      )
      if (row?.state !== 'open' && row?.state !== 'closing') return { rebuilt: 0 }
      const fresh = await insertTaken(sql, part)
      const added = part.filter(({ id }) => fresh.has(id))
      return applyTaken(sql, marks, seasonOf(firstSeasonS, season), added, now)
    })
    if (rebuilt > 0) logger.info({ season, rebuilt }, 'books rebuilt for trades that came late')
  }
}

function takenOf(
  row: LedgerTrade,
  key: BookKey,
  gasWei: bigint | null,
  participants: ReadonlySet<string>,
): TakenTrade {
  const counts =
    row.kind === 'swap' && row.status === 'mined' && row.tokenIn !== null && row.tokenOut !== null
  const amountIn = row.amountIn ?? 0n
  const swap: TakenTrade['swap'] =
    counts && amountIn > 0n
      ? {
          tokenIn: row.tokenIn!,
          tokenOut: row.tokenOut!,
          amountIn,
          // An unknown output counts as zero.
          amountOut: row.amountOut ?? 0n,
        }
      : null
  const ends = swap ? [swap.tokenIn, swap.tokenOut].filter((token) => participants.has(token)) : []
  return {
    id: row.id,
    season: key.season,
    entryId: key.entry_id,
    minedAtS: row.minedAtS!,
    block: row.block ?? 0,
    swap,
    gasWei,
    participant: ends.includes(key.token) ? 'own' : ends.length > 0 ? 'other' : null,
  }
}

/** Tokens of a season's entrants, except tokens with a mark. Read again when a book was added. */
function createParticipants({ db, assets }: TakeDeps) {
  const cache = createCache<number, { books: number; set: ReadonlySet<string> }>({ max: 3 })
  return async (season: number): Promise<ReadonlySet<string>> => {
    const books = await countBooks(db, season)
    const cached = cache.get(season)
    if (cached?.books === books) return cached.set
    const tokens = (await participantTokens(db, season)).filter((token) => !assets.decimals.has(token))
    const set = new Set(tokens)
    cache.set(season, { books, set })
    return set
  }
}
