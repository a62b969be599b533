import type { Db } from '@pit/platform/db'
import type { Hex } from '@pit/platform/follow'
import { type EmptyRow, writeRows } from './emptyPools.ts'
import { freezePool, type Plain, thawPlain } from './freezePool.ts'
import type { AnyPool } from './poolBook.ts'

export interface Checkpoint {
  block: number
  hash: Hex
  pools: AnyPool[]
}

export async function readCheckpoint(db: Db): Promise<Checkpoint | null> {
  return db.transaction(async (sql) => {
    const [cursor] = await sql.query<{ block: number; hash: Hex }>('select block, hash from market_cursor')
    if (!cursor) return null
    const rows = await sql.query<{ state: Plain }>('select state from pools')
    const pools = rows.map(({ state }) => thawPlain(state))
    return pools.every(isWhole) ? { ...cursor, pools } : null
  })
}

/**
 * Older checkpoints have curves without their launchpad or their sale supply. Such a checkpoint is not used:
 * the chain is read again from the profile's first block.
 */
function isWhole(pool: AnyPool): boolean {
  return pool.version !== 'curve' || (typeof pool.saleSupply === 'bigint' && pool.launchpad !== undefined)
}

export interface Changes {
  changed: Iterable<AnyPool>
  /** Pools that are no longer in memory. */
  gone: Iterable<string>
  /** Those of them, and of all others, that have no liquidity. */
  empty: readonly EmptyRow[]
  /** Everything was read again since the last checkpoint. */
  anew: boolean
}

/**
 * Several processes may write: each writes all that changed since it last read or wrote, so the one furthest
 * ahead leaves a complete state. Pools are serialised before the first await, so they are of one block.
 */
export function writeCheckpoint(
  db: Db,
  at: { block: number; hash: Hex },
  { changed, gone, empty, anew }: Changes,
): Promise<void> {
  const ids: string[] = []
  const states: string[] = []
  for (const pool of changed) {
    ids.push(pool.id)
    states.push(freezePool(pool))
  }
  const goneIds = [...gone]
  return db.transaction(async (sql) => {
    // Facts of their blocks, whoever is ahead.
    await writeRows(sql, empty)
    // The process furthest ahead wins: logs applied on top of an older state would count twice.
    const [cursor] = await sql.query<{ block: number }>('select block from market_cursor for update')
    // A process that read everything again knows that the stored state is of another chain.
    if (cursor && cursor.block > at.block && !anew) return
    if (goneIds.length > 0) await sql.query('delete from pools where id = any($1::text[])', [goneIds])
    if (ids.length > 0) {
      await sql.query(
        `insert into pools (id, state) select * from unnest($1::text[], $2::jsonb[])
         on conflict (id) do update set state = excluded.state`,
        [ids, states],
      )
    }
    await sql.query(
      `insert into market_cursor (block, hash) values ($1, $2)
       on conflict (only_one) do update set block = excluded.block, hash = excluded.hash`,
      [at.block, at.hash],
    )
  })
}
