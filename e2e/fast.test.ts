import { createHash } from 'node:crypto'
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

it('provoked every code of the table', () => {
  const missed = FAST_RULES.filter((code) => !w.provoked.has(code))
  // On a weekday stocks trade: then rules.test.ts alone sees them closed, by a clock of its own.
  expect(missed).toEqual(stockSessionOf(w.world.profile)(Date.now()) ? ['MARKET_CLOSED'] : [])
})

it('lets a stranger verify what the terms pin', async () => {
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
