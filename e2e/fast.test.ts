import { createHash } from 'node:crypto'
import { itInFull } from '@pit/platform/test/tier'
import { canonicalJson, FAST_RULES, stockSessionOf } from '@pit/protocol'
import { expect, it } from 'vitest'
import { useFastWorld } from './fast/fastWorld.ts'
import { goodTrades } from './fast/goodTrades.ts'
import { otherServers } from './fast/otherServers.ts'
import { refusedByWorld } from './fast/refusedByWorld.ts'
import { refusedCalls } from './fast/refusedCalls.ts'
import { sequencerAnswers } from './fast/sequencerAnswers.ts'

const w = useFastWorld()

goodTrades(w)
refusedCalls(w)
refusedByWorld(w)
sequencerAnswers(w)
otherServers(w)

itInFull('provokes every code of the table', () => {
  const missed = FAST_RULES.filter((code) => !w.provoked.has(code))
  // On weekdays stocks trade; closed hours are covered by rules.test.ts with a separate clock.
  expect(missed).toEqual(stockSessionOf(w.world.profile)(Date.now()) ? ['MARKET_CLOSED'] : [])
})

it('lets anyone verify the pins of the terms', async () => {
  const config = (await (await fetch(`${w.world.server.url}/api/v1/config`)).json()) as {
    routes: { version: string; sha256: string }
  }
  const { sha256, ...table } = w.trader.terms().routes
  expect(config.routes).toEqual({ version: table.version, sha256 })
  expect(
    createHash('sha256')
      .update(canonicalJson(table as never))
      .digest('hex'),
  ).toBe(sha256)
})
