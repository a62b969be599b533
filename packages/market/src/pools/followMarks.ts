import type { Address } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Logger } from '@pit/platform/logger'
import { type Mark, type MarkReading, markSourcesOf, readMarks } from '@pit/platform/marks'
import type { Rpc } from '@pit/platform/rpc'
import type { ChainProfile } from '@pit/protocol'

const REFRESH_EVERY_MS = 500
/** A reading older than this is no mark any more: the chain has not answered for too long. */
const MAX_READING_AGE_MS = 30_000

export interface MarksFollowed {
  mark(token: Address): Mark | undefined
  whyUnread(token: Address): string | undefined
  /** How many tokens have no readable mark now. */
  unread(): number
  refresh(): Promise<void>
  close(): Promise<void>
}

/** Marks read again twice a second, and kept for each minute so that volumes and books can be valued later. */
export function followMarks({
  rpc,
  db,
  clock,
  profile,
  logger,
  writes,
}: {
  rpc: Rpc
  db: Db
  clock: Clock
  profile: ChainProfile
  logger: Logger
  writes: boolean
}): MarksFollowed {
  const sources = markSourcesOf(profile)
  const multicall3 = profile.contracts.multicall3 as Address
  let byToken = new Map<Address, Mark>()
  let whyByToken = new Map<Address, string>()
  let readAtMs = 0
  let writtenMinute = -1
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let underWay: Promise<void> | undefined
  let troubled = false

  async function read(): Promise<void> {
    const nowMs = clock.nowMs()
    const reading = await readMarks({ rpc, multicall3, sources, nowMs })
    byToken = new Map(reading.marks.map((mark) => [mark.token, mark]))
    whyByToken = new Map(reading.unread.map(({ token, why }) => [token, why]))
    readAtMs = nowMs
    const minuteS = Math.floor(nowMs / 60_000) * 60
    if (!writes || minuteS <= writtenMinute) return
    await keepMarks(db, minuteS, reading).then(
      () => {
        writtenMinute = minuteS
      },
      (error) => logger.warn({ err: error, minuteS }, 'the marks of this minute are not kept yet'),
    )
  }

  function refresh(): Promise<void> {
    underWay ??= read().finally(() => {
      underWay = undefined
    })
    return underWay
  }

  async function tick(): Promise<void> {
    try {
      await refresh()
      if (troubled) logger.info('marks are read again')
      troubled = false
    } catch (error) {
      if (!troubled) logger.warn({ err: error }, 'marks cannot be read')
      troubled = true
    }
    if (!stopped) timer = setTimeout(tick, REFRESH_EVERY_MS)
  }
  timer = setTimeout(tick, 0)

  const fresh = () => clock.nowMs() - readAtMs <= MAX_READING_AGE_MS
  return {
    mark: (token) => (fresh() ? byToken.get(token) : undefined),
    whyUnread: (token) => (fresh() ? whyByToken.get(token) : 'the chain has not answered for a while'),
    unread: () => (fresh() ? whyByToken.size : sources.length),
    refresh,
    close: async () => {
      stopped = true
      clearTimeout(timer)
      await underWay?.catch(() => {})
    },
  }
}

/** The first reading of a minute is that minute's; a second writer changes nothing. */
async function keepMarks(db: Db, minuteS: number, { marks }: MarkReading): Promise<void> {
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
