import type { Db, Sql } from '@pit/platform/db'
import type { Header, Hex } from '@pit/platform/follow'
import { addVolumes } from '../candles/store.ts'
import type { SwapVolume } from '../candles/swapVolumes.ts'
import { freezePool, type Plain, thawPlain } from './freezePool.ts'
import { type KnownRow, writeKnown, writeMark } from './knownPools.ts'
import type { AnyPool } from './poolLogs.ts'

/** Starting point of a restart: the stored pool states and their block. */

/** A pool whose state after a block was read from the chain. */
export interface ReadPool {
  pool: AnyPool
  at: number
  hash: Hex
}

export interface Checkpoint {
  block: number
  hash: Hex
  pools: AnyPool[]
  /** Pools whose state was read at a later block than the checkpoint's. */
  ahead: ReadPool[]
  /** A sweep in progress: its owner, and the last id it read. */
  sweep: { by: string; to: string } | null
}

/** Rows of states in one answer or statement. */
const PAGE = 1_000

export async function readCheckpoint(db: Db): Promise<Checkpoint | null> {
  return db.transaction(
    async (sql) => {
      const [cursor] = await sql.query<CursorRow>('select block, hash, sweep, swept_to from market_cursor')
      if (!cursor) return null
      const { block, hash, sweep, swept_to } = cursor
      const pools: AnyPool[] = []
      const ahead: ReadPool[] = []
      for (let last = ''; ; ) {
        const rows = await sql.query<PoolRow>(
          'select id, block, hash, state from pools where id > $1 order by id limit $2',
          [last, PAGE],
        )
        for (const row of rows) {
          const pool = thawPlain(row.state)
          if (row.block > block && row.hash) ahead.push({ pool, at: row.block, hash: row.hash })
          else pools.push(pool)
        }
        if (rows.length < PAGE) break
        last = rows[rows.length - 1]!.id
      }
      return { block, hash, pools, ahead, sweep: sweep === null ? null : { by: sweep, to: swept_to ?? '' } }
    },
    { snapshot: true },
  )
}
interface CursorRow {
  block: number
  hash: Hex
  sweep: string | null
  swept_to: string | null
}

interface PoolRow {
  id: string
  block: number
  hash: Hex | null
  state: Plain
}

export interface Changes {
  /** States that changed since the block `since`, at which this process last read or wrote the store. */
  changed: Iterable<AnyPool>
  /** Pools that left memory since. */
  gone: Iterable<string>
  since: number
  /** Pools created since. */
  made: readonly KnownRow[]
  /** Swaps since. */
  swaps: readonly SwapVolume[]
  /** `changed` is every pool in memory, and the stored state is from another chain or incomplete. */
  anew: boolean
}

/**
 * Several processes may write: each writes all changes since it last read or wrote, so the one furthest ahead
 * leaves a complete state. Pools are serialised before the first await, so they are from one block. Returns
 * false if the stored state is not a base for changes and everything has to be written.
 */
export function writeCheckpoint(
  db: Db,
  at: { block: number; hash: Hex },
  { changed, gone, since, made, swaps, anew }: Changes,
): Promise<boolean> {
  const pools = frozen(changed)
  const goneIds = [...gone]
  return db.transaction(async (sql) => {
    await writeKnown(sql, made)
    const [cursor] = await sql.query<CursorRow>('select block, sweep from market_cursor for update')
    if (!anew) {
      if (!cursor || cursor.sweep !== null) return false
      // The process furthest ahead wins: logs applied on top of an older state would count twice.
      if (cursor.block > at.block) return true
      if (cursor.block < since) return false
      if (goneIds.length > 0) await sql.query('delete from pools where id = any($1::text[])', [goneIds])
    } else await sql.query('delete from pools')
    // Swaps up to the stored block were counted by the process that stored it.
    const countedTo = cursor?.block ?? 0
    await addVolumes(
      sql,
      swaps.filter(({ block }) => block > countedTo && block <= at.block),
    )
    await writePools(sql, pools, { block: at.block, hash: null })
    await writeCursor(sql, at, null)
    await writeMark(sql, { number: at.block, hash: at.hash })
    return true
  })
}

interface Frozen {
  id: string
  state: string
}
const frozen = (pools: Iterable<AnyPool>): Frozen[] =>
  [...pools].map((pool) => ({ id: pool.id, state: freezePool(pool) }))

async function writePools(
  sql: Sql,
  pools: readonly Frozen[],
  { block, hash }: { block: number; hash: Hex | null },
): Promise<void> {
  for (let at = 0; at < pools.length; at += PAGE) {
    const page = pools.slice(at, at + PAGE)
    await sql.query(
      `insert into pools (id, state, block, hash)
       select *, $3::int8, $4::text from unnest($1::text[], $2::jsonb[])
       on conflict (id) do update set state = excluded.state, block = excluded.block, hash = excluded.hash`,
      [page.map(({ id }) => id), page.map(({ state }) => state), block, hash],
    )
  }
}

const writeCursor = (
  sql: Sql,
  { block, hash }: { block: number; hash: Hex },
  sweep: Checkpoint['sweep'],
): Promise<unknown> =>
  sql.query(
    `insert into market_cursor (block, hash, sweep, swept_to) values ($1, $2, $3, $4)
     on conflict (only_one) do update set block = excluded.block, hash = excluded.hash,
       sweep = excluded.sweep, swept_to = excluded.swept_to`,
    [block, hash, sweep?.by ?? null, sweep?.to ?? null],
  )

/** Starts a sweep: states are read one by one, each at its own block from this one on; stored ones are void. */
export const beginSweep = (db: Db, at: { block: number; hash: Hex }, by: string): Promise<void> =>
  db.transaction(async (sql) => {
    await sql.query('delete from pools')
    await writeCursor(sql, at, { by, to: '' })
  })

/** Stores swept states; false if another process has started or finished a sweep. */
export const keepSwept = (
  db: Db,
  { by, to, pools, at }: { by: string; to: string; pools: readonly AnyPool[]; at: Header },
): Promise<boolean> =>
  db.transaction(async (sql) => {
    const cursors = await sql.query(
      'update market_cursor set swept_to = $2 where sweep = $1 returning block',
      [by, to],
    )
    if (cursors.length === 0) return false
    await writePools(sql, frozen(pools), { block: at.number, hash: at.hash })
    return true
  })

/** All states are read. */
export const endSweep = async (db: Db, by: string): Promise<void> => {
  await db.query('update market_cursor set sweep = null, swept_to = null where sweep = $1', [by])
}
