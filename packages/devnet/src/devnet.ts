import { createServer } from 'node:net'
import { join } from 'node:path'
import { createCrypto } from '@pit/chain'
import { type ChainProfile, stockSessionOf } from '@pit/protocol'
import { compileContracts } from './compile.ts'
import { encodeActs, type OperatorAct, type World, type WorldOptions } from './deploy/index.ts'
import { devnetMethods } from './devnetMethods.ts'
import type { Chain } from './engine/types.ts'
import {
  createQuoteNearMid,
  type Market,
  marketWorldOf,
  openMarket,
  type StockSession,
} from './market/index.ts'
import { openWorld, writeWhole } from './openWorld.ts'
import { createPace } from './pace.ts'
import type { StrictLimits } from './rpc/index.ts'
import { serveNodes } from './serveNodes.ts'
import { COST_HEADER, startVendors, type Vendors, type Verdict } from './vendors/index.ts'

export interface DevnetOptions {
  host: string
  /** 0: any free port. */
  port: number
  vendorPort: number
  /** The chain is stored in `dataDir`/devnet; absent: nothing is stored. */
  dataDir?: string
  blockMs: number
  market: 'on' | 'off'
  marketSeed: string
  tradesPerS: number
  /** Multiplies how far prices move; 1 by default. */
  feedStepBps?: number
  session: StockSession
  /** Limits of a public node. Absent or null: none. */
  strict?: StrictLimits | null
  /** Further addresses of the RPC. */
  moreAddresses?: number
  /** Which of the two registries the profile uses. */
  agentRegistry?: keyof World['registries']
  world?: WorldOptions
  stage?: (text: string) => void
  log?: (message: string, fields?: Record<string, unknown>) => void
}

export interface Devnet {
  url: string
  sequencerUrl: string
  vendorsUrl: string
  chain: Chain
  world: World
  market: Market
  vendors: Vendors
  close(): Promise<void>
}

const NODE_INTERFACE = '0x00000000000000000000000000000000000000c8'
/** For unwatched blocks: every request is answered after those that are due. */
const REST_MS = 2_000
/** This many operator acts fit into a block beside trades. */
const ACTS_AT_ONCE = 50

