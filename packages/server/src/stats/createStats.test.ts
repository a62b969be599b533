import { readFileSync } from 'node:fs'
import { createCrypto, createPoolIndex } from '@pit/chain'
import { ownTexts } from '@pit/platform/test/ownTexts'
import type { ChainProfile } from '@pit/protocol'
import { expect, it } from 'vitest'
import { createStats, type StatsDeps } from './createStats.ts'

const crypto = await createCrypto()

const HEAD = { number: 7, hash: '0x1', parentHash: '0x0', timestampS: 990, baseFeeWei: 1n } as const
const NO_TOKENS = { core_tokens: [], pins: { reference_pools: {} } } as unknown as ChainProfile

function stats(head: ReturnType<StatsDeps['market']['head']>, profile = NO_TOKENS) {
  const time = { nowMs: 1_000_000 }
  let builds = 0
  const text = createStats({
    market: {
      head: () => {
        builds += 1
        return head
      },
      index: createPoolIndex({ weth: '0x01', hubs: [] }),
      mark: () => undefined,
    },
    crypto,
    profile,
    clock: { nowMs: () => time.nowMs },
    shared: ownTexts,
    health: { report: () => ({ status: 'degraded', checks: {} }) },
    latency: { rpc: () => null, sequencer: () => 3 },
    tradableTokens: async () => null,
    aiPool: () => ({ pool_usd: 50, left_usd: 49.5, owners_funded: 1, agents_funded: 2 }),
    relays: true,
  })
  const read = async () => JSON.parse(await text())
  return { time, read, builds: () => builds }
}

it('builds once for a thousand readers and again only after five seconds', async () => {
  const { time, read, builds } = stats(null)
  await Promise.all(Array.from({ length: 1_000 }, read))
  expect(builds()).toBe(1)
  time.nowMs += 4_999
  expect(await read()).toMatchObject({ generated_at: 1_000, cached_s: 4 })
  time.nowMs += 1
  expect(await read()).toMatchObject({ generated_at: 1_005, cached_s: 0 })
  expect(builds()).toBe(2)
})

it('returns null for unreadable parts, and keeps the rest', async () => {
  expect(await stats(null).read()).toMatchObject({
    status: 'degraded',
    block: null,
    prices: null,
    assets: null,
    routes: null,
    latency_ms: { ref_quotes: null, rpc: null, sequencer: 3 },
    tokens: null,
    ai_pool: { pool_usd: 50, left_usd: 49.5, owners_funded: 1, agents_funded: 2 },
    fee_bps: { major_max: 25, major_min: 10, other: 50, shield_add: 10 },
  })
})

it('includes its block', async () => {
  expect((await stats(HEAD).read()).block).toEqual({ number: 7, age_s: 10 })
})

it('shows the assets of the profile, like its config', async () => {
  const file = new URL('../../../../profiles/mainnet.json', import.meta.url)
  const mainnet = JSON.parse(readFileSync(file, 'utf8')) as ChainProfile
  const { assets } = await stats(HEAD, mainnet).read()
  expect(assets.map(({ symbol }: { symbol: string }) => symbol)).toEqual(['ETH', 'NVDA', 'SPY'])
})
