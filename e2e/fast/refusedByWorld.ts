import { setTimeout as sleep } from 'node:timers/promises'
import { describeInFull } from '@pit/platform/test/tier'
import type { Hex } from 'viem'
import { expect, it } from 'vitest'
import { receiptOf } from '../trading/trader.ts'
import { freshenFeeds, openFastTrader } from './fastTrader.ts'
import { codesOf, type FastWorld } from './fastWorld.ts'

/** Refusals because of the current state of chain, prices and wallet. */
export function refusedByWorld(w: FastWorld): void {
  describeInFull('refused because of the current state', () => {
    it('stale prices', async () => {
      // A round is valid for as long as the feed's heartbeat.
      await w.world.devnet.rpc('devnet_setFeed', ['ETH', { age_s: 86_000 }])
      // Nothing would show that it was read: marks are read twice a second.
      await sleep(900)
      expect((await w.trader.trade('ETH/USDG', { body: { check_only: true } })).body.error).toBeUndefined()
      await w.world.devnet.rpc('devnet_setFeed', ['ETH', { age_s: 86_500 }])
      await w.judgedBy('PRICE_STALE', 'ETH/USDG')
      expect(await w.refused('ETH/USDG', {})).toMatchObject({ code: 'PRICE_STALE' })
      expect(codesOf(await w.refused('WETH/USDG', {}))).toEqual(['PRICE_STALE'])
      await freshenFeeds(w.world.devnet)
      await w.judgedBy(null, 'ETH/USDG')
    })

    it('stock tokens without the owner’s attestation, paused, or blocked for the wallet', async () => {
      const unsaid = await w.refused('USDG/NVDA', { body: { owner_attests_non_us: false } })
      expect(unsaid).toMatchObject({ code: 'GEOFENCE' })
      await w.world.devnet.rpc('devnet_pauseStock', ['NVDA', true])
      await w.judgedBy('STOCK_PAUSED', 'USDG/NVDA')
      expect(codesOf(await w.refused('USDG/NVDA', {}))).toEqual(['STOCK_PAUSED', 'SIMULATION_FAILED'])
      await w.world.devnet.rpc('devnet_pauseStock', ['NVDA', false])
      await w.world.devnet.rpc('devnet_blockWallet', ['SPY', w.trader.wallet, true])
      await w.judgedBy('WALLET_BLOCKED', 'SPY/USDG')
      expect(await w.refused('SPY/USDG', {})).toMatchObject({ code: 'WALLET_BLOCKED' })
      await w.world.devnet.rpc('devnet_blockWallet', ['SPY', w.trader.wallet, false])
      await w.judgedBy(null, 'SPY/USDG')
      // A blocked router stops every trade, as a blocked pool would.
      const { universal_router: router } = w.world.profile.contracts
      await w.world.devnet.rpc('devnet_blockWallet', ['SPY', router, true])
      await w.judgedBy('WALLET_BLOCKED', 'SPY/USDG')
      expect((await w.refused('SPY/USDG', {})).message).toContain(router!.toLowerCase())
      await w.world.devnet.rpc('devnet_blockWallet', ['SPY', router, false])
      await w.judgedBy(null, 'SPY/USDG')
    })

    it('a stock with a frozen feed, and a dollar that lost its peg', async () => {
      await w.world.devnet.rpc('devnet_pauseOracle', ['NVDA', true])
      await w.judgedBy('PRICE_STALE', 'USDG/NVDA')
      await w.world.devnet.rpc('devnet_pauseOracle', ['NVDA', false])
      await w.judgedBy(null, 'USDG/NVDA')
      await w.world.devnet.rpc('devnet_setFeed', ['USDG', { price: 0.995 }])
      await w.judgedBy(null, 'ETH/USDG')
      await w.world.devnet.rpc('devnet_setFeed', ['USDG', { price: 0.985 }])
      await w.judgedBy('PRICE_STALE', 'ETH/USDG')
      expect((await w.refused('ETH/USDG', {})).message).toContain('USDG')
      await w.world.devnet.rpc('devnet_setFeed', ['USDG', { price: 1 }])
      await w.judgedBy(null, 'ETH/USDG')
    })

    it('trades that would revert, or that the wallet cannot pay', async () => {
      const bare = await openFastTrader(w.world, 7)
      const reverting = await bare.trade('USDG/ETH')
      expect(reverting.body.error).toMatchObject({
        code: 'SIMULATION_FAILED',
        simulation: {
          ok: false,
          checks: ['EXECUTES', 'DELIVERED', 'FEE_PAID'].map((code) => ({ code, ok: false })),
        },
      })
      w.provoked.add('SIMULATION_FAILED')
      const unfunded = await bare.trade('USDG/ETH', { body: { simulate: false } })
      expect(unfunded.body.error).toMatchObject({ code: 'FAST_FUNDS' })
      w.provoked.add('FAST_FUNDS')
      await bare.approve('USDG', { router: false })
      // With a permit the router needs no prior allowance; an outdated hint is not a reason to refuse.
      const paid = await bare.trade('USDG/ETH', { permit: true, body: { simulate: false } })
      expect(paid.status, JSON.stringify(paid.body.error)).toBe(200)
      expect((await receiptOf(w.world.devnet, paid.body.tx_hash as Hex)).status).toBe('0x1')
    })

    it('a pool far from the marks, and a minimum far from the reference pools', async () => {
      const far = await w.refused('ETH/NVDA', { underBps: 370, body: { simulate: false } })
      expect(far.code).toBe('ROUTE_VS_MID')
      const price = Number(await w.trader.price('ETH')) / 1e8
      await w.world.devnet.rpc('devnet_setFeed', ['ETH', { price: price * 1.02 }])
      await w.judgedBy('POOL_FAR', 'ETH/USDG', { underBps: 270 })
      const error = await w.refused('ETH/USDG', { underBps: 270 })
      expect(codesOf(error)).toContain('POOL_FAR')
      expect(error.code).toBe('POOL_FAR')
      await w.world.devnet.rpc('devnet_setFeed', ['ETH', { price }])
      await w.judgedBy(null, 'ETH/USDG')
    })
  })
}
