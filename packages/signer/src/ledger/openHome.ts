import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LEAF_TTL_S } from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import type { Db, Sql } from '@pit/platform/db'
import type { Logger } from '@pit/platform/monitoring'
import { fail } from '@pit/protocol'
import type { LostByRestore } from '@pit/signer-wire'

export type Home = Awaited<ReturnType<typeof openHome>>

/** Where the ledger is, and how far its database's log has come: that only ever grows. */
interface Place {
  system: string
  timeline: string
  database: number
  leaves: number
  position: string
}

const FILE = 'ledger-mark.json'
/** A trade signed before the loss can be carried out for so long; clocks may differ a little. */
const LEAVES_END_MS = (LEAF_TTL_S + 30) * 1000

/**
 * Notices that the ledger came back from a backup, so that no session spends twice what the backup does not
 * know of: it is not in the database where it was (a dump carries its place along), or its database's log has
 * not come as far as this signer saw it (a disk was set back). Such a ledger stays shut until the operator
 * says what was lost.
 */
export async function openHome({
  db,
  clock,
  folder,
  logger,
}: {
  db: Db
  clock: Clock
  /** Of the signer, apart from the database. */
  folder: string
  logger: Pick<Logger, 'error' | 'warn'>
}) {
  const startedAtMs = clock.nowMs()
  const file = join(folder, FILE)
  let marked = readMark(file)
  let isHome = false

  /** From now on the row says that this is not the ledger's home, whatever happens to this process. */
  async function shut(why: string): Promise<void> {
    logger.error({ why }, 'the ledger was restored from a backup: nothing is signed')
    await putHome(db, { system: 'restored', timeline: '', database: 0, leaves: 0 })
    isHome = false
  }

  function mark(place: Place): void {
    const draft = `${file}.draft`
    writeFileSync(draft, `${JSON.stringify(place)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, file)
    marked = place
  }

  /** Looks where the ledger is, and writes down how far it has come. */
  async function check(): Promise<void> {
    const { known, home, ...place } = await readPlace(db)
    const before = isHome
    isHome = home
    if (!known) {
      if (marked) return shut(`this database has no mark of a ledger, ${file} has`)
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
  if (!isHome)
    logger.error({}, 'the ledger was restored from a backup: pit-admin signer restored says what to do')

  return {
    check,
    /** Null while everything can be signed. */
    trouble: (): string | null => (isHome ? null : 'the ledger was restored from a backup'),
    /** The operator's word. Returns how many sessions were ended. */
    async accept(lost: LostByRestore): Promise<number> {
      await check()
      if (isHome) fail('BAD_REQUEST', { message: 'The ledger is where it was: there is nothing to accept.' })
      const waitMs = startedAtMs + LEAVES_END_MS - clock.nowMs()
      if (lost === 'unknown' && waitMs > 0) {
        const message = `Wait ${Math.ceil(waitMs / 1000)} s: trades signed before the loss may still be carried out.`
        fail('FORBIDDEN', { message })
      }
      const ended = await db.transaction(async (sql) => {
        // Waits for what is under way, as a freeze does.
        await sql.query('select frozen from state where id = 1 for update')
        const rows = lost === 'nothing' ? [] : await endSessions(sql, clock.nowMs())
        await putHome(sql, await readPlace(sql))
        return rows.length
      })
      // What was seen of the database before the restore no longer counts.
      marked = null
      await check()
      logger.warn({ lost, ended }, 'the restored ledger was accepted by the operator')
      return ended
    },
  }
}

/** What each spent since the backup is not known: their owners grant them again. */
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

/** Null when there is none. One that cannot be read counts as one of another database. */
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
