import { createCrypto, poolIdOf } from '@pit/chain'
import type { ChainProfile } from '@pit/protocol'
import { expect, it } from 'vitest'
import { pinnedPools } from './openMarket.ts'

it('names every pinned pool once, as the index does', async () => {
  const crypto = await createCrypto()
  const v3 = { version: 'v3', address: `0x${'AB'.repeat(20)}`, fee: 500 } as const
  const key = { currency0: `0x${'00'.repeat(20)}`, currency1: `0x${'CD'.repeat(20)}`, fee: 500 } as const
  const hooks = `0x${'00'.repeat(20)}` as const
  const v4 = { version: 'v4', ...key, tick_spacing: 10, hooks } as const
  const pins = { partner_usdg: v3, reference_pools: { ETH: [v4, v3] }, fast_pools: { 'ETH/USDG': v4 } }
  expect(pinnedPools(crypto, { pins } as Pick<ChainProfile, 'pins'>)).toEqual([
    `0x${'ab'.repeat(20)}`,
    poolIdOf(crypto, { ...key, currency1: `0x${'cd'.repeat(20)}`, tickSpacing: 10, hooks }),
  ])
})
