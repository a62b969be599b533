import type { Db } from './db/types.ts'
import { type CapabilityJobs, sweepJob } from './jobs.ts'
import type { Logger } from './logger.ts'
import { withinMs } from './withinMs.ts'

/** A text as one of the processes read it. */
export interface SharedText {
  text: string
  /** How long ago it was read. */
  ageMs: number
  /** For how long it is still good. */
  leftMs: number
  /** Whether this very call read it. */
  isOwn: boolean
}

export interface SharedTexts {
  /**
   * What any process of this store read under the name within `forMs`; else what `read` answers now, which is
   * then the others' too. Where two read at once, the first counts for both.
   */
  load(name: string, forMs: number, read: () => Promise<string>): Promise<SharedText>
  jobs: CapabilityJobs
}

/** A store that takes longer is not waited for: what is shared can be read again. */
const PATIENCE_MS = 200
const KEPT_MS = 60_000
const SWEPT_AT_ONCE = 10_000

/** Old, or of a time to come: a clock that was set back must not freeze it. */
const isOver = (forMs: `$${number}`) =>
  `(shared_texts.read_at <= clock_timestamp() - ${forMs}::int4 * interval '1 millisecond'
    or shared_texts.read_at > clock_timestamp())`

/**
 * Texts in the table `shared_texts`, by the store's clock, so that processes answer alike. The embedded store
 * has one process, and nobody to share with; a store that does not answer is done without.
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

  /** Whether it is the one that counts. */
  async function put(name: string, forMs: number, text: string): Promise<boolean> {
    const rows = await db.query(
      `insert into shared_texts (name, text, read_at) values ($1, $2, clock_timestamp())
       on conflict (name) do update set text = excluded.text, read_at = excluded.read_at
         where ${isOver('$3')} returning name`,
      [name, text, forMs],
    )
    return rows.length === 1
  }

  /** A name is a wallet or so: what nobody asks for any more must not stay. */
  const sweep = () =>
    db.query(
      `delete from shared_texts where name in (
         select name from shared_texts where ${isOver('$1')} limit $2)`,
      [KEPT_MS, SWEPT_AT_ONCE],
    )

  const patiently = <T>(work: Promise<T>, otherwise: T): Promise<T> =>
    withinMs(PATIENCE_MS, work, () => new Error(`the store took longer than ${PATIENCE_MS} ms`)).catch(
      (error) => {
        logger.warn({ err: error }, 'the store shares nothing: this process answers what it read itself')
        return otherwise
      },
    )

  return {
    async load(name, forMs, read) {
      if (db.engine === 'pglite') return own(await read(), forMs)
      const known = await patiently(find(name, forMs), undefined)
      if (known) return known
      const text = await read()
      if (await patiently(put(name, forMs, text), true)) return own(text, forMs)
      return (await patiently(find(name, forMs), undefined)) ?? own(text, forMs)
    },
    jobs: { everywhere: [], worker: [sweepJob('sweep shared texts', sweep)] },
  }
}
