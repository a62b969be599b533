import { readFileSync, writeFileSync } from 'node:fs'
import { describeInFull } from '@pit/platform/test/tier'
import { type ChainProfile, stockSessionOf } from '@pit/protocol'
import { expect, it } from 'vitest'
import { startServerProcess } from '../serverProcess.ts'
import { tradingEnv } from '../trading/world.ts'
import { openFastTrader } from './fastTrader.ts'
import type { FastWorld } from './fastWorld.ts'

export function otherServers(w: FastWorld): void {
  describeInFull('other servers', () => {
    it('without fast mode refuse it before parsing the body', async () => {
      const off = await startServerProcess({ ...tradingEnv(w.world.devnet), ROLE: 'api' })
      try {
        const client = await openFastTrader(w.world, 5, off.url)
        expect(client.terms()).toMatchObject({
          enabled: false,
          routes: { sha256: w.trader.terms().routes.sha256 },
        })
        const answer = await fetch(`${off.url}/api/v1/live/fast`, {
          method: 'POST',
          headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
          body: 'no JSON at all',
        })
        const { error } = (await answer.json()) as { error: { code: string; failures: unknown[] } }
        expect([answer.status, error.code, error.failures.length]).toEqual([403, 'FAST_DISABLED', 1])
        w.provoked.add('FAST_DISABLED')
      } finally {
        await off.stop()
      }
    })

    it('apply the stock session’s hours, and trade nothing without a readable mid price', async () => {
      const profile = JSON.parse(readFileSync(w.world.devnet.profileFile, 'utf8')) as ChainProfile
      profile.pins.reference_pools['SPY'] = []
      for (const token of profile.core_tokens) {
        if (token.symbol === 'NVDA' && token.feed) token.feed.session = 'stock'
      }
      const file = `${w.world.devnet.profileFile}.other.json`
      writeFileSync(file, JSON.stringify(profile))
      const other = await startServerProcess({
        ...tradingEnv(w.world.devnet),
        FAST_ENABLED: '1',
        ROLE: 'api',
        PROFILE: file,
      })
      try {
        const client = await openFastTrader(w.world, 3, other.url)
        const midless = await client.trade('USDG/SPY', { body: { check_only: true } })
        expect(midless.body.error).toMatchObject({ code: 'NO_REFERENCE_MID' })
        w.provoked.add('NO_REFERENCE_MID')
        const open = stockSessionOf(profile)(Date.now())
        expect(client.terms().stock_session_open).toBe(open)
        const { status, body } = await client.trade('USDG/NVDA', { body: { check_only: true } })
        // Which of the two depends on the day; the rule itself is tested with a separate clock.
        expect([status, body.error?.code]).toEqual(open ? [200, undefined] : [422, 'MARKET_CLOSED'])
        if (body.error) w.provoked.add(body.error.code)
      } finally {
        await other.stop()
      }
    })
  })
}
