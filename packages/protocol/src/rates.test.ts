import { describe, expect, it } from 'vitest'
import { BUCKETS, type Bucket, CAPS } from './rates.ts'

const rows = Object.entries(BUCKETS as { [id: string]: Bucket })

describe('the rate buckets', () => {
  it.each(rows)('%s lets at least one request through and fills again', (_, bucket) => {
    expect(Number.isInteger(bucket.burst) && bucket.burst > 0).toBe(true)
    expect(bucket.ratePerS).toBeGreaterThan(0)
  })

  it('gives an overall bucket the numbers of its twin, for the server to multiply', () => {
    for (const name of ['public', 'auth', 'page']) {
      const { burst, ratePerS } = (BUCKETS as { [id: string]: Bucket })[`${name}.address`]!
      expect((BUCKETS as { [id: string]: Bucket })[`${name}.overall`]).toMatchObject({ burst, ratePerS })
    }
  })

  it('caps keys above accounts, so that every account can sign in again', () => {
    expect(CAPS.keys.perAddressPerDay).toBeGreaterThan(CAPS.signup.perAddressPerDay)
    expect(CAPS.keys.overallPerHour).toBeGreaterThan(CAPS.signup.overallPerHour)
  })
})
