import { describe, expect, it } from 'vitest'
import { isBlocked, openGeo, placeFromHeaders } from './geo.ts'

const NAMES = { geoHeader: 'cf-ipcountry', geoRegionHeader: 'cf-region-code' }

describe('where a proxy says a request is from', () => {
  it.each([
    ['CU', undefined, true],
    ['ir', undefined, true],
    ['KP', '01', true],
    ['SY', undefined, true],
    ['UA', '43', true],
    ['UA', 'UA-14', true],
    ['UA', '9', true],
    ['UA', '30', false],
    ['UA', undefined, false],
    ['US', '43', false],
    ['DE', undefined, false],
  ])('%s %s is blocked: %s', (country, region, blocked) => {
    const place = placeFromHeaders({ 'cf-ipcountry': country, 'cf-region-code': region }, NAMES)
    expect(place !== null && isBlocked(place)).toBe(blocked)
  })
  it.each(['XX', 'T1', '', 'Cuba', 'C'])('%j names no place', (country) => {
    expect(placeFromHeaders({ 'cf-ipcountry': country }, NAMES)).toBeNull()
  })
})

it('knows nothing without a database, and says which one is missing', async () => {
  expect((await openGeo(null)).locate('1.2.3.4')).toBeNull()
  await expect(openGeo('/nonexistent/geo.mmdb')).rejects.toThrow('GEO_DB /nonexistent/geo.mmdb')
})
