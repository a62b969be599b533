import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { afterChange } from '@pit/platform/follow'
import type { Job } from '@pit/platform/jobs'
import { TOKENS } from '@pit/protocol'
import type { AnyPool } from '../pools/poolLogs.ts'
import type { TokenDeps } from './deps.ts'
import type { StoredRecord } from './describeToken.ts'
import type { Registry } from './registry.ts'
import { isUnchanged } from './screen/readCode.ts'
import { findToken, refreshToken, replaceableAfter, screenedAmong } from './store.ts'

const REFRESH_EVERY_MS = 10_000
/** Records described again in one run; the rest waits for the next. */
const REFRESHED_AT_ONCE = 200
const WATCH_EVERY_MS = 3_000
const WATCHED_AT_ONCE = 40
/** Each trade reads its token's code itself. */
const WATCH_IDLE_MS = 300_000
const WATCH_UNCHANGED_MS = 60_000
const ASKED_AT_ONCE = 1_000
/** A figure that moves by a smaller share is not written. */
const MOVED = 0.01
/** By then a mean price has caught up with the last trade. */
const SETTLED_AFTER_MS = TOKENS.referenceTwapS * 1_000

/** Jobs that keep the registry current: they screen new tokens, refresh records and watch proxies. */
export function keepRegistry(deps: TokenDeps, registry: Registry): Job[] {
  const { db, market, logger, clock } = deps
  const dirty = new Set<Address>()
  const fresh = new Set<Address>()
  /** Tokens with a mean price, which moves after their last trade: when to describe them again. */
  const settling = new Map<Address, number>()
  const tokensOf = (pool: AnyPool): Address[] =>
    (pool.version === 'curve' ? [pool.token] : [pool.token0, pool.token1]).filter(
      (token) => !registry.coreAddresses.has(token),
    )

  /** Subscribes with the job, so that a process without it collects nothing. */
  function listen(): () => void {
    const stops = [
      market.onPool((pool) => {
        for (const token of tokensOf(pool)) {
          // A known token is only described again: another pool does not require a screen.
          fresh.add(token)
          dirty.add(token)
        }
      }),
      market.onBlock((_, touched) => {
        for (const pool of touched) for (const token of tokensOf(pool)) dirty.add(token)
      }),
    ]
    for (const pool of market.pools()) for (const token of tokensOf(pool)) fresh.add(token)
    return () => {
      for (const stop of stops) stop()
    }
  }

  async function registerFresh(): Promise<void> {
    while (fresh.size > 0) {
      const batch = [...fresh].slice(0, ASKED_AT_ONCE)
      for (const token of batch) fresh.delete(token)
      const screened = await screenedAmong(db, batch)
      for (const token of batch) if (!screened.has(token)) registry.screening.later(token)
    }
  }

  async function refresh(): Promise<void> {
    // Without a head the market has no pools, so nothing can be concluded about tokens.
    if (market.head() === null) return
    await registerFresh()
    const nowMs = clock.nowMs()
    for (const [token, dueMs] of settling) {
      if (dueMs > nowMs) continue
      settling.delete(token)
      dirty.add(token)
    }
    const batch = [...dirty].slice(0, REFRESHED_AT_ONCE)
    for (const token of batch) {
      dirty.delete(token)
      const stored = await findToken(db, token)
      if (!stored || registry.screening.isRunning(token)) continue
      const record = await registry.describe(stored.reading)
      if (differs(stored.record, record)) {
        await refreshToken(db, { reading: stored.reading, record }, nowS(clock))
        if (record.reference.source === 'twap') settling.set(token, clock.nowMs() + SETTLED_AFTER_MS)
      }
      // It had no route before and has one now, so it can be screened.
      if (record.screen_status === 'UNSCREENED') registry.screening.later(token)
    }
  }

  let watchedTo = ''
  let isRoundDue = false
  const beginRound = afterChange({ changes: market.changes, clock, maxMs: WATCH_UNCHANGED_MS }, async () => {
    isRoundDue = true
  })
  async function watch(): Promise<void> {
    if (watchedTo === '') await beginRound()
    if (!isRoundDue) return
    const readings = await replaceableAfter(db, watchedTo, WATCHED_AT_ONCE)
    watchedTo = readings.length < WATCHED_AT_ONCE ? '' : readings[readings.length - 1]!.address
    isRoundDue = watchedTo !== ''
    for (const { address, code } of readings) {
      if (registry.coreAddresses.has(address) || registry.screening.isRunning(address)) continue
      if (await isUnchanged(deps, address, code)) continue
      logger.warn({ token: address }, 'the code of a token changed since its screen')
      registry.screening.later(address)
    }
  }

  return [
    { name: 'refresh token records', intervalMs: REFRESH_EVERY_MS, wakeOn: listen, run: refresh },
    {
      name: 'watch proxies',
      intervalMs: WATCH_EVERY_MS,
      firstAfterMs: WATCH_EVERY_MS,
      idleMs: WATCH_IDLE_MS,
      run: watch,
    },
  ]
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
