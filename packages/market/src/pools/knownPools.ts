import { type Address, type Hex, newV2Pool, newV3Pool, newV4Pool } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Db, Sql } from '@pit/platform/db'
import type { Place } from '@pit/platform/follow'
import { freezePool, thawPool } from './freezePool.ts'
import type { EmptyPool } from './poolBook.ts'
import type { AnyPool } from './poolLogs.ts'

/** Every pool ever created, as a row: id, kind and immutable facts. */

export interface KnownRow {
  id: string
  kind: AnyPool['version']
  block: number
  facts: string
}

export const rowOf = ({ pool, block }: EmptyPool): KnownRow => ({
  id: pool.id,
  kind: pool.version,
  block,
  facts: factsOf(pool),
})

function factsOf(pool: AnyPool): string {
  switch (pool.version) {
    case 'v2':
      return [pool.token0, pool.token1].join()
    case 'v3':
      return [pool.token0, pool.token1, pool.feePips, pool.tickSpacing].join()
    case 'v4':
      return [pool.token0, pool.token1, pool.key.fee, pool.tickSpacing, pool.key.hooks].join()
    case 'curve':
      return freezePool(pool)
  }
}

/** The pool without its state. */
export function poolOf({ id, kind, facts }: Pick<KnownRow, 'id' | 'kind' | 'facts'>): AnyPool {
  if (kind === 'curve') return thawPool(facts)
  const [token0, token1, fee, spacing, hooks] = facts.split(',') as [
    Address,
    Address,
    string,
    string,
    Address,
  ]
  if (kind === 'v2') return newV2Pool({ id: id as Address, token0, token1 })
  const tickSpacing = Number(spacing)
  if (kind === 'v3')
    return newV3Pool({ id: id as Address, token0, token1, feePips: Number(fee), tickSpacing })
  return newV4Pool(id as Hex, { currency0: token0, currency1: token1, fee: Number(fee), tickSpacing, hooks })
}

/**
 * Immutable facts, written in any order by any process. If a reorg gave a curve's address to another curve, the
 * newer one wins; pool ids derive from their facts.
 */
export async function writeKnown(sql: Sql, rows: readonly KnownRow[]): Promise<void> {
  if (rows.length === 0) return
  const newest = [...new Map(rows.map((row) => [row.id, row])).values()]
  await sql.query(
    `insert into known_pools (id, kind, block, facts)
     select * from unnest($1::text[], $2::text[], $3::int8[], $4::text[])
     on conflict (id) do update set block = excluded.block, facts = excluded.facts
     where known_pools.facts <> excluded.facts`,
    [
      newest.map(({ id }) => id),
      newest.map(({ kind }) => kind),
      newest.map(({ block }) => block),
      newest.map(({ facts }) => facts),
    ],
  )
}

/** The next rows by id, after one. */
export const knownAfter = (sql: Sql, id: string, limit: number): Promise<KnownRow[]> =>
  sql.query<KnownRow>('select id, kind, block, facts from known_pools where id > $1 order by id limit $2', [
    id,
    limit,
  ])

/** Addresses cached as not being our pools: other exchanges emit the same logs with every trade. */
const MAX_STRANGERS = 50_000
/** About two megabytes of memory. */
const MAX_WAITING = 4_096

export interface KnownPools {
  /** Adds newly created pools until they are written. */
  add(pools: readonly EmptyPool[]): void
  /** Those among these ids that are pools, without their state. */
  find(ids: readonly string[]): Promise<AnyPool[]>
  waiting(): KnownRow[]
  /** Call once these are in the store. */
  written(rows: readonly KnownRow[]): void
  /** Writes queued rows if there are many. */
  makeRoom(): Promise<void>
  /** Forgets queued rows of blocks after this one. */
  undoTo(number: number): void
}

export function createKnownPools(db: Db): KnownPools {
  const waiting = new Map<string, KnownRow>()
  const strangers = createCache<string, true>({ max: MAX_STRANGERS })
  function written(rows: readonly KnownRow[]): void {
    for (const row of rows) if (waiting.get(row.id) === row) waiting.delete(row.id)
  }
  return {
    add(pools) {
      for (const made of pools) {
        waiting.set(made.pool.id, rowOf(made))
        strangers.delete(made.pool.id)
      }
    },
    async find(ids) {
      const near = ids.flatMap((id) => waiting.get(id) ?? [])
      const far = ids.filter((id) => !waiting.has(id) && !strangers.get(id))
      if (far.length === 0) return near.map(poolOf)
      const rows = await db.query<KnownRow>(
        'select id, kind, block, facts from known_pools where id = any($1::text[])',
        [far],
      )
      const existing = new Set(rows.map(({ id }) => id))
      for (const id of far) if (!existing.has(id)) strangers.set(id, true)
      return [...near, ...rows].map(poolOf)
    },
    waiting: () => [...waiting.values()],
    written,
    async makeRoom() {
      if (waiting.size < MAX_WAITING) return
      const rows = [...waiting.values()]
      await writeKnown(db, rows)
      written(rows)
    },
    undoTo(number) {
      for (const [id, { block }] of waiting) if (block > number) waiting.delete(id)
    },
  }
}

/** One mark is kept for so many blocks. */
const BUCKET = 10_000

/** Records that every pool created up to this block is stored. */
export const writeMark = (sql: Sql, { number, hash }: Place): Promise<unknown> =>
  sql.query(
    `insert into pool_marks (bucket, block, hash) values ($1, $2, $3)
     on conflict (bucket) do update set block = excluded.block, hash = excluded.hash
     where pool_marks.block < excluded.block`,
    [Math.floor(number / BUCKET), number, hash],
  )

export type Mark = Place & { hash: Hex }

/** Newest first, those before a block. */
export const marksBefore = (sql: Sql, block: number, limit: number): Promise<Mark[]> =>
  sql.query<Mark>(
    'select block as number, hash from pool_marks where block < $1 order by block desc limit $2',
    [block, limit],
  )

/** Deletes marks after this block, which are from another chain. */
export const dropMarksAfter = (sql: Sql, block: number): Promise<unknown> =>
  sql.query('delete from pool_marks where block > $1', [block])

/** Deletes all known pools, which are from another chain. */
export const forgetKnown = (db: Db): Promise<void> =>
  db.exec('delete from pool_marks; delete from known_pools')
