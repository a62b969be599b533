import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEAF_TTL_S } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import { fail } from '@pit/protocol'
import type { LostByRestore } from '@pit/signer-wire'

export type Home = Awaited<ReturnType<typeof openHome>>

/** The ledger's database and the position of its write-ahead log, which only grows. */
interface Place {
  system: string
  timeline: string
  database: number
  leaves: number
  position: string
}

const FILE = 'ledger-mark.json'
/** A trade signed before the loss can be redeemed for this long; clocks may differ a little. */
const LEAVES_END_MS = (LEAF_TTL_S + 30) * 1000

/**
 * Detects a ledger that was restored from a backup, so that no session spends twice: its row names another
 * database (a restored dump), or the database's log is behind the position this signer recorded (a restored
 * disk). Such a ledger stays closed until the operator states what was lost.
 */
export async function openHome({
  db,
  clock,
  folder,
  logger,
}: {
  db: Db
  clock: Clock
  /** The signer's folder, separate from the database. */
  folder: string
  logger: Pick<Logger, 'error' | 'warn'>
}) {
  const startedAtMs = clock.nowMs()
  const file = join(folder, FILE)
  let marked = readMark(file)
  let isHome = false

  /** Records that the ledger was restored, so that it stays closed after a restart too. */
  async function shut(why: string): Promise<void> {
    logger.error({ why }, 'the ledger was restored from a backup: nothing is signed')
    await putHome(db, { system: 'restored', timeline: '', database: 0, leaves: 0 })
    isHome = false
  }

  function mark(place: Place): void {
    if (marked && samePlace(marked, place) && marked.position === place.position) return
    const draft = `${file}.draft`
    writeFileSync(draft, `${JSON.stringify(place)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, file)
    marked = place
  }

  /** Checks the ledger's database and records its position. */
  async function check(): Promise<void> {
    const { known, home, ...place } = await readPlace(db)
    const before = isHome
    isHome = home
    if (!known) {
      if (marked) return shut(`${file} exists, but this database has no ledger mark`)
      await putHome(db, place)
      isHome = true
    } else if (!home) {
      if (before) logger.error({}, 'the ledger was restored from a backup: nothing is signed')
      return
    } else if (marked && samePlace(marked, place) && BigInt(place.position) < BigInt(marked.position)) {
      return shut(`its database is behind what ${file} has seen`)
    }
    mark(place)
  }
  await check()
  if (!isHome) logger.error({}, 'the ledger was restored from a backup: run pit-admin signer restored')

  return {
    check,
    /** Null while everything can be signed. */
    trouble: (): string | null => (isHome ? null : 'the ledger was restored from a backup'),
    /** Accepts a restored ledger. Returns how many sessions were ended. */
    async accept(lost: LostByRestore): Promise<number> {
      await check()
      if (isHome) fail('BAD_REQUEST', { message: 'The ledger was not restored: there is nothing to accept.' })
      const waitMs = startedAtMs + LEAVES_END_MS - clock.nowMs()
      if (lost === 'unknown' && waitMs > 0) {
        const message = `Wait ${Math.ceil(waitMs / 1000)} s: trades signed before the loss may still be carried out.`
        fail('FORBIDDEN', { message })
      }
      const ended = await db.transaction(async (sql) => {
        // Waits for leaves in progress, as a freeze does.
        await sql.query('select frozen from state where id = 1 for update')
        const rows = lost === 'nothing' ? [] : await endSessions(sql, clock.nowMs())
        await putHome(sql, await readPlace(sql))
        return rows.length
      })
      // The position recorded before the restore no longer counts.
      marked = null
      await check()
      logger.warn({ lost, ended }, 'the restored ledger was accepted by the operator')
      return ended
    },
  }
}

/** Their spending since the backup is unknown: owners have to grant them again. */
const endSessions = (sql: Sql, nowMs: number): Promise<{ root_hash: string }[]> =>
  sql.query(
    `insert into revocations (root_hash, revoked_at_ms)
     select hash, $1 from roots where (binding ->> 'expires_at')::int8 > $2
     on conflict do nothing returning root_hash`,
    [nowMs, Math.floor(nowMs / 1000)],
  )

async function readPlace(sql: Sql): Promise<Place & { known: boolean; home: boolean }> {
  const [row] = await sql.query<Place & { known: boolean; home: boolean }>(
    `select p.*, pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::text as position,
       exists (select from ledger_home) as known, ledger_is_home() as home
     from ledger_place() p`,
  )
  return row!
}

async function putHome(sql: Sql, place: Omit<Place, 'position'>): Promise<void> {
  const { system, timeline, database, leaves } = place
  await sql.query(
    `insert into ledger_home values (1, $1, $2, $3, $4) on conflict (id) do update
     set system = excluded.system, timeline = excluded.timeline, database = excluded.database,
       leaves = excluded.leaves`,
    [system, timeline, database, leaves],
  )
}

const samePlace = (a: Place, b: Place): boolean =>
  a.system === b.system && a.timeline === b.timeline && a.database === b.database && a.leaves === b.leaves

/** Null if there is none. An unreadable mark counts as one of another database. */
function readMark(file: string): Place | null {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    return JSON.parse(text) as Place
  } catch {
    return { system: 'unreadable', timeline: '', database: 0, leaves: 0, position: '0' }
  }
}
