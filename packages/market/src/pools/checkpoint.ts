import { bigIntToWord, type Concentrated, type Tick, wordToBigInt } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import type { Hex } from '@pit/platform/follow'
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
    const rows = await sql.query<{ state: Record<string, unknown> }>('select state from pools')
    const pools = rows.map(({ state }) => thawPool(state))
    return pools.every(isWhole) ? { ...cursor, pools } : null
  })
}

/**
 * Older checkpoints have curves without their sale supply, which only their first log tells. Such a
 * checkpoint is not used: the chain is read again from the profile's first block.
 */
function isWhole(pool: AnyPool): boolean {
  return pool.version !== 'curve' || typeof pool.saleSupply === 'bigint'
}

/**
 * Several processes may write: each writes all that changed since it last read or wrote, so the one furthest
 * ahead leaves a complete state. Pools are serialised before the first await, so they are of one block.
 */
export function writeCheckpoint(
  db: Db,
  at: { block: number; hash: Hex },
  { changed, gone, anew }: { changed: Iterable<AnyPool>; gone: Iterable<string>; anew: boolean },
): Promise<void> {
  const ids: string[] = []
  const states: string[] = []
  for (const pool of changed) {
    ids.push(pool.id)
    states.push(freezePool(pool))
  }
  const goneIds = [...gone]
  return db.transaction(async (sql) => {
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

/** Pools as JSON: bigints as decimal strings with a prefix, maps as arrays of entries. */

type Plain = { [field: string]: unknown }

export function freezePool(pool: AnyPool): string {
  return JSON.stringify(pool, function (this: Plain, field, value: unknown) {
    if (typeof value === 'bigint') return `n:${value}`
    if (field === 'ticks') {
      return [...(value as Map<number, Tick>)].map(([tick, { gross, net }]) => [tick, `${gross}`, `${net}`])
    }
    if (field === 'bitmap') {
      return [...(value as Map<number, Uint32Array>)].map(([word, bits]) => [word, `${wordToBigInt(bits)}`])
    }
    return value
  })
}

export function thawPool(state: Plain): AnyPool {
  const pool: Plain = {}
  for (const [field, value] of Object.entries(state)) {
    pool[field] = typeof value === 'string' && value.startsWith('n:') ? BigInt(value.slice(2)) : value
  }
  if (Array.isArray(state['ticks'])) Object.assign(pool, thawTicks(state))
  return pool as AnyPool
}

function thawTicks(state: Plain): Pick<Concentrated, 'ticks' | 'bitmap'> {
  const ticks = state['ticks'] as [number, string, string][]
  const bitmap = state['bitmap'] as [number, string][]
  return {
    ticks: new Map(ticks.map(([tick, gross, net]) => [tick, { gross: BigInt(gross), net: BigInt(net) }])),
    bitmap: new Map(bitmap.map(([word, bits]) => [word, bigIntToWord(BigInt(bits))])),
  }
}
