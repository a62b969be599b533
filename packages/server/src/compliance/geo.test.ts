import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BARE_PROFILE } from '@pit/platform/test/bareProfile'
import { afterAll, describe, expect, it } from 'vitest'
import { writeMmdb } from '../../test/writeMmdb.ts'
import { openGeo, placeRules, placesFromHeaders } from './geo.ts'

const { isBlocked, barsStocks } = placeRules({ ...BARE_PROFILE.countries, stock_blocked: ['US'] })
const NAMES = { geoHeader: 'cf-ipcountry', geoRegionHeader: 'cf-region-code' }

describe('where a proxy says a request is from', () => {
  it.each([
    ['CU', undefined, true],
    ['ir', undefined, true],
    ['KP', '01', true],
    ['SY', undefined, true],
    ['UA', '43', true],
    ['UA', '40', true],
    ['UA', 'UA-14', true],
    ['UA', '9', true],
    ['UA', '30', false],
    ['UA', undefined, false],
    ['US', '43', false],
    ['DE', undefined, false],
    // Node joins a header sent twice: the client's and the proxy's.
    ['US, KP', undefined, true],
    ['UA, UA', '30, 43', true],
  ])('%s %s is blocked: %s', (country, region, blocked) => {
    const places = placesFromHeaders({ 'cf-ipcountry': country, 'cf-region-code': region }, NAMES)
    expect(places.some(isBlocked)).toBe(blocked)
  })
  it('blocks stock tokens where they are restricted, and serves the rest', () => {
    const at = { country: 'US', region: null }
    expect([barsStocks(at), isBlocked(at), barsStocks({ country: 'DE', region: null })]).toEqual([
      true,
      false,
      false,
    ])
  })
  it('refuses a header with more values than proxies add', () => {
    const codes = (count: number) => Array(count).fill('DE').join(',')
    expect(placesFromHeaders({ 'cf-ipcountry': codes(16) }, NAMES)).toHaveLength(16)
    for (const headers of [
      { 'cf-ipcountry': codes(17) },
      { 'cf-ipcountry': 'UA', 'cf-region-code': codes(17) },
    ])
      expect(() => placesFromHeaders(headers, NAMES)).toThrow('too many values')
  })
  it.each(['XX', 'T1', '', 'Cuba', 'C'])('%j is not a place', (country) => {
    expect(placesFromHeaders({ 'cf-ipcountry': country }, NAMES)).toEqual([])
  })
})

describe('a MaxMind database', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pit-geo-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const place = (country: string, region?: string) => ({
    country: { iso_code: country },
    ...(region === undefined ? {} : { subdivisions: [{ iso_code: region }] }),
  })

  it('finds country and region', async () => {
    const file = join(folder, 'geo.mmdb')
    writeFileSync(
      file,
      writeMmdb([
        { cidr: '5.0.0.0/8', record: place('IR') },
        { cidr: '91.1.2.0/24', record: place('UA', '43') },
        { cidr: '91.1.3.0/24', record: place('UA', '30') },
        { cidr: '8.8.8.8/32', record: { registered_country: { iso_code: 'CU' } } },
      ]),
    )
    const geo = await openGeo(file)
    const blocked = (address: string) => {
      const place = geo.locate(address)
      return place === null ? null : isBlocked(place)
    }
    expect(geo.locate('91.1.2.3')).toEqual({ country: 'UA', region: 'UA-43' })
    const addresses = [
      '5.9.9.9',
      '91.1.2.3',
      '91.1.3.3',
      '8.8.8.8',
      '8.8.8.9',
      '127.0.0.1',
      '2001:db8::1',
      'nonsense',
    ]
    expect(addresses.map(blocked)).toEqual([true, true, false, true, null, null, null, null])
  })

  it('locates nothing without a file, and names a missing one', async () => {
    expect((await openGeo(null)).locate('1.2.3.4')).toBeNull()
    await expect(openGeo('/nonexistent/geo.mmdb')).rejects.toThrow('GEO_DB /nonexistent/geo.mmdb')
  })
})
