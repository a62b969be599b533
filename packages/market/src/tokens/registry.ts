import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { type CoreToken, fail, lower } from '@pit/protocol'
import { coreReading, readCoreToken } from './coreTokens.ts'
import type { TokenDeps } from './deps.ts'
import { describeToken, type StoredRecord } from './describeToken.ts'
import { createImpersonation } from './impersonation.ts'
import { createMarketView, type MarketView } from './marketView.ts'
import type { TokenReading } from './reading.ts'
import type { Judged } from './rules.ts'
import { isUnchanged, readPaused } from './screen/readCode.ts'
import { screenToken } from './screen/screenToken.ts'
import { createScreening, isOld, type Screening } from './screening.ts'
import { findToken, type KnownToken } from './store.ts'
import { createTwaps } from './twaps.ts'

export type RecordNow = Omit<StoredRecord, 'screen_status'> & {
  screen_status: 'SCREENED' | 'CACHED' | 'UNSCREENED' | 'CORE'
}

/** Records of all tokens, and how a new one is made. */
export interface Registry {
  coreBySymbol(symbol: string): StoredRecord | undefined
  /** A token's record; a token without one is screened first, after `admit` has passed. */
  get(token: Address, admit: () => Promise<void>): Promise<RecordNow>
  /** The stored token described by the current market; undefined if unknown. */
  find(token: Address): Promise<KnownToken | undefined>
  /** Refuses TOKEN_CHANGED and screens again if a proxy's code changed since its screen. */
  assertUnchanged(token: Address): Promise<void>
  /** By the current market; its reference is read again if older than a few seconds. */
  describe(reading: TokenReading): Promise<StoredRecord>
  refreshCore(): Promise<void>
  /** Stores the core assets read since the last call. */
  storeCore(): Promise<void>
  coreAddresses: ReadonlySet<Address>
  screening: Screening
}

export function createRegistry(deps: TokenDeps, save: (known: KnownToken) => Promise<void>): Registry {
  const { db, clock, profile, logger, market } = deps
  const twaps = createTwaps(deps)
  const viewOf = createMarketView({ ...deps, twaps })
  const listed = new Map(profile.listed_stocks.map((stock) => [lower(stock.address), stock]))
  const coreTokens = new Map(profile.core_tokens.map((token) => [lower(token.address), token]))
  const readings = new Map<Address, TokenReading>(
    [...coreTokens].map(([address, token]) => [address, coreReading(token, nowS(clock))]),
  )
  const unstored = new Set<Address>()
  const imitated = createImpersonation([
    ...profile.core_tokens,
    ...profile.listed_stocks.map(({ symbol, address }) => ({ symbol, name: symbol, address })),
  ])

  function standingOf(address: Address): Judged['standing'] {
    const core = coreTokens.get(address)
    if (core) return core.kind === 'stock' ? 'core_stock' : 'core'
    return listed.has(address) ? 'listed_stock' : 'none'
  }
  function describeBy(reading: TokenReading, view: MarketView): StoredRecord {
    const { address } = reading
    return describeToken({
      reading,
      view,
      nowS: nowS(clock),
      imitates: imitated(reading),
      standing: standingOf(address),
      feedBacked: (coreTokens.get(address) ?? listed.get(address))?.feed != null,
      multiplier: market.stocks.multiplier(address, nowS(clock)),
    })
  }
  const describeAtOnce = (reading: TokenReading) => describeBy(reading, viewOf(reading))
  async function describe(reading: TokenReading): Promise<StoredRecord> {
    const view = viewOf(reading)
    const isReadAnew = view.twapPool !== null && (await twaps.refresh(view.twapPool))
    return isReadAnew ? describeAtOnce(reading) : describeBy(reading, view)
  }
  const screening = createScreening({
    ...deps,
    describe: describeAtOnce,
    save,
    async screenToken(token, known) {
      const reading = await screenToken(deps, token, known)
      const { twapPool } = viewOf(reading)
      if (twapPool !== null) await twaps.refresh(twapPool)
      return reading
    },
  })

  async function find(token: Address): Promise<KnownToken | undefined> {
    const stored = await findToken(db, token)
    return stored && describeStored(stored)
  }
  async function describeStored(stored: KnownToken): Promise<KnownToken> {
    // Without the market no token has a route, so the stored record is better.
    if (market.head() === null) return stored
    return { reading: stored.reading, record: await describe(stored.reading) }
  }

  async function get(token: Address, admit: () => Promise<void>): Promise<RecordNow> {
    const core = readings.get(token)
    if (core) return describeAtOnce(core)
    const stored = await findToken(db, token)
    // Read beside the reference: a plan waits for both.
    const isStill = stored && isCurrent(stored.reading)
    isStill?.catch(() => {})
    const described = stored && (await describeStored(stored))
    if (described && described.record.screen_status !== 'UNSCREENED') {
      if (await isStill) return cached(described)
      // Its screen is outdated. Screening it again costs the caller nothing.
      return answered(await screening.screen(token, async () => {}))
    }
    if (described && described.reading.trial.status === 'unfinished' && !screening.isRunning(token)) {
      // Its last screen did not finish: it is screened again without a caller waiting.
      screening.later(token)
      return described.record
    }
    return answered(await screening.screen(token, admit))
  }

  /** Reads again what can change with any block: a proxy's code and the pause. */
  async function isCurrent({ address, code, saysPaused }: TokenReading): Promise<boolean> {
    // A screen without its beacon slot is incomplete.
    if (typeof code.stockBeacon !== 'boolean') return false
    const [sameCode, samePause] = await Promise.all([
      isUnchanged(deps, address, code),
      !code.powers.includes('pause') || readPaused(deps, address).then((paused) => paused === saysPaused),
    ])
    return sameCode && samePause
  }

  function cached({ record }: KnownToken): RecordNow {
    if (isOld(record, clock)) screening.later(record.address as Address)
    return { ...record, screen_status: 'CACHED' }
  }

  return {
    coreBySymbol(symbol) {
      const token = profile.core_tokens.find((one: CoreToken) => one.symbol === symbol)
      const reading = token && readings.get(lower(token.address))
      return reading && describeAtOnce(reading)
    },
    get,
    find,
    describe,
    screening,
    coreAddresses: new Set(coreTokens.keys()),
    async assertUnchanged(token) {
      if (readings.has(token)) return
      const stored = await findToken(db, token)
      if (!stored || (await isUnchanged(deps, token, stored.reading.code))) return
      logger.warn({ token }, 'the code of a token changed since its screen')
      screening.screen(token, async () => {}).catch(() => screening.later(token))
      fail('TOKEN_CHANGED')
    },
    async refreshCore() {
      await Promise.all(
        [...coreTokens.values()].map(async (token) => {
          const reading = await readCoreToken(deps, token)
          readings.set(reading.address, reading)
          unstored.add(reading.address)
        }),
      )
    },
    async storeCore() {
      for (const address of unstored) {
        const reading = readings.get(address)!
        await save({ reading, record: describeAtOnce(reading) })
        unstored.delete(address)
      }
    },
  }
}

function answered(screened: Awaited<ReturnType<Screening['screen']>>): RecordNow {
  return screened.status === 'done' ? screened.known.record : screened.record
}
