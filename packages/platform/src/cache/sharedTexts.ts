import { withinMs } from '../clock/withinMs.ts'
import type { Db } from '../db/types.ts'
import { type CapabilityJobs, sweepJob } from '../jobs/jobs.ts'
import type { Logger } from '../monitoring/logger.ts'

/** A text read by one of the processes. */
export interface SharedText {
  text: string
  /** Age of the read. */
  ageMs: number
  /** Remaining lifetime. */
  leftMs: number
  /** Whether this call read it. */
  isOwn: boolean
}

export interface SharedTexts {
  /**
   * The text that any process on this store read under the name within `forMs`; otherwise the result of
   * `read`, which is then shared. If two read at once, both use the first.
   */
  load(name: string, forMs: number, read: () => Promise<string>): Promise<SharedText>
  jobs: CapabilityJobs
}

/** Timeout of the store: a shared text can always be read again. */
const PATIENCE_MS = 200
const KEPT_MS = 60_000
const SWEPT_AT_ONCE = 10_000

/** Expired, or in the future: a clock that was set back must not freeze it. */
const isOver = (forMs: `$${number}`) =>
  `(shared_texts.read_at <= clock_timestamp() - ${forMs}::int4 * interval '1 millisecond'
    or shared_texts.read_at > clock_timestamp())`

/**
 * Texts in the table `shared_texts`, by the store's clock, so that processes agree. The embedded store has
 * one process and does not share; a store that does not answer is skipped.
 */
export function createSharedTexts({ db, logger }: { db: Db; logger: Pick<Logger, 'warn'> }): SharedTexts {
  const own = (text: string, forMs: number): SharedText => ({ text, ageMs: 0, leftMs: forMs, isOwn: true })

  async function find(name: string, forMs: number): Promise<SharedText | undefined> {
    const [row] = await db.query<{ text: string; age_ms: string }>(
      `select text, (extract(epoch from clock_timestamp() - read_at) * 1000)::numeric(12, 3) as age_ms
       from shared_texts where name = $1 and not ${isOver('$2')}`,
      [name, forMs],
    )
    if (!row) return undefined
    const ageMs = Math.max(0, Number(row.age_ms))
    return { text: row.text, ageMs, leftMs: forMs - ageMs, isOwn: false }
  }

  /** Whether this text won over a concurrent one. */
  async function put(name: string, forMs: number, text: string): Promise<boolean> {
    const rows = await db.query(
      `insert into shared_texts (name, text, read_at) values ($1, $2, clock_timestamp())
       on conflict (name) do update set text = excluded.text, read_at = excluded.read_at
         where ${isOver('$3')} returning name`,
      [name, text, forMs],
    )
    return rows.length === 1
  }

  /** Names include wallets, so expired texts must not accumulate. */
  const sweep = () =>
    db.query(
      `delete from shared_texts where name in (
         select name from shared_texts where ${isOver('$1')} limit $2)`,
      [KEPT_MS, SWEPT_AT_ONCE],
    )

  const patiently = <T>(work: Promise<T>, otherwise: T): Promise<T> =>
    withinMs(PATIENCE_MS, work, () => new Error(`the store took longer than ${PATIENCE_MS} ms`)).catch(
      (error) => {
        logger.warn({ err: error }, 'shared cache unavailable; using this process’s own reads')
        return otherwise
      },
    )

  return {
    async load(name, forMs, read) {
      if (db.engine === 'pglite') return own(await read(), forMs)
      const cached = await patiently(find(name, forMs), undefined)
      if (cached) return cached
      const text = await read()
      if (await patiently(put(name, forMs, text), true)) return own(text, forMs)
      return (await patiently(find(name, forMs), undefined)) ?? own(text, forMs)
    },
    jobs: { everywhere: [], worker: [sweepJob('sweep shared texts', sweep)] },
  }
}
