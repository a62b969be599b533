import { withDb } from '@pit/platform/test/withStore'
import { expect, it } from 'vitest'
import { createPendingPermits, type PermitRequest } from './pendingPermits.ts'

const NOW_S = 1_800_000_000
const request = (over: Partial<PermitRequest> = {}): PermitRequest => ({
  wallet: `0x${'a'.repeat(40)}`,
  tokenIn: 'USDG',
  tokenOut: 'ETH',
  anchorS: NOW_S,
  size: '$25',
  approval: { mode: 'budget', budgetUsd: 25, permitMode: 'signature', permitScope: '30d' },
  ...over,
})

withDb('pending permits', (db) => {
  const start = (nowS = NOW_S) => createPendingPermits({ db, clock: { nowMs: () => nowS * 1000 } })

  it('are found by another process, exact to the atom, by the whole request only', async () => {
    const granted = (1n << 160n) - 1n
    await start().remember(request(), { amountIn: 1n << 100n, granted })
    expect(await start().recall(request({ tokenIn: 'usdg' }))).toEqual({ amountIn: 1n << 100n, granted })
    const others: PermitRequest[] = [
      request({ wallet: `0x${'b'.repeat(40)}` }),
      request({ tokenOut: 'WETH' }),
      request({ size: '25' }),
      request({ anchorS: NOW_S + 1 }),
      request({ approval: { ...request().approval, budgetUsd: 26 } }),
      request({ approval: { ...request().approval, mode: 'exact' } }),
      request({ approval: { ...request().approval, permitScope: 'trade' } }),
      request({ approval: { ...request().approval, permitMode: 'transaction' } }),
    ]
    for (const other of others) expect(await start().recall(other)).toBeUndefined()
    // Repeated in the same second: the newer response counts.
    await start().remember(request(), { amountIn: 2n, granted: 3n })
    expect(await start().recall(request())).toEqual({ amountIn: 2n, granted: 3n })
  })

  it('are swept in steps once they have expired', async () => {
    const anchorS = NOW_S - 1_801
    await db.query(
      `insert into asked_permits (key, amount_in, granted, expires_at_s)
       select 'old ' || n, 1, 1, $1 from generate_series(1, 600) n`,
      [anchorS + 1_800],
    )
    const live = request({ anchorS: anchorS + 1 })
    await start().remember(live, { amountIn: 7n, granted: 9n })
    expect(await start().sweep()).toBe(600)
    expect(await start().recall(live)).toEqual({ amountIn: 7n, granted: 9n })
    expect(await start(NOW_S + 1).sweep()).toBe(1)
    expect(await start().recall(live)).toBeUndefined()
  })
})
