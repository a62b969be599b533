import { createMetrics } from '@pit/platform/monitoring'
import { isPitError } from '@pit/protocol'
import { expect, it } from 'vitest'
import { createCharge } from './charge.ts'
import { ratesOf } from './limiter.ts'
import { createMemoryLimiter } from './memoryLimiter.ts'

it('draws late buckets for the key, or for the address without one', async () => {
  const metrics = createMetrics({ withProcess: false })
  const limiter = createMemoryLimiter({ rates: ratesOf({ scale: 1, overallFactor: 50 }) })
  const charge = createCharge({ limiter, clock: { nowMs: () => 0 }, metrics })
  const key = { keyId: 7 }
  const byKey = { requestId: 'r', address: '1.2.3.4', key }
  const byAddress = { requestId: 'r', address: '1.2.3.4', key: null }
  for (let i = 0; i < 10; i++) await charge(byKey, ['screen.caller', 'screen.overall'])
  const refused = await charge(byKey, ['screen.caller', 'screen.overall']).catch((error: unknown) => error)
  expect(isPitError(refused) && [refused.code, refused.status, refused.retryAfterS]).toEqual([
    'RATE_LIMITED',
    429,
    60,
  ])
  await charge(byAddress, ['screen.caller'])
  await charge({ ...byKey, key: { ...key, keyId: 8 } }, ['screen.caller'])
  expect(await metrics.registry.getSingleMetricAsString('pit_rate_refusals_total')).toContain(
    'bucket="screen.caller"} 1',
  )
})
