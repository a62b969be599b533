import type { Db } from '@pit/platform/db'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { expect, it } from 'vitest'
import { addressOf, codeOf, START_MS } from '../test/openTestAccount.ts'
import { createVolumeReader } from './readVolume.ts'

const WALLET = addressOf(1)

/** Tests store failures; results of a working store are tested on the store itself. */
function open() {
  const clock = { ms: START_MS, nowMs: () => clock.ms }
  const state = { mode: 'ok' as 'ok' | 'down' | 'silent', volume: '0', queries: 0 }
  const db = {
    query: async () => {
      state.queries++
      if (state.mode === 'down') throw Object.assign(new Error('gone'), { code: '08006' })
      if (state.mode === 'silent') await new Promise(() => {})
      return [{ volume: state.volume }]
    },
  } as unknown as Db
  const metrics = createMetrics({ withProcess: false })
  const logger = createLogger({ level: 'silent' })
  const reader = createVolumeReader({ db, clock, metrics, logger, patienceMs: 50 })
  const remembered = async () =>
    (await metrics.registry.getSingleMetric('pit_tier_remembered_total')!.get()).values[0]?.value
  return { ...reader, clock, state, remembered }
}

it('returns the posted rate without a wallet, without a query', async () => {
  const reader = open()
  reader.state.mode = 'down'
  expect(await reader.tierBps(null)).toBe(25)
  expect(reader.state.queries).toBe(0)
})

it('queries once for a burst of quotes, and again after a few seconds', async () => {
  const reader = open()
  reader.state.volume = '10000000000'
  expect(await Promise.all(Array.from({ length: 50 }, () => reader.tierBps(WALLET)))).toEqual(
    Array(50).fill(20),
  )
  expect(reader.state.queries).toBe(1)
  reader.state.volume = '1000000000000'
  reader.clock.ms += 2_999
  expect(await reader.tierBps(WALLET)).toBe(20)
  reader.clock.ms += 1
  expect(await reader.tierBps(WALLET)).toBe(10)
})

it.each(['down', 'silent'] as const)('keeps a wallet’s last rate while the store is %s', async (mode) => {
  const reader = open()
  reader.state.volume = '100000000000'
  expect(await reader.tierBps(WALLET)).toBe(15)
  reader.state.mode = mode
  reader.clock.ms += 60_000
  expect(await reader.tierBps(WALLET)).toBe(15)
  // The next one does not wait for the same failure.
  const { queries } = reader.state
  expect(await reader.tierBps(WALLET)).toBe(15)
  expect(reader.state.queries).toBe(queries)
  expect(await reader.remembered()).toBe(2)
})

it('refuses an unknown wallet rather than charge it the posted rate', async () => {
  const reader = open()
  reader.state.mode = 'silent'
  expect(await codeOf(reader.tierBps(WALLET))).toBe('ENGINE_UNAVAILABLE')
  reader.state.mode = 'down'
  await expect(reader.tierBps(addressOf(2))).rejects.toThrow('gone')
})

it('forgets a rate that is too old', async () => {
  const reader = open()
  await reader.tierBps(WALLET)
  reader.state.mode = 'down'
  reader.clock.ms += 600_001
  await expect(reader.tierBps(WALLET)).rejects.toThrow('gone')
})

it('reads from the store again once it is back', async () => {
  const reader = open()
  await reader.tierBps(WALLET)
  reader.state.mode = 'down'
  reader.clock.ms += 5_000
  expect(await reader.tierBps(WALLET)).toBe(25)
  Object.assign(reader.state, { mode: 'ok', volume: '10000000000' })
  reader.clock.ms += 1_000
  expect(await reader.tierBps(WALLET)).toBe(20)
})
