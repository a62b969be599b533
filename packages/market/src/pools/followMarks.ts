import { type Address, markSourcesOf } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Job } from '@pit/platform/jobs'
import { type Mark, type MarkReading, readMarks } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, FAST, stockSessionOf } from '@pit/protocol'

const REFRESH_EVERY_MS = 500
const KEEP_EVERY_MS = 5_000
/** While no block has a transaction: the last responses still hold, only their age changes. */
const REFRESH_QUIET_MS = 2_000
/** Averages over time move without transactions; an idle process reads no more often. */
const READ_QUIET_MS = 10_000
/** Maximum age of a reading, as published in the fast-mode terms. */
const MAX_READING_AGE_MS = FAST.markMaxAgeS * 1_000

export interface MarksFollowed {
  mark(token: Address): Mark | undefined
  whyUnread(token: Address): string | undefined
  /** Number of tokens without a readable mark. */
  unread(): number
  refresh(): Promise<void>
  /** Called with the marks whose round is new; those without rounds when their price changed. */
  onRounds(listener: (marks: readonly Mark[]) => void): () => void
  follow: Job
  keepMinutes: Job
}

/** Reads marks up to twice a second, as blocks with transactions come; stores one reading a minute to value volumes and books later. */
export function followMarks({
  rpc,
  db,
  clock,
  profile,
  changes,
}: {
  rpc: Rpc
  db: Db
  clock: Clock
  profile: ChainProfile
  /** Counts blocks that may have changed state; null while blocks are not followed. */
  changes?(): number | null
}): MarksFollowed {
  const sources = markSourcesOf(profile)
  const stockSession = stockSessionOf(profile)
  const multicall3 = profile.contracts.multicall3 as Address
  let byToken = new Map<Address, Mark>()
  let whyByToken = new Map<Address, string>()
  let readAtMs = 0
  let changesRead: number | null = null
  let latest: MarkReading | undefined
  let latestAtMs = 0
  let keptMinuteS = 0
  let underWay: Promise<void> | undefined
  const listeners = new Set<(marks: readonly Mark[]) => void>()

  async function read(): Promise<void> {
    const nowMs = clock.nowMs()
    const changesBefore = changes?.() ?? null
    latest = await readMarks({ rpc, multicall3, sources, nowMs, stockSession })
    latestAtMs = nowMs
    changesRead = changesBefore
    take(latest, nowMs)
  }

  function take({ marks, unread }: MarkReading, nowMs: number): void {
    const before = byToken
    byToken = new Map(marks.map((mark) => [mark.token, mark]))
    whyByToken = new Map(unread.map(({ token, why }) => [token, why]))
    readAtMs = nowMs
    const fresh = marks.filter((mark) => isNewRound(before.get(mark.token), mark))
    if (fresh.length > 0) for (const listener of listeners) listener(fresh)
  }

  function refresh(): Promise<void> {
    underWay ??= read().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  async function refreshIfDue(): Promise<void> {
    const changed = changes?.() ?? null
    const nowMs = clock.nowMs()
    const isUnchanged = changed !== null && changed === changesRead
    if (isUnchanged && nowMs - readAtMs < REFRESH_QUIET_MS) return
    if (isUnchanged && latest && nowMs - latestAtMs < READ_QUIET_MS) return take(latest.again(nowMs), nowMs)
    await refresh()
  }

  async function keepMinute(): Promise<void> {
    const minuteS = Math.floor(readAtMs / 60_000) * 60
    if (minuteS <= keptMinuteS) return
    await storeMarks(db, minuteS, [...byToken.values()])
    keptMinuteS = minuteS
  }

  const fresh = () => clock.nowMs() - readAtMs <= MAX_READING_AGE_MS
  return {
    mark: (token) => (fresh() ? byToken.get(token) : undefined),
    whyUnread: (token) => (fresh() ? whyByToken.get(token) : 'the chain has not responded for a while'),
    unread: () => (fresh() ? whyByToken.size : sources.length),
    refresh,
    onRounds(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    follow: {
      name: 'read marks',
      intervalMs: REFRESH_EVERY_MS,
      idleMs: READ_QUIET_MS,
      maxRetryMs: REFRESH_EVERY_MS,
      run: refreshIfDue,
    },
    keepMinutes: { name: 'keep minute marks', intervalMs: KEEP_EVERY_MS, run: keepMinute },
  }
}

/** The first reading of a process counts as new, and so does a price that its issuer releases. */
const isNewRound = (before: Mark | undefined, now: Mark): boolean =>
  before === undefined ||
  before.roundId !== now.roundId ||
  (before.staleWhy === 'frozen') !== (now.staleWhy === 'frozen') ||
  (now.roundId === undefined && before.priceE18 !== now.priceE18)

/** The first writer of a minute sets its marks; later writes are ignored. */
async function storeMarks(db: Db, minuteS: number, marks: readonly Mark[]): Promise<void> {
  await db.query(
    `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
     select token, $1, price_e18::numeric, source, block, updated_at_s, stale
     from unnest($2::text[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::boolean[])
       as given (token, price_e18, source, block, updated_at_s, stale)
     on conflict do nothing`,
    [
      minuteS,
      marks.map(({ token }) => token),
      marks.map(({ priceE18 }) => priceE18.toString()),
      marks.map(({ source }) => source),
      marks.map(({ block }) => block),
      marks.map(({ updatedAtS }) => updatedAtS),
      marks.map(({ stale }) => stale),
    ],
  )
}
