import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { AnyPool } from '../pools/index.ts'
import type { TokenDeps } from './deps.ts'
import type { StoredRecord } from './describeToken.ts'
import type { Registry } from './registry.ts'
import { isUnchanged } from './screen/readCode.ts'
import { findToken, refreshToken, replaceableAfter, screenedAmong } from './store.ts'

const REFRESH_EVERY_MS = 10_000
/** Records made anew in one pass; the rest waits for the next. */
const REFRESHED_AT_ONCE = 200
const WATCH_EVERY_MS = 3_000
const WATCHED_AT_ONCE = 40
const ASKED_AT_ONCE = 1_000
/** A figure that moves by less is not worth writing. */
const MOVED = 0.01

/** Keeps the registry true unasked: new tokens are screened, records follow the market, proxies are watched. */
export async function keepRegistry(deps: TokenDeps, registry: Registry): Promise<{ close(): Promise<void> }> {
  const { db, market, logger, clock } = deps
  const dirty = new Set<Address>()
  const fresh = new Set<Address>()
  const tokensOf = (pool: AnyPool): Address[] =>
    (pool.version === 'curve' ? [pool.token] : [pool.token0, pool.token1]).filter(
      (token) => !registry.coreAddresses.has(token),
    )

  const stops = [
    market.onPool((pool) => {
      for (const token of tokensOf(pool)) {
        // A known one is only described anew: another pool is no reason to try it again.
        fresh.add(token)
        dirty.add(token)
      }
    }),
    market.onBlock((_, touched) => {
      for (const pool of touched) for (const token of tokensOf(pool)) dirty.add(token)
    }),
  ]
  for (const pool of market.pools()) for (const token of tokensOf(pool)) fresh.add(token)

  async function registerFresh(): Promise<void> {
    while (fresh.size > 0) {
      const batch = [...fresh].slice(0, ASKED_AT_ONCE)
      for (const token of batch) fresh.delete(token)
      const known = await screenedAmong(db, batch)
      for (const token of batch) if (!known.has(token)) registry.screening.later(token)
    }
  }

  async function refresh(): Promise<void> {
    // A market that lost its place has no pools, which says nothing about tokens.
    if (market.head() === null) return
    await registerFresh()
    const batch = [...dirty].slice(0, REFRESHED_AT_ONCE)
    for (const token of batch) {
      dirty.delete(token)
      const stored = await findToken(db, token)
      if (!stored || registry.screening.isRunning(token)) continue
      const record = registry.describe(stored.reading)
      if (differs(stored.record, record))
        await refreshToken(db, { reading: stored.reading, record }, nowS(clock))
      // A first route to a token that had none: now it can be tried.
      if (record.screen_status === 'UNSCREENED') registry.screening.later(token)
    }
  }

  let watchedTo = ''
  async function watch(): Promise<void> {
    const readings = await replaceableAfter(db, watchedTo, WATCHED_AT_ONCE)
    watchedTo = readings.length < WATCHED_AT_ONCE ? '' : readings[readings.length - 1]!.address
    for (const { address, code } of readings) {
      if (registry.coreAddresses.has(address) || registry.screening.isRunning(address)) continue
      if (await isUnchanged(deps, address, code)) continue
      logger.warn({ token: address }, 'a token runs other code than its screen read')
      registry.screening.later(address)
    }
  }

  const rounds = [
    every(REFRESH_EVERY_MS, refresh, (error) =>
      logger.warn({ err: error }, 'token records were not refreshed'),
    ),
    every(WATCH_EVERY_MS, watch, (error) => logger.warn({ err: error }, 'proxies were not looked at')),
  ]
  await registerFresh().catch((error) => logger.warn({ err: error }, 'new tokens were not registered'))
  return {
    async close() {
      for (const stop of stops) stop()
      await Promise.all(rounds.map((stop) => stop()))
    },
  }
}

function differs(before: StoredRecord, now: StoredRecord): boolean {
  const facts = ({ tier, kind, tradable, symbol, risks, venues }: StoredRecord) =>
    JSON.stringify([
      tier,
      kind,
      tradable,
      symbol,
      risks.map(({ code }) => code),
      venues.map(({ address }) => address),
    ])
  return (
    facts(before) !== facts(now) ||
    moved(before.liquidity_usd, now.liquidity_usd) ||
    moved(before.reference.price_usd ?? null, now.reference.price_usd ?? null)
  )
}

function moved(before: number | null, now: number | null): boolean {
  if (before === null || now === null) return before !== now
  return Math.abs(now - before) > MOVED * Math.max(Math.abs(before), Math.abs(now))
}

/** Again and again, never two at once; the answer stops it and waits for the one under way. */
function every(ms: number, work: () => Promise<void>, failed: (error: unknown) => void): () => Promise<void> {
  let stopped = false
  let running: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout
  const next = () => {
    timer = setTimeout(() => {
      running = work()
        .catch(failed)
        .finally(() => {
          if (!stopped) next()
        })
    }, ms)
  }
  next()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await running
  }
}
