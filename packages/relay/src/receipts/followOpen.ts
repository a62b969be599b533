import { askIsKnown, askNonce, askReceipt, PAGED, type Question, readAll } from '@pit/platform/reads'
import type { RelayDeps } from '../deps.ts'
import type { RelayMetrics } from '../metrics.ts'
import type { Addresses } from './amounts.ts'
import { bookEach } from './bookOutcomes.ts'
import { readOutcomes } from './readOutcomes.ts'
import { markDropped, markSeen, openRows } from './rows.ts'
import { decide, nextLookMs } from './rules.ts'
import type { FollowedRow } from './types.ts'

export type FollowDeps = Pick<RelayDeps, 'db' | 'rpc' | 'clock' | 'logger' | 'isPlainToken'> & {
  addresses: Addresses
  counted: RelayMetrics
  /** Whether this process is relaying a row itself right now: that call will finish it. */
  isRelaying(hash: FollowedRow['tx_hash']): boolean
}

interface Watched {
  row: FollowedRow
  firstMs: number
  nextMs: number
  looks: number
  /** Since when no look found anything of it; null before the first that was answered. */
  unseenSinceMs: number | null
  nonceGoneSinceMs: number | null
}

export interface OpenFollower {
  /** Takes up what is open in the store, then looks at what is due. */
  round(): Promise<void>
  /** A row was written: the next round takes it up. */
  wake(): void
  /** A block came: what is young is due. */
  lookSoon(): void
  size(): number
}

const NEW_EVERY_MS = 250
/** All of them: another process may have finished some, or taken up one that was refused before. */
const ALL_EVERY_MS = 2_000
const PAGE = 1_000
const MAX_WATCHED = 20_000
const LOOKED_AT_ONCE = 200
const YOUNG_MS = 15_000
/** A row that cannot be booked holds no other up. */
const FAILED_AGAIN_MS = 60_000

/** Follows every relayed transaction to its receipt, or to where there will be none. */
export function createOpenFollower(deps: FollowDeps): OpenFollower {
  const { db, rpc, clock, logger, counted } = deps
  const watched = new Map<number, Watched>()
  const openedAtMs = clock.nowMs()
  let newestId = 0
  let newDueMs = 0
  let allDueMs = 0

  function take(row: FollowedRow, nowMs: number): void {
    newestId = Math.max(newestId, row.id)
    const known = watched.get(row.id)
    if (known) known.row = row
    else if (watched.size < MAX_WATCHED) watched.set(row.id, newlyWatched(row, nowMs))
  }

  async function takeAll(nowMs: number): Promise<void> {
    const open = new Set<number>()
    for (let after = 0; open.size < MAX_WATCHED; ) {
      const rows = await openRows(db, after, PAGE)
      for (const row of rows) {
        take(row, nowMs)
        open.add(row.id)
      }
      if (rows.length < PAGE) break
      after = rows[rows.length - 1]!.id
    }
    for (const id of watched.keys()) if (!open.has(id)) watched.delete(id)
  }

  async function takeNew(nowMs: number): Promise<void> {
    for (const row of await openRows(db, newestId, PAGE)) take(row, nowMs)
  }

  async function look(due: readonly Watched[]): Promise<void> {
    const nowMs = clock.nowMs()
    const facts = await readFacts(due)
    const found = due.flatMap(({ row }, i) => {
      const receipt = facts[i]!.receipt
      return receipt ? [{ row, receipt }] : []
    })
    const outcomes = await readOutcomes(deps, found)
    const { booked, failed } = await bookEach(deps, outcomes)
    for (const { row } of outcomes) {
      // Where it did not hold, the row changed meanwhile: whoever is open still is taken up again.
      if (!failed.has(row.id)) watched.delete(row.id)
      if (booked.has(row.id)) counted.receiptAfter((clock.nowMs() - row.created_at_ms) / 1000)
    }

    const seen: FollowedRow[] = []
    const gone: FollowedRow[] = []
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
        // The embedded store has one process: what was being relayed before this one, nobody relays now.
        leftBehind: db.engine === 'pglite' && row.created_at_ms < openedAtMs,
      })
      if (next === 'seen') seen.push(row)
      if (next === 'dropped') gone.push(row)
    }
    await markSeen(
      db,
      seen.map(({ id }) => id),
    )
    for (const row of seen) row.status = 'pending'
    for (const id of await markDropped(db, gone)) watched.delete(id)
    if (gone.length > 0) logger.info({ hashes: gone.map((row) => row.tx_hash) }, 'given up as dropped')
  }

  /** Receipts of all; of those that wait for one longer, what else the chain shows. */
  async function readFacts(due: readonly Watched[]) {
    const asks = due.map(({ row, looks }) => ({
      known: row.status === 'relaying' || looks >= 2,
      nonce: looks >= 2,
    }))
    const signers = [...new Set(due.filter((_, i) => asks[i]!.nonce).map(({ row }) => row.signer))]
    const questions: Question<unknown>[] = []
    const ask = <T>(question: Question<T>): (() => T | undefined) => {
      const at = questions.push(question) - 1
      return () => answers[at] as T | undefined
    }
    let answers: unknown[] = []
    const receipts = due.map(({ row }) => ask(askReceipt(row.tx_hash)))
    const known = due.map(({ row }, i) => (asks[i]!.known ? ask(askIsKnown(row.tx_hash)) : () => false))
    const nonces = new Map(signers.map((signer) => [signer, ask(askNonce(signer))]))
    answers = await readAll(rpc, questions, PAGED)
    return due.map(({ row }, i) => {
      const receipt = receipts[i]!()
      const count = nonces.get(row.signer)?.()
      return {
        /** Undefined: the node would not say. */
        receipt,
        known: known[i]!() ?? false,
        nonceGone: receipt === null && count !== undefined && count > row.nonce,
      }
    })
  }

  return {
    async round() {
      const nowMs = clock.nowMs()
      if (nowMs >= allDueMs) {
        await takeAll(nowMs)
        allDueMs = nowMs + ALL_EVERY_MS
        newDueMs = nowMs + NEW_EVERY_MS
      } else if (nowMs >= newDueMs) {
        await takeNew(nowMs)
        newDueMs = nowMs + NEW_EVERY_MS
      }
      const due = [...watched.values()].filter(({ nextMs }) => nextMs <= nowMs)
      due.sort((a, b) => a.nextMs - b.nextMs)
      for (let at = 0; at < due.length; at += LOOKED_AT_ONCE) await look(due.slice(at, at + LOOKED_AT_ONCE))
    },
    wake() {
      newDueMs = 0
    },
    lookSoon() {
      const nowMs = clock.nowMs()
      for (const one of watched.values()) {
        if (nowMs - one.row.created_at_ms < YOUNG_MS) one.nextMs = Math.min(one.nextMs, nowMs)
      }
    },
    size: () => watched.size,
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
