import { createCache } from '@pit/platform/cache'
import type { Db, Sql } from '@pit/platform/db'
import type { Hex } from '@pit/platform/follow'
import { askHeader, needAll, PAGED } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { freezePool, thawPool } from './freezePool.ts'
import type { AnyPool, EmptyPool } from './poolBook.ts'

/** How an empty pool stood after a block, as it is stored. */
export interface EmptyRow {
  id: string
  block: number
  hash: Hex
  state: string
}

/** Pools without liquidity: the newest wait to be written, all others are rows. */
export interface EmptyPools {
  keep(pools: readonly EmptyPool[]): void
  /** The pools among these that were empty before a block, as they stood then. */
  load(ids: readonly string[], before: number): Promise<AnyPool[]>
  /** Forgets what waits of blocks after this one. */
  undoTo(number: number): void
  waiting(): EmptyRow[]
  /** To be told once these are in the store. */
  written(rows: readonly EmptyRow[]): void
  /** Writes what waits when that is much. */
  makeRoom(): Promise<void>
}

/** About two megabytes of memory. */
const MAX_WAITING = 4_096
/** Addresses remembered to be no pool of ours: other exchanges emit the same logs with every trade. */
const MAX_STRANGERS = 50_000
/** Rows of one pool looked at: those of orphaned blocks before the first that counts. */
const MAX_ROWS = 16

export function createEmptyPools({ db, rpc }: { db: Db; rpc: Pick<Rpc, 'batch'> }): EmptyPools {
  let waiting: EmptyRow[] = []
  const byId = new Map<string, EmptyRow[]>()
  const strangers = createCache<string, true>({ max: MAX_STRANGERS })

  function setWaiting(rows: EmptyRow[]): void {
    waiting = rows
    byId.clear()
    for (const row of rows) add(byId, row)
  }

  function written(rows: readonly EmptyRow[]): void {
    const done = new Set(rows)
    setWaiting(waiting.filter((row) => !done.has(row)))
  }

  async function read(ids: readonly string[], before: number): Promise<EmptyRow[]> {
    const rows = await findRows(db, ids, before)
    const byPool = new Map<string, EmptyRow[]>()
    for (const row of rows) add(byPool, row)
    for (const id of ids) if (!byPool.has(id)) strangers.set(id, true)
    // What a log on our chain is about was stored from our chain, so a single row is the right one.
    const doubted = [...byPool.values()].filter((all) => all.length > 1).flat()
    const onChain = await readHashes(rpc, doubted)
    return [...byPool.values()].map(
      (all) =>
        (all.length === 1 ? all[0] : all.find(({ block, hash }) => onChain.get(block) === hash)) ??
        missing(all[0]!),
    )
  }

  return {
    keep(pools) {
      for (const { pool, block, hash } of pools) {
        const row = { id: pool.id, block, hash, state: freezePool(pool) }
        waiting.push(row)
        add(byId, row)
        strangers.delete(pool.id)
      }
    },
    async load(ids, before) {
      const near = ids.flatMap((id) => byId.get(id)?.at(-1) ?? [])
      const far = ids.filter((id) => !byId.has(id) && !strangers.get(id))
      const rows = far.length > 0 ? [...near, ...(await read(far, before))] : near
      return rows.map(({ state }) => thawPool(state))
    },
    undoTo(number) {
      if (waiting.some(({ block }) => block > number))
        setWaiting(waiting.filter(({ block }) => block <= number))
    },
    waiting: () => [...waiting],
    written,
    async makeRoom() {
      if (waiting.length < MAX_WAITING) return
      const rows = [...waiting]
      await writeRows(db, rows)
      written(rows)
    },
  }
}

function add(to: Map<string, EmptyRow[]>, row: EmptyRow): void {
  const known = to.get(row.id)
  if (known) known.push(row)
  else to.set(row.id, [row])
}

/** The newest rows of each pool before a block, newest first. */
const findRows = (sql: Sql, ids: readonly string[], before: number): Promise<EmptyRow[]> =>
  sql.query<EmptyRow>(
    `select rows.id, rows.block, rows.hash, rows.state::text as state
     from unnest($1::text[]) as given (id) cross join lateral (
       select * from empty_pools where empty_pools.id = given.id and block < $2
       order by block desc limit ${MAX_ROWS}
     ) rows order by rows.id, rows.block desc`,
    [ids, before],
  )

/** Facts, written in any order and by any process: the same row twice is one. */
export async function writeRows(sql: Sql, rows: readonly EmptyRow[]): Promise<void> {
  if (rows.length === 0) return
  await sql.query(
    `insert into empty_pools (id, block, hash, state)
     select * from unnest($1::text[], $2::int8[], $3::text[], $4::jsonb[]) on conflict do nothing`,
    [
      rows.map(({ id }) => id),
      rows.map(({ block }) => block),
      rows.map(({ hash }) => hash),
      rows.map(({ state }) => state),
    ],
  )
}

async function readHashes(
  rpc: Pick<Rpc, 'batch'>,
  rows: readonly EmptyRow[],
): Promise<Map<number, Hex | undefined>> {
  const blocks = [...new Set(rows.map(({ block }) => block))]
  if (blocks.length === 0) return new Map()
  const headers = await needAll(
    rpc,
    blocks.map((block) => askHeader(block)),
    PAGED,
  )
  return new Map(blocks.map((block, i) => [block, headers[i]?.hash]))
}

function missing({ id }: EmptyRow): never {
  throw new Error(`no stored state of pool ${id} is of a block on the chain`)
}
