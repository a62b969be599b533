import { type Address, type Crypto, createPoolIndex, type Hex, type PoolIndex, poolIdOf } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import type { Clock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import type { Header } from '@pit/platform/follow'
import type { CapabilityJobs } from '@pit/platform/jobs'
import type { Logger, Metrics } from '@pit/platform/monitoring'
import type { Mark } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, HUB_SYMBOLS, lower, NATIVE_TOKEN, type PoolPin } from '@pit/protocol'
import { Gauge } from 'prom-client'
import { createCandleKeeper } from '../candles/keepCandles.ts'
import { followStocks, type StocksFollowed } from '../stocks/followStocks.ts'
import { followMarks } from './followMarks.ts'
import { followPools } from './followPools.ts'
import { createPoolValue } from './poolBound.ts'
import type { AnyPool } from './poolLogs.ts'

export interface MarketDeps {
  rpc: Rpc
  db: Db
  clock: Clock
  crypto: Crypto
  profile: ChainProfile
  logger: Logger
}

export interface Market {
  /** The last block applied; null until the first. */
  head(): Header | null
  /** Pools by pair, changing with each block: reads without an await in between are from one block. */
  index: PoolIndex
  /** A pool with liquidity, or one that recently had some. */
  pool(id: string): AnyPool | undefined
  /** Curves by the token they launched. */
  curveOf(token: Address): AnyPool | undefined
  poolCount(): number
  pools(): IterableIterator<AnyPool>
  /** The token's mark; undefined when it has none or it cannot be read. */
  mark(token: Address): Mark | undefined
  whyUnread(token: Address): string | undefined
  unreadMarks(): number
  /** Called with marks of new feed rounds; see `followMarks`. */
  onRounds(listener: (marks: readonly Mark[]) => void): () => void
  /** Counts applied blocks that may have changed state; null while blocks are not followed. */
  changes(): number | null
  /** Data of the stock issuer. */
  stocks: Pick<StocksFollowed, 'multiplier' | 'isBarred'>
  onBlock(listener: (head: Header, touched: ReadonlySet<AnyPool>) => void): () => void
  onPool(listener: (pool: AnyPool) => void): () => void
  /** Resolves once the chain's head was applied and marks were read. */
  ready(): Promise<void>
  /** The market follows the chain only while these run. */
  jobs: CapabilityJobs
  close(): Promise<void>
}

const MAX_LEFT = 1_000
/** Older than this, the last block says nothing about later ones. */
const FOLLOWED_WITHIN_MS = 1_000