/** A local chain 4663 with its world, market and vendors, listening. */
export async function startDevnet(options: DevnetOptions): Promise<Devnet> {
  const { host, log = () => {}, stage = () => {} } = options
  // Fail before building a world in vain.
  await Promise.all([options.port, options.vendorPort].map((port) => checkPortFree(host, port)))
  const [crypto, artifacts] = await Promise.all([createCrypto(), compileContracts(stage)])
  const dir = options.dataDir && join(options.dataDir, 'devnet')
  const { chain, world, venues } = await openWorld({
    ...(dir && { dir }),
    nowMs: Date.now,
    world: options.world ?? {},
    stage,
    log,
  })
  const avoid = new Set(Object.values(world.gallery).map(({ address }) => address.toLowerCase()))
  const view = marketWorldOf(world.profile, venues, avoid)

  /** Acts of the fixtures' owner, pooled for the next block. */
  const act = async (acts: OperatorAct[], gasEach: bigint) => {
    for (let i = 0; i < acts.length; i += ACTS_AT_ONCE) {
      const some = acts.slice(i, i + ACTS_AT_ONCE)
      const gas = 100_000n + gasEach * BigInt(some.length)
      const data = encodeActs(artifacts, some)
      await chain.sendOwned({ from: world.accounts[0] as string, to: world.builder, data, gas })
    }
  }
  const market = await openMarket({
    chain,
    crypto,
    world: view,
    artifacts,
    seed: options.marketSeed,
    tradesPerS: options.tradesPerS,
    feedStepBps: options.feedStepBps ?? 10_000,
    blockMs: options.blockMs,
    session: options.session,
    stockSession: stockSessionOf(world.profile),
    log,
    publish: (rounds) =>
      act(
        rounds.map(({ feed, answer, atS }) => ({
          contract: 'OracleFeed',
          target: feed.address,
          functionName: 'setRound',
          args: [answer, atS],
        })),
        90_000n,
      ),
    fund: (gifts) =>
      act(
        gifts.map(({ token, to, amount }) => ({
          contract: 'USDG',
          target: token,
          functionName: 'mint',
          args: [to, amount],
        })),
        80_000n,
      ),
  })

  const vendors = await startVendors({
    host,
    port: options.vendorPort,
    nowMs: Date.now,
    seed: options.marketSeed,
    quote: createQuoteNearMid(chain, view),
    verdicts: verdictsOf(world),
  })
  const pace = createPace(chain)
  const stats = () => ({
    ...chain.stats(),
    head: Number(chain.head().number),
    rss_mb: Math.round(process.memoryUsage.rss() / 1e6),
    heap_mb: Math.round(process.memoryUsage().heapUsed / 1e6),
    up_s: Math.round(process.uptime()),
    cpu_s: Math.round(process.cpuUsage().user / 1e4 + process.cpuUsage().system / 1e4) / 100,
    block_ms: pace.read(),
    market: { on: market.isOn(), ...market.stats() },
    gateway: vendors.ledger(),
  })
  // A Nitro node has this contract natively; the stand-in covers the calls that are used.
  if (options.strict) {
    const code = await chain.request('eth_call', [{ data: artifacts['NodeInterface']!.bytecode }, 'latest'])
    await chain.admin('hardhat_setCode', [NODE_INTERFACE, code])
  }
  const nodes = await serveNodes({
    chain,
    methods: devnetMethods({ chain, world, market, vendors, stats }),
    host,
    port: options.port,
    strict: options.strict ?? null,
    moreAddresses: options.moreAddresses ?? 0,
  })

  const { profile } = world
  // Readers of the profile must agree with the market on when stocks trade.
  const stocks = [...profile.core_tokens.filter(({ kind }) => kind === 'stock'), ...profile.listed_stocks]
  for (const { feed } of stocks) if (feed) feed.session = options.session === 'always' ? 'always' : 'stock'
  const kind = options.agentRegistry ?? 'pit'
  profile.agent_registry = { kind, address: world.registries[kind] }
  const { url, sequencerUrl } = nodes
  Object.assign(profile, {
    rpc_urls: [url, ...nodes.moreUrls],
    sequencer_url: sequencerUrl,
    explorer_tx: `${url}/tx/`,
  })
  profile.vendors = vendorsProfile(vendors.url)
  if (dir) writeWhole(join(dir, 'profile.json'), profile)

  chain.startTicking(options.blockMs, { restMs: REST_MS })
  if (options.market === 'on') await market.start()
  return {
    url,
    sequencerUrl,
    vendorsUrl: vendors.url,
    chain,
    world,
    market,
    vendors,
    async close() {
      await market.close()
      pace.close()
      // Running requests get a moment; closing the chain never waits for a client.
      const served = Promise.all([nodes.close(), vendors.close()])
      await Promise.race([served, new Promise((resolve) => setTimeout(resolve, 500).unref())])
      nodes.drop()
      await chain.close()
    },
  }
}

/** Real vendors' response formats, at the stand-ins; without rate limits. */
function vendorsProfile(url: string): ChainProfile['vendors'] {
  const at = (path: string, kind: string) => ({ kind, url: `${url}/${path}`, per_minute: 60_000 })
  return {
    audit: at('goplus', 'goplus'),
    gateway: {
      url: `${url}/v1`,
      cost: { usage: true, header: COST_HEADER },
      priced_per: 'million_tokens',
      models: {},
    },
    aggregators: {
      aggregator_1: at('aggregator_1/kyberswap', 'kyberswap'),
      aggregator_2: at('aggregator_2/sushi', 'sushi'),
      aggregator_3: at('aggregator_3/uniswap', 'uniswap'),
    },
  }
}

/** The audit provider knows the core tokens and the severe defects of the gallery. */
function verdictsOf({ profile, gallery }: World): Record<string, Verdict> {
  const core = [...profile.core_tokens, ...profile.listed_stocks].map(({ address }) => [address, 'verified'])
  const bad = Object.values(gallery).map(({ address, risks }) => [
    address,
    risks.length > 0 ? 'flagged' : 'unknown',
  ])
  return Object.fromEntries([...core, ...bad])
}

/** Listens for a moment: rejects with EADDRINUSE if the port is taken. */
function checkPortFree(host: string, port: number): Promise<void> {
  if (port === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}
