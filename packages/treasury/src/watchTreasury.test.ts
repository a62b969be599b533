import { createMetrics } from '@pit/platform/monitoring'
import { expect, it } from 'vitest'
import { type Standing, watchTreasury } from './watchTreasury.ts'

it('raises an alarm for a broken record and a waiting week, and none before it has looked', async () => {
  const metrics = createMetrics({ withProcess: false })
  let standing: Standing | null = null
  watchTreasury(metrics, () => standing)
  const read = async () => (await metrics.registry.metrics()).match(/^pit_treasury_\w+ \d/gm)
  expect(await read()).toEqual(['pit_treasury_broken 0', 'pit_treasury_week_waits 0'])
  standing = { broken: true, waits: false }
  expect(await read()).toEqual(['pit_treasury_broken 1', 'pit_treasury_week_waits 0'])
  standing = { broken: false, waits: true }
  expect(await read()).toEqual(['pit_treasury_broken 0', 'pit_treasury_week_waits 1'])
})