/** The market in memory: pools by logs, marks by one call, both following the head. */
export async function openMarket(deps: MarketDeps): Promise<Market> {
  const { rpc, db, clock, profile, logger } = deps
  const core = (symbol: string) =>
    profile.core_tokens.find((token) => token.symbol === symbol)?.address.toLowerCase() as Address | undefined
  // A profile without WETH routes through ETH alone.
  const weth = core('WETH') ?? NATIVE_TOKEN
  const hubs = HUB_SYMBOLS.flatMap((symbol) => core(symbol) ?? [])
  const pinned = pinnedPools(deps.crypto, profile)
  const index = createPoolIndex({ weth, hubs, pinned })
  /** Pools that recently lost their liquidity: receipts of trades through them are still to be read. */
  const left = createCache<string, AnyPool>({ max: MAX_LEFT })
  const curves = new Map<Address, AnyPool>()
  const blockListeners = new Set<(head: Header, touched: ReadonlySet<AnyPool>) => void>()
  const poolListeners = new Set<(pool: AnyPool) => void>()

  /** A throwing listener must not stop the market or other listeners. */
  const notify = (run: () => void) => {
    try {
      run()
    } catch (error) {
      logger.error({ err: error }, 'a market listener failed')
    }
  }

  /** Blocks applied that may have changed state, and when the last block of any kind was. */
  const applied = { changes: 0, atMs: 0 }
  const changes = () => (clock.nowMs() - applied.atMs <= FOLLOWED_WITHIN_MS ? applied.changes : null)
  const marks = followMarks({ ...{ rpc, db, clock, profile }, changes })
  const pools = await followPools({
    rpc,
    db,
    profile,
    logger,
    pinned,
    value: createPoolValue(profile, marks.mark),
    listener: {
      onBorn(pool) {
        if (pool.version === 'curve') curves.set(pool.token, pool)
        else index.add(pool)
        for (const listener of poolListeners) notify(() => listener(pool))
      },
      onGone(pool) {
        if (pool.version === 'curve') curves.delete(pool.token)
        else index.remove(pool.id)
        left.set(pool.id, pool)
      },
      onBlock(head, touched, isEmpty) {
        applied.atMs = clock.nowMs()
        if (!isEmpty) applied.changes += 1
        for (const pool of touched) if (pool.version !== 'curve') index.touch(pool.id)
        for (const listener of blockListeners) notify(() => listener(head, touched))
      },
    },
  })
  const stocks = followStocks({ rpc, clock, profile, index, changes })

  const subscribe = <T>(listeners: Set<T>, listener: T) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    head: pools.head,
    index,
    pool: (id) => pools.book.get(id) ?? left.get(id),
    curveOf: (token) => curves.get(token),
    poolCount: pools.book.size,
    pools: pools.book.all,
    mark: marks.mark,
    whyUnread: marks.whyUnread,
    unreadMarks: marks.unread,
    onRounds: (listener) => marks.onRounds((rounds) => notify(() => listener(rounds))),
    changes,
    stocks,
    onBlock: (listener) => subscribe(blockListeners, listener),
    onPool: (listener) => subscribe(poolListeners, listener),
    ready: async () => {
      await Promise.all([pools.catchUp(), marks.refresh()])
    },
    jobs: {
      everywhere: [pools.follow, marks.follow, pools.check, ...stocks.jobs],
      worker: [pools.saveCheckpoint, marks.keepMinutes, createCandleKeeper({ db, clock, profile })],
    },
    close: pools.close,
  }
}

/** Metrics of the market's memory: how far it is behind the chain, and how much it holds. */
export function watchMarket(
  { registry }: Pick<Metrics, 'registry'>,
  { market, clock }: { market: Pick<Market, 'head' | 'poolCount' | 'unreadMarks'>; clock: Clock },
): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('pit_market_block', 'The last block applied.', () => market.head()?.number ?? 0)
  gauge('pit_market_block_age_seconds', 'How old the last applied block is.', () => {
    const head = market.head()
    return head ? Math.max(0, clock.nowMs() / 1000 - head.timestampS) : Number.POSITIVE_INFINITY
  })
  gauge('pit_market_pools', 'Pools with liquidity, and curves, in memory.', market.poolCount)
  gauge('pit_market_marks_unread', 'Tokens whose mark cannot be read now.', market.unreadMarks)
}

/** Ids of the pools that the profile pins. */
export function pinnedPools(crypto: Crypto, { pins }: Pick<ChainProfile, 'pins'>): Hex[] {
  const { partner_usdg, reference_pools, fast_pools } = pins
  const all = [
    ...(partner_usdg ? [partner_usdg] : []),
    ...Object.values(reference_pools).flat(),
    ...Object.values(fast_pools),
  ]
  return [...new Set(all.map((pin) => idOf(crypto, pin)))]
}

function idOf(crypto: Crypto, pin: PoolPin): Hex {
  if (pin.version !== 'v4') return lower(pin.address)
  const { fee, tick_spacing: tickSpacing } = pin
  const [currency0, currency1, hooks] = [pin.currency0, pin.currency1, pin.hooks].map(lower) as [
    Address,
    Address,
    Address,
  ]
  return poolIdOf(crypto, { currency0, currency1, fee, tickSpacing, hooks })
}
