import { askIsKnown, askNonce, askReceipt, PAGED, type Question, readAll } from '@pit/platform/reads'
import type { RelayDeps } from '../deps.ts'
import type { RelayMetrics } from '../metrics.ts'
import type { Addresses } from './amounts.ts'
import { bookEach } from './bookOutcomes.ts'
import { readOutcomes } from './readOutcomes.ts'
import { markDropped, markSeen, openRows } from './rows.ts'
import { decide, nextLookMs } from './rules.ts'
import type { FollowedRow } from './types.ts'

export type FollowDeps = Pick<RelayDeps, 'db' | 'rpc' | 'clock' | 'logger' | 'isPlainToken' | 'onMined'> & {
  addresses: Addresses
  counted: RelayMetrics
  /** Whether this process is relaying the row right now: that call will finish it. */
  isRelaying(hash: FollowedRow['tx_hash']): boolean
  /** Called with rows that reached a block: they need no mark as pending. */
  mined(ids: readonly number[]): void
}

interface Watched {
  row: FollowedRow
  firstMs: number
  nextMs: number
  looks: number
  /** Since when no look found it; null before the first successful look. */
  unseenSinceMs: number | null
  nonceGoneSinceMs: number | null
}

export interface OpenFollower {
  /** Loads open rows from the store, then checks those that are due. */
  round(): Promise<void>
  /** Call after inserting a row; without the row, the next round loads it. */
  written(row: FollowedRow | null): void
  /** Call when the sequencer may have taken a row's bytes. */
  sent(id: number): void
  /** Call on a new block: young rows become due. */
  lookSoon(): void
  size(): number
  /** Whether the next round has something to do at once. */
  isWaiting(): boolean
}

/** For rows of other processes. The embedded store has none: `written` follows every row. */
const NEW_EVERY_MS = { postgres: 250, pglite: 5_000 }
/** Interval of full reloads: other processes may have finished rows, or retried refused ones. */
const ALL_EVERY_MS = { postgres: 2_000, pglite: 10_000 }
const PAGE = 1_000
const MAX_WATCHED = 20_000
const LOOKED_AT_ONCE = 200
const YOUNG_MS = 15_000
/** Delay after a booking failure, so that one row does not block others. */
const FAILED_AGAIN_MS = 60_000

