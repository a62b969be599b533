import { rmSync } from 'node:fs'
import { createCrypto, TOPIC } from '@pit/chain'
import { type Devnet, readConfig, startDevnet } from '@pit/devnet'
import { type Market, openMarket } from '@pit/market'
import { systemClock } from '@pit/platform/clock'
import { type Db, openDb } from '@pit/platform/db'
import { createLeases, type Jobs, runJobs } from '@pit/platform/jobs'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { createRpc, type Rpc } from '@pit/platform/rpc'
import { itInFull } from '@pit/platform/test/tier'
import { type Address, createPublicClient, defineChain, http } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { seedDevnet } from './devnetSeed.ts'
import { differences } from './market/differences.ts'

// The market's state compared with the chain's storage after some trading (MARKET_S seconds; an hour by
// hand).

const MARKET_S = Number(process.env['MARKET_S'] ?? 5)
/** With STRICT=1 the market reads with a public node's limits, and its preferred address fails. */
const isStrict = process.env['STRICT'] === '1'
const DIES_AFTER = 2_000

let devnet: Devnet
let db: Db
/** The market's connection to the chain. */
let rpc: Rpc
/** The test's connection, without limits. */
let open: Rpc
let openUrl: string
let market: Market
let jobs: Jobs<string>
const dir = await newServerDirectory('pit-market-')

const openOn = async (through: Rpc = rpc) => {
  const crypto = await createCrypto()
  const { profile } = devnet.world
  const logger = createLogger({ level: 'silent' })
  const opened = await openMarket({ rpc: through, db, clock: systemClock, crypto, profile, logger })
  const metrics = createMetrics({ withProcess: false })
  const { everywhere, worker } = opened.jobs
  const leases = createLeases({ db, clock: systemClock })
  jobs = runJobs({ clock: systemClock, logger, metrics, leases }, [...everywhere, ...worker])
  return opened
}

async function close() {
  await jobs?.stop()
  await market?.close()
}

beforeAll(async () => {
  await seedDevnet(dir)
  devnet = await startDevnet({
    dataDir: dir,
    host: '127.0.0.1',
    port: 0,
    vendorPort: 0,
    blockMs: 100,
    market: 'on',
    marketSeed: 'market-state',
    tradesPerS: 20,
    session: 'always',
    ...(isStrict && { strict: readConfig({ DEVNET_PROVIDER: 'strict' }).strict, moreAddresses: 1 }),
  })
  db = await openDb({ dataDir: dir, databaseUrl: null })
  await migrateStore(db)
  openUrl = isStrict ? `${devnet.url}/open` : devnet.url
  open = createRpc({ url: openUrl })
  rpc = createRpc({ url: await nodeUrls(), chainId: 4663, heads: 'probe' })
  market = await openOn()
  await market.ready()
})

async function nodeUrls(): Promise<string[]> {
  if (!isStrict) return [devnet.url]
  const wish = { n: 1, mode: 'dead', after_requests: DIES_AFTER }
  const more = await open.request<{ url: string }[]>('devnet_address', [wish])
  return [...more.map(({ url }) => url), devnet.url]
}

afterAll(async () => {
  if (isStrict) console.log('addresses at the end', await open?.request('devnet_address', []))
  await close()
  await db?.close()
  rpc?.close()
  open?.close()
  await devnet?.close()
  rmSync(dir, { recursive: true, force: true })
})

const client = () =>
  createPublicClient({
    chain: defineChain({
      id: 4663,
      name: 'devnet',
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [openUrl] } },
      contracts: { multicall3: { address: devnet.world.profile.contracts.multicall3 as Address } },
    }),
    transport: http(),
  })

/** Stops the trading, waits until the state reaches the head, and compares. */
async function compare({ goesOn = true } = {}) {
  await open.request('devnet_market', [{ on: false }])
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  await market.ready()
  const head = market.head()
  if (!head) throw new Error('no head')
  const stateView = devnet.world.profile.contracts.v4_state_view as Address
  const result = await differences(client(), { stateView, block: BigInt(head.number) }, market.pools())
  await open.request('devnet_market', [{ on: goesOn }])
  return { ...result, block: head.number, pools: market.poolCount() }
}

