import { findRoutes } from '@pit/chain'
import { expect, it } from 'vitest'
import { crypto, ETH, ETHER, ethUsdg, openWorld, USDG, v3, WETH } from './test/fakeWorld.ts'
import { createWinners } from './winners.ts'

function open() {
  const pools = [ethUsdg(), ethUsdg(), ...Array.from({ length: 6 }, () => v3(WETH, USDG, ETHER))]
  const world = openWorld({ pools })
  const { routes } = findRoutes(
    { index: world.index, crypto },
    { tokenIn: ETH, tokenOut: USDG, amountIn: 10n ** 9n },
  )
  return { ...world, pools, routes, winners: createWinners({ clock: world.deps.clock, index: world.index }) }
}

it('keeps a few winners per pair and direction for a minute', () => {
  const { winners, routes, time } = open()
  expect(winners.of(ETH, USDG)).toEqual([])
  winners.keep(ETH, USDG, routes)
  expect(winners.of(ETH, USDG).map(({ id }) => id)).toEqual(routes.slice(0, 4).map(({ id }) => id))
  expect(Object.keys(winners.of(ETH, USDG)[0]!)).toEqual(['id', 'hops'])
  expect(winners.of(USDG, ETH)).toEqual([])
  time.nowMs += 59_999
  expect(winners.of(ETH, USDG).length).toBe(4)
  time.nowMs += 1
  expect(winners.of(ETH, USDG)).toEqual([])
  time.nowMs -= 100_000
  expect(winners.of(ETH, USDG)).toEqual([])
})

it('forgets routes whose pool a reorg removed', () => {
  const { winners, routes, index } = open()
  winners.keep(ETH, USDG, routes)
  winners.keepSplit('s', routes.slice(0, 2))
  expect(winners.legsOf('s')?.length).toBe(2)
  const { pool } = routes[0]!.hops[0]!
  index.remove(pool.id)
  expect(winners.of(ETH, USDG).length).toBe(3)
  expect(winners.legsOf('s')).toBeUndefined()
  index.add({ ...pool })
  expect(winners.of(ETH, USDG).length).toBe(3)
  expect(winners.legsOf('nobody’s')).toBeUndefined()
})

it('keeps the newest thousand pairs', () => {
  const { winners, routes } = open()
  const token = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const
  for (let n = 0; n < 1_001; n++) {
    winners.keep(token(n), USDG, routes)
    winners.keepSplit(`${n}`, routes)
  }
  expect([winners.of(token(0), USDG).length, winners.of(token(1), USDG).length]).toEqual([0, 4])
  expect([winners.legsOf('0'), winners.legsOf('1')?.length]).toEqual([undefined, routes.length])
})