/** Follows every relayed transaction to its receipt, or until it is dropped. */
export function createOpenFollower(deps: FollowDeps): OpenFollower {
  const { db, rpc, clock, logger, counted } = deps
  const watched = new Map<number, Watched>()
  const openedAtMs = clock.nowMs()
  /** Newest row read from the store: rows written here come before older ones of other processes. */
  let newestId = 0
  let newDueMs = 0
  let allDueMs = 0
  /** A process without the jobs role runs no rounds. */
  let isFollowing = false

  function take(row: FollowedRow, nowMs: number): void {
    const existing = watched.get(row.id)
    if (existing) existing.row = row
    else if (watched.size < MAX_WATCHED) watched.set(row.id, newlyWatched(row, nowMs))
  }

  async function takeAll(nowMs: number): Promise<void> {
    const before = [...watched.keys()]
    const open = new Set<number>()
    let after = 0
    while (open.size < MAX_WATCHED) {
      const rows = await openRows(db, after, PAGE)
      for (const row of rows) {
        take(row, nowMs)
        open.add(row.id)
      }
      after = rows.at(-1)?.id ?? after
      if (rows.length < PAGE) break
    }
    newestId = Math.max(newestId, after)
    for (const id of before) if (!open.has(id)) watched.delete(id)
  }

  async function takeNew(nowMs: number): Promise<void> {
    for (const row of await openRows(db, newestId, PAGE)) {
      take(row, nowMs)
      newestId = Math.max(newestId, row.id)
    }
  }

  async function look(due: readonly Watched[]): Promise<void> {
    const nowMs = clock.nowMs()
    const facts = await readFacts(due)
    const mined = due.flatMap(({ row }, i) => {
      const receipt = facts[i]!.receipt
      return receipt ? [{ row, receipt }] : []
    })
    const outcomes = await readOutcomes(deps, mined)
    const { booked, failed } = await bookEach(deps, outcomes)
    deps.mined([...booked])
    const ofSessions = mined.flatMap(({ row, receipt }) =>
      receipt.ok && row.session_id !== null && booked.has(row.id)
        ? [{ sessionId: row.session_id, txHash: row.tx_hash, logs: receipt.logs }]
        : [],
    )
    if (ofSessions.length > 0) deps.onMined?.(ofSessions)
    for (const { row } of outcomes) {
      // Not updated: the row changed meanwhile; if still open, it is loaded again.
      if (!failed.has(row.id)) watched.delete(row.id)
      if (booked.has(row.id)) counted.receiptAfter((clock.nowMs() - row.created_at_ms) / 1000)
    }

    const seenRows: FollowedRow[] = []
    const droppedRows: FollowedRow[] = []
    for (const [i, one] of due.entries()) {
      const { receipt, known, nonceGone } = facts[i]!
      const { row } = one
      const ageMs = nowMs - row.created_at_ms
      one.looks++
      one.nextMs =
        nowMs + (failed.has(row.id) ? FAILED_AGAIN_MS : nextLookMs(Math.min(ageMs, nowMs - one.firstMs)))
      if (receipt !== null || deps.isRelaying(row.tx_hash)) continue
      one.unseenSinceMs = known ? null : (one.unseenSinceMs ?? nowMs)
      one.nonceGoneSinceMs = nonceGone ? (one.nonceGoneSinceMs ?? nowMs) : null
      const next = decide({
        status: row.status === 'relaying' ? 'relaying' : 'pending',
        ageMs,
        known,
        unseenForMs: nowMs - (one.unseenSinceMs ?? nowMs),
        nonceGoneForMs: nowMs - (one.nonceGoneSinceMs ?? nowMs),
        // The embedded store has a single process: an earlier process is not relaying any more.
        leftBehind: db.engine === 'pglite' && row.created_at_ms < openedAtMs,
      })
      if (next === 'seen') seenRows.push(row)
      if (next === 'dropped') droppedRows.push(row)
    }
    await markSeen(
      db,
      seenRows.map(({ id }) => id),
    )
    for (const row of seenRows) row.status = 'pending'
    for (const id of await markDropped(db, droppedRows)) watched.delete(id)
    if (droppedRows.length > 0)
      logger.info({ hashes: droppedRows.map((row) => row.tx_hash) }, 'marked transactions as dropped')
  }

  /** Reads all receipts; for rows without one for longer, whether the chain knows them. */
  async function readFacts(due: readonly Watched[]) {
    const asks = due.map(({ row, looks }) => ({
      known: row.status === 'relaying' || looks >= 2,
      nonce: looks >= 2,
    }))
    const signers = [...new Set(due.filter((_, i) => asks[i]!.nonce).map(({ row }) => row.signer))]
    const questions: Question<unknown>[] = []
    const queue = <T>(question: Question<T>): (() => T | undefined) => {
      const at = questions.push(question) - 1
      return () => answers[at] as T | undefined
    }
    let answers: unknown[] = []
    const receipts = due.map(({ row }) => queue(askReceipt(row.tx_hash)))
    const isKnown = due.map(({ row }, i) => (asks[i]!.known ? queue(askIsKnown(row.tx_hash)) : () => false))
    const nonces = new Map(signers.map((signer) => [signer, queue(askNonce(signer))]))
    answers = await readAll(rpc, questions, PAGED)
    return due.map(({ row }, i) => {
      const receipt = receipts[i]!()
      const count = nonces.get(row.signer)?.()
      return {
        /** Undefined: no response from the node. */
        receipt,
        known: isKnown[i]!() ?? false,
        nonceGone: receipt === null && count !== undefined && count > row.nonce,
      }
    })
  }

  return {
    async round() {
      isFollowing = true
      const nowMs = clock.nowMs()
      if (nowMs >= allDueMs) {
        await takeAll(nowMs)
        allDueMs = nowMs + ALL_EVERY_MS[db.engine]
        newDueMs = nowMs + NEW_EVERY_MS[db.engine]
      } else if (nowMs >= newDueMs) {
        await takeNew(nowMs)
        newDueMs = nowMs + NEW_EVERY_MS[db.engine]
      }
      const due = [...watched.values()].filter(({ nextMs }) => nextMs <= nowMs)
      due.sort((a, b) => a.nextMs - b.nextMs)
      for (let at = 0; at < due.length; at += LOOKED_AT_ONCE) await look(due.slice(at, at + LOOKED_AT_ONCE))
    },
    written(row) {
      if (row && isFollowing && watched.size < MAX_WATCHED) take(row, clock.nowMs())
      else newDueMs = 0
    },
    sent(id) {
      const one = watched.get(id)
      if (one?.row.status === 'relaying') one.row.status = 'pending'
    },
    lookSoon() {
      const nowMs = clock.nowMs()
      for (const one of watched.values()) {
        if (nowMs - one.row.created_at_ms < YOUNG_MS) one.nextMs = Math.min(one.nextMs, nowMs)
      }
    },
    size: () => watched.size,
    isWaiting: () => watched.size > 0 || newDueMs === 0,
  }
}

const newlyWatched = (row: FollowedRow, nowMs: number): Watched => ({
  row,
  firstMs: nowMs,
  nextMs: nowMs,
  looks: 0,
  unseenSinceMs: null,
  nonceGoneSinceMs: null,
})
