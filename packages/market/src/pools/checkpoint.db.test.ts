import { newV2Pool } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, expect, it } from 'vitest'
import { beginSweep, endSweep, keepSwept, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import type { AnyPool } from './poolLogs.ts'

const [TOKEN0, TOKEN1] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const
const pool = (digit: string, reserve0: bigint) => ({
  ...newV2Pool({ id: `0x${digit.repeat(40)}`, token0: TOKEN0, token1: TOKEN1 }),
  reserve0,
})
const header = (number: number) => ({
  number,
  hash: `0x${number}` as const,
  parentHash: '0x' as const,
  timestampS: 1,
  baseFeeWei: 1n,
})

withDb('market checkpoint', (db) => {
  beforeEach(() => db.exec('delete from pools; delete from market_cursor; delete from pool_marks'))
  const write = (
    block: number,
    changed: AnyPool[],
    terms: { gone?: string[]; since?: number; anew?: boolean } = {},
  ) =>
    writeCheckpoint(
      db,
      { block, hash: `0x${block}` },
      {
        changed,
        gone: terms.gone ?? [],
        since: terms.since ?? -1,
        swaps: [],
        made: [],
        anew: terms.anew ?? false,
      },
    )

  it('keeps the pools of one block', async () => {
    expect(await readCheckpoint(db)).toBeNull()
    expect(await write(7, [pool('a', 1n)])).toBe(false)
    expect(await write(7, [pool('a', 1n), pool('b', 2n)], { anew: true })).toBe(true)
    expect(await write(8, [pool('a', 3n)], { gone: [pool('b', 0n).id], since: 7 })).toBe(true)
    const stored = { block: 8, hash: '0x8', pools: [pool('a', 3n)], ahead: [], sweep: null }
    expect(await readCheckpoint(db)).toEqual(stored)
  })

  it('prefers the process that is furthest ahead', async () => {
    await write(9, [pool('a', 9n)], { anew: true })
    expect(await write(8, [pool('a', 8n)])).toBe(true)
    expect(await readCheckpoint(db)).toMatchObject({ block: 9, pools: [{ reserve0: 9n }] })
  })

  it('rejects changes on top of an older state', async () => {
    await write(5, [pool('a', 5n)], { anew: true })
    expect(await write(9, [pool('b', 9n)], { since: 7 })).toBe(false)
    expect(await readCheckpoint(db)).toMatchObject({ block: 5, pools: [{ reserve0: 5n }] })
  })

  it('is replaced by one of another chain', async () => {
    await write(9, [pool('a', 9n)], { anew: true })
    await write(2, [], { anew: true })
    expect(await readCheckpoint(db)).toMatchObject({ block: 2, hash: '0x2', pools: [] })
  })

  it('stores swept states with their own blocks, and the progress', async () => {
    await write(9, [pool('a', 9n)], { anew: true })
    await beginSweep(db, { block: 20, hash: '0x20' }, 'me')
    expect(await keepSwept(db, { by: 'me', to: 'b', pools: [pool('b', 2n)], at: header(21) })).toBe(true)
    const ahead = [{ pool: pool('b', 2n), at: 21, hash: '0x21' }]
    const sweep = { by: 'me', to: 'b' }
    expect(await readCheckpoint(db)).toEqual({ block: 20, hash: '0x20', pools: [], ahead, sweep })
    // A process that follows meanwhile has no base for changes.
    expect(await write(30, [pool('a', 9n)], { since: 9 })).toBe(false)
    await endSweep(db, 'me')
    expect(await readCheckpoint(db)).toMatchObject({ block: 20, ahead, sweep: null })
    await write(22, [pool('b', 3n)], { since: 20 })
    expect(await readCheckpoint(db)).toMatchObject({ block: 22, pools: [{ reserve0: 3n }], ahead: [] })
  })

  it('belongs to one reading at a time', async () => {
    await beginSweep(db, { block: 20, hash: '0x20' }, 'first')
    await beginSweep(db, { block: 25, hash: '0x25' }, 'second')
    expect(await keepSwept(db, { by: 'first', to: 'b', pools: [pool('b', 2n)], at: header(21) })).toBe(false)
    await endSweep(db, 'first')
    expect(await readCheckpoint(db)).toMatchObject({
      block: 25,
      pools: [],
      ahead: [],
      sweep: { by: 'second' },
    })
  })
})
