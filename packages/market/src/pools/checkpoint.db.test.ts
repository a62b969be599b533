import { type CurvePool, newV2Pool } from '@pit/chain'
import { withDb } from '@pit/platform/test/withStore'
import { beforeEach, expect, it } from 'vitest'
import { readCheckpoint, writeCheckpoint } from './checkpoint.ts'

const [TOKEN0, TOKEN1] = [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`] as const
const pool = (digit: string, reserve0: bigint) => ({
  ...newV2Pool({ id: `0x${digit.repeat(40)}`, token0: TOKEN0, token1: TOKEN1 }),
  reserve0,
})

withDb('market checkpoint', (db) => {
  beforeEach(() => db.exec('delete from pools; delete from market_cursor'))

  it('keeps the pools of one block', async () => {
    expect(await readCheckpoint(db)).toBeNull()
    const first = { changed: [pool('a', 1n), pool('b', 2n)], gone: [], empty: [], anew: false }
    await writeCheckpoint(db, { block: 7, hash: '0x07' }, first)
    const second = { changed: [pool('a', 3n)], gone: [pool('b', 0n).id], empty: [], anew: false }
    await writeCheckpoint(db, { block: 8, hash: '0x08' }, second)
    expect(await readCheckpoint(db)).toEqual({ block: 8, hash: '0x08', pools: [pool('a', 3n)] })
  })

  it('lets the process that is furthest ahead win', async () => {
    const at = (reserve: bigint) => ({ changed: [pool('a', reserve)], gone: [], empty: [], anew: false })
    await writeCheckpoint(db, { block: 9, hash: '0x09' }, at(9n))
    await writeCheckpoint(db, { block: 8, hash: '0x08' }, at(8n))
    expect(await readCheckpoint(db)).toMatchObject({ block: 9, pools: [{ reserve0: 9n }] })
  })

  it('is not used when a curve in it has no sale supply, and is replaced', async () => {
    const curve: CurvePool = {
      version: 'curve',
      launchpad: 'pit',
      id: `0x${'c'.repeat(40)}`,
      token: TOKEN0,
      pair: TOKEN1,
      x: 10n,
      y: 100n,
      yFloor: 30n,
      saleSupply: 70n,
      curveFeeBps: 100,
      creatorTaxBps: 0,
      snipeStartBps: 0,
      snipeSeconds: 0,
      launchedAtS: 1,
      graduated: false,
    }
    const whole = { changed: [curve, pool('a', 1n)], gone: [], empty: [], anew: false }
    await writeCheckpoint(db, { block: 7, hash: '0x07' }, whole)
    const pools = (await readCheckpoint(db))!.pools
    expect(pools).toContainEqual(curve)
    await db.exec(`update pools set state = state - 'saleSupply' where state->>'version' = 'curve'`)
    expect(await readCheckpoint(db)).toBeNull()
    await writeCheckpoint(db, { block: 8, hash: '0x08' }, whole)
    expect((await readCheckpoint(db))!.pools).toHaveLength(2)
  })

  it('is overruled by one that read the chain anew', async () => {
    const old = { changed: [pool('a', 9n)], gone: [], empty: [], anew: false }
    await writeCheckpoint(db, { block: 9, hash: '0x09' }, old)
    const fresh = { changed: [], gone: [pool('a', 0n).id], empty: [], anew: true }
    await writeCheckpoint(db, { block: 2, hash: '0x02' }, fresh)
    expect(await readCheckpoint(db)).toEqual({ block: 2, hash: '0x02', pools: [] })
  })
})