it('matches the chain for every pool after trading', {
  timeout: (MARKET_S + 120) * 1000,
}, async () => {
  await new Promise((resolve) => setTimeout(resolve, MARKET_S * 1000))
  const { compared, differing, block, pools } = await compare()
  console.log(`${pools} pools and curves, ${compared} readings at block ${block}: ${differing.length} differ`)
  expect(differing).toEqual([])
  expect(pools).toBeGreaterThan(200)
})

itInFull('continues from its checkpoint after a restart, and still matches', async () => {
  const before = market.head()?.number ?? 0
  await close()
  market = await openOn()
  await market.ready()
  expect(market.head()?.number).toBeGreaterThanOrEqual(before)
  const { differing } = await compare()
  expect(differing).toEqual([])
})

type Log = { topics: string[] }

async function reopen(node: Rpc) {
  await close()
  market = await openOn(node)
  await market.ready()
}
const waitS = (seconds: number) => new Promise((resolve) => setTimeout(resolve, seconds * 1_000))

itInFull('finds pools whose logs a node omitted, and reads them again', async () => {
  const swaps = new Set<string>([TOPIC.v2Sync, TOPIC.v3Swap, TOPIC.v4Swap, TOPIC.curveTrade])
  let isHiding = true
  let hidden = 0
  const node: Rpc = {
    ...rpc,
    request: async (method, params, options) => {
      const answer = await rpc.request<never>(method, params, options)
      if (method !== 'eth_getLogs' || !isHiding) return answer
      const shown = (answer as Log[]).filter(({ topics }) => !swaps.has(topics[0]!))
      hidden += (answer as Log[]).length - shown.length
      return shown as never
    },
  }
  await reopen(node)
  await waitS(2)
  isHiding = false
  expect(hidden).toBeGreaterThan(0)
  // A frozen chain, so that only the check can find the missed logs.
  await open.request('devnet_market', [{ on: false }])
  // Every pool is checked within about a minute, and longer on a busy machine.
  await expect
    .poll(async () => (await compare({ goesOn: false })).differing, { timeout: 150_000 })
    .toEqual([])
  await open.request('devnet_market', [{ on: true }])
})

itInFull('starts at the last common block when its checkpoint is no longer on the chain', async () => {
  const forkedAt = (market.head()?.number ?? 0) + 20
  const real = new Map<string, string>()
  const other = (hash: string) => {
    const name = hash.replace(/^0x.{6}/, '0xbadbad')
    real.set(name, hash)
    return name
  }
  // From here on the node reports blocks that the chain will not contain. Heads are not announced: those are real.
  const { onHead: _, hearsHeads: __, ...calls } = rpc
  const node: Rpc = {
    ...calls,
    request: async (method, params = [], options) => {
      const { blockHash } = (params[0] ?? {}) as { blockHash?: string }
      const hash = method === 'eth_getLogs' && blockHash ? real.get(blockHash) : undefined
      const sentParams = hash ? [{ ...(params[0] as object), blockHash: hash }] : params
      const answer = await rpc.request<never>(method, sentParams, options)
      if (method !== 'eth_getBlockByNumber' || answer === null) return answer
      const block: { number: string; hash: string; parentHash: string } = answer
      if (Number(block.number) < forkedAt) return answer
      const parentHash = Number(block.number) > forkedAt ? other(block.parentHash) : block.parentHash
      return { ...block, hash: other(block.hash), parentHash } as never
    },
  }
  await reopen(node)
  await expect.poll(() => market.head()?.hash.startsWith('0xbadbad'), { timeout: 30_000 }).toBe(true)
  await reopen(rpc)
  expect(market.head()?.hash.startsWith('0xbadbad')).toBe(false)
  const { differing } = await compare()
  expect(differing).toEqual([])
})

it('has a mark for every core token, each with its source and age', () => {
  for (const { symbol, address } of devnet.world.profile.core_tokens) {
    const mark = market.mark(address.toLowerCase() as Address)
    expect(mark, `${symbol}: ${market.whyUnread(address.toLowerCase() as Address)}`).toBeDefined()
    expect(mark?.stale, symbol).toBe(false)
    expect(mark?.source).toBe(symbol === 'USDG' ? 'fixed' : symbol === 'PARTNER' ? 'twap' : 'oracle_feed')
  }
})
