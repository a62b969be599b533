import {
  type Address,
  type Hex,
  multiplierAt,
  type Pool,
  type PoolIndex,
  type StockMultiplier,
  stockIssuerOf,
} from '@pit/chain'
import type { Clock } from '@pit/platform/clock'
import { afterChange } from '@pit/platform/follow'
import type { Job } from '@pit/platform/jobs'
import { askMulticall, type ContractCall, flagIn, readOne } from '@pit/platform/reads'
import type { Rpc } from '@pit/platform/rpc'
import { type ChainProfile, lower } from '@pit/protocol'

/** Data of the stock token issuer, kept in memory. */
export interface StocksFollowed {
  /** Shares per token at a time; null for tokens that are not stocks of the profile, or before the first read. */
  multiplier(token: Address, atS: number): number | null
  /** Whether the issuer blocks the holder of this pool's tokens: no stock trades through it. */
  isBarred(pool: Pick<Pool, 'version' | 'id' | 'token0' | 'token1'>): boolean
  jobs: Job[]
}

/** Multipliers are announced long in advance and take effect by the clock, so rare reads suffice. */
const MULTIPLIERS_EVERY_MS = 5_000
const BLOCKED_EVERY_MS = 2_000
/** Multipliers and blocks change by transactions only, so empty blocks need no reading. */
const UNCHANGED_MS = 30_000
const IDLE_MS = 30_000
const CALLS_AT_ONCE = 500
/** Stock pools beyond this number are not checked; a plan through one is still simulated. */
const MAX_VENUES = 1_000

export function followStocks({
  rpc,
  clock,
  profile,
  index,
  changes,
}: {
  rpc: Pick<Rpc, 'request'>
  clock: Clock
  profile: ChainProfile
  index: Pick<PoolIndex, 'of'>
  /** Counts blocks that may have changed state; null while blocks are not followed. */
  changes?(): number | null
}): StocksFollowed {
  const issuer = stockIssuerOf(profile)
  const beacon = profile.stocks.beacon
  const { v4_pool_manager } = profile.contracts
  const poolManager = v4_pool_manager === null ? null : lower(v4_pool_manager)
  const stocks = new Set(
    [...profile.core_tokens.filter(({ kind }) => kind === 'stock'), ...profile.listed_stocks].map(
      ({ address }) => lower(address),
    ),
  )
  const multipliers = new Map<Address, StockMultiplier>()
  let blocked: ReadonlySet<Address> = new Set()

  async function ask(calls: readonly ContractCall[]) {
    const answers: (Hex | null)[] = []
    for (let at = 0; at < calls.length; at += CALLS_AT_ONCE) {
      const some = calls.slice(at, at + CALLS_AT_ONCE)
      answers.push(...(await readOne(rpc, askMulticall(lower(profile.contracts.multicall3), some))))
    }
    return answers
  }

  async function readMultipliers(): Promise<void> {
    const reads = [...stocks].map((token) => ({ token, calls: issuer.multiplierCalls(token) }))
    const answers = await ask(reads.flatMap(({ calls }) => calls))
    for (const { token, calls } of reads) {
      const read = issuer.multiplierIn(answers.splice(0, calls.length))
      if (read) multipliers.set(token, read)
      else multipliers.delete(token)
    }
  }

  const venueOf = ({ version, id }: Pick<Pool, 'version' | 'id'>): Address | null =>
    version === 'v4' ? poolManager : (id as Address)

  async function readBlocked(): Promise<void> {
    if (beacon === null) return
    const pools = [...stocks].flatMap((token) => index.of(token))
    const venues = [...new Set(pools.flatMap((pool) => venueOf(pool) ?? []))].slice(0, MAX_VENUES)
    const answers = await ask(venues.map((venue) => issuer.blockedCall(lower(beacon), venue)))
    blocked = new Set(venues.filter((_, i) => flagIn(answers[i]) === true))
  }

  const gated = (read: () => Promise<void>) => afterChange({ changes, clock, maxMs: UNCHANGED_MS }, read)
  return {
    multiplier(token, atS) {
      const entry = multipliers.get(token)
      return entry ? Number(multiplierAt(entry, atS)) / 1e18 : null
    },
    isBarred(pool) {
      const venue = venueOf(pool)
      return venue !== null && blocked.has(venue) && (stocks.has(pool.token0) || stocks.has(pool.token1))
    },
    jobs:
      stocks.size === 0
        ? []
        : [
            {
              name: 'read stock multipliers',
              intervalMs: MULTIPLIERS_EVERY_MS,
              idleMs: IDLE_MS,
              run: gated(readMultipliers),
            },
            {
              name: 'read blocked pools',
              intervalMs: BLOCKED_EVERY_MS,
              idleMs: IDLE_MS,
              run: gated(readBlocked),
            },
          ],
  }
}
