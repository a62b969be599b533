import { StartRefused } from '@pit/platform/settings'
import { expect, it } from 'vitest'
import { readConfig, SETTINGS } from './config.ts'

it('starts from the defaults of the table', () => {
  expect(readConfig({})).toMatchObject({
    port: 8545,
    vendorPort: 8546,
    dataDir: '.pit',
    blockMs: 100,
    market: 'on',
  })
  expect(readConfig({ MARKET: '', DEVNET_PORT: ' ' })).toEqual(readConfig({}))
})

it('names the invalid setting', () => {
  const bad = {
    DEVNET_PORT: '70000',
    BLOCK_MS: 'fast',
    MARKET: 'maybe',
    MARKET_RATE: '-1',
    DEVNET_STOCK_SESSION: 'x',
  }
  for (const [name, value] of Object.entries(bad)) {
    expect(() => readConfig({ [name]: value })).toThrow(StartRefused)
    expect(() => readConfig({ [name]: value })).toThrow(name)
    expect(SETTINGS).toHaveProperty(name)
  }
})
