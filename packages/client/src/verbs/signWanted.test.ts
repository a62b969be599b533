import { NATIVE, type Order, type OrderList } from '@pit/chain'
import { describe, expect, it } from 'vitest'
import { fakeMarket, keyOf, pins, TOKEN, USDG } from '../../test/fakeMarket.ts'
import type { ClientDeps } from '../deps.ts'
import { openNode } from '../own/node.ts'
import { checkPrices } from './signWanted.ts'

const NOW_MS = 1_800_000_000_000
const order = (change: Partial<Order>): Order => ({
  tokenIn: TOKEN,
  tokenOut: USDG,
  amountIn: 10n ** 19n,
  minAmountOut: 0n,
  maxSlippageBps: 50,
  trigger: { kind: 'none', token: NATIVE, priceE18: 0n, trailBps: 0 },
  slices: 1,
  everyS: 0,
  startsAt: 0,
  expiresAt: NOW_MS / 1000 + 900,
  group: 0,
  parent: 0,
  ...change,
})
const check = (change: Partial<Order>) => {
  const node = fakeMarket([{ key: keyOf(3000), bid: 2_000_000n, ask: 2_000_000n }])
  const deps = { pins, rpc: openNode(node, pins, () => NOW_MS), nowMs: () => NOW_MS }
  const list = { orders: [order(change)] } as unknown as OrderList
  return checkPrices(deps as unknown as ClientDeps, list, {})
}

describe('the price of a list to sign', () => {
  it('may be up to 10% below the client’s own', async () => {
    await expect(check({ minAmountOut: 18_000_001n })).resolves.toBeUndefined()
    await expect(check({ minAmountOut: 17_900_000n })).rejects.toMatchObject({ rule: 'PRICE' })
  })

  it('must be known', async () => {
    const unknown = `0x${'7'.repeat(40)}` as const
    await expect(check({ tokenIn: unknown, minAmountOut: 1n })).rejects.toMatchObject({ rule: 'PRICE' })
  })
})
