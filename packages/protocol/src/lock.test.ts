import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ContractLock, contractLock, lockBreaches } from './lock.ts'

const locked = JSON.parse(
  readFileSync(new URL('../contract.lock.json', import.meta.url), 'utf8'),
) as ContractLock

describe('the contract lock', () => {
  it('holds: nothing clients rely on was removed or changed', () => {
    expect(lockBreaches(locked, contractLock())).toEqual([])
  })

  it('is complete: npm run generate records additions', () => {
    expect(locked).toEqual(contractLock())
  })

  it('notices a vanished code, a changed status and a moved route, and allows additions', () => {
    const current = structuredClone(locked)
    delete current.codes['NO_ROUTE']
    current.codes['SAME_TOKEN'] = [400]
    current.codes['BRAND_NEW'] = [409]
    current.routes['health'] = { ...current.routes['health']!, path: '/api/v1/healthz' }
    expect(lockBreaches(locked, current)).toEqual([
      expect.stringContaining('health was'),
      'codes: NO_ROUTE vanished',
      expect.stringContaining('SAME_TOKEN was [422], is [400]'),
    ])
  })
})
