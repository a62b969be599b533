import { lookUntil, type Timer } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { CapabilityJobs } from '@pit/platform/jobs'
import { StartRefused } from '@pit/platform/settings'
import { isClockOff } from './clocks.ts'
import type { Facts } from './facts.ts'

export interface Fleet {
  jobs: CapabilityJobs
  /**
   * Whether most other clocks disagree with this one: this process must then make no time-based decisions.
   */
  isClockOff(): boolean
  leave(): Promise<void>
}

const BEAT_MS = 5_000
/** Three missed heartbeats: the process is gone. */
const GONE_AFTER_S = 15
const LOOK_EVERY_MS = 1_000

interface Other {
  name: string
  facts: Facts
}

/**
 * Registers this process on its store. Refuses to start while a live process there has different shared
 * settings: a challenge of one would be a bad signature at the other.
 */
export async function joinFleet({
  db,
  clock,
  name,
  facts,
  tell,
  ending,
}: {
  db: Db
  clock: Timer
  name: string
  facts: Facts
  tell(text: string): void
  ending: AbortSignal
}): Promise<Fleet> {
  // The embedded store has one process.
  if (db.engine === 'pglite')
    return { jobs: { everywhere: [], worker: [] }, isClockOff: () => false, leave: async () => {} }
  const insert = async (): Promise<number> => {
    const [row] = await db.query<{ id: number }>(
      `insert into processes (name, facts, clock_off_ms) values ($1, $2, ${CLOCK_OFF_MS('$3')}) returning id`,
      [name, JSON.stringify(facts), clock.nowMs()],
    )
    return row!.id
  }
  let id = await insert()
  const leave = async () => void (await db.query('delete from processes where id = $1', [id]))
  await db.query(`delete from processes where seen_at < clock_timestamp() - interval '1 day'`)

  /** An earlier live process that differs; of two starting at once the later one gives way. */
  const findUnlike = async (): Promise<Other | undefined> => {
    const others = await db.query<Other>(
      `select name, facts from processes
       where id < $1 and seen_at > clock_timestamp() - make_interval(secs => $2) order by id`,
      [id, GONE_AFTER_S],
    )
    return others.find((other) => differing(facts, other.facts).length > 0)
  }
  let isReported = false
  const unlike = await lookUntil(
    clock,
    async () => {
      const other = await findUnlike()
      if (other && !isReported) {
        isReported = true
        tell(`another process on this store, ${other.name}, has different settings; waiting for it to end`)
      }
      return other
    },
    // A process that was just killed looks alive until it misses a heartbeat.
    {
      holds: (found) => !found,
      withinMs: (GONE_AFTER_S + 1) * 1_000,
      everyMs: LOOK_EVERY_MS,
      signal: ending,
    },
  )
  if (unlike) {
    await leave()
    const names = differing(facts, unlike.facts).join(', ')
    throw new StartRefused(
      `${unlike.name} runs on the same store with a different ${names}: ` +
        'give all processes on one store the same settings, or stop that one first',
    )
  }
  let isOff = false
  const compareClocks = async (): Promise<void> => {
    const rows = await db.query<{ id: number; off_ms: number }>(
      `select id, clock_off_ms as off_ms from processes
       where clock_off_ms is not null and seen_at > clock_timestamp() - make_interval(secs => $1)`,
      [GONE_AFTER_S],
    )
    const own = rows.find((row) => row.id === id)
    const others = rows.filter((row) => row.id !== id).map(({ off_ms }) => off_ms)
    isOff = own !== undefined && isClockOff(own.off_ms, others)
  }
  await compareClocks()
  if (isOff)
    tell('this machine’s clock differs from the other processes’: it stands aside until the clock is set')
  const beat = async (): Promise<void> => {
    const seen = await db.query(
      `update processes set seen_at = clock_timestamp(), clock_off_ms = ${CLOCK_OFF_MS('$2')}
       where id = $1 returning id`,
      [id, clock.nowMs()],
    )
    // A store restored from a backup has no row of this process.
    if (seen.length === 0) id = await insert()
    await compareClocks()
  }
  return {
    jobs: { everywhere: [{ name: 'be seen', intervalMs: BEAT_MS, run: beat }], worker: [] },
    isClockOff: () => isOff,
    leave,
  }
}

/** How far a time is ahead of the store's clock, in milliseconds. */
const CLOCK_OFF_MS = (nowMs: string) =>
  `${nowMs}::int8 - (extract(epoch from clock_timestamp()) * 1000)::int8`

const differing = (own: Facts, other: Facts): string[] =>
  Object.keys(own).filter((name) => name in other && own[name] !== other[name])
