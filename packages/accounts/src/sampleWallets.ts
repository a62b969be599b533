import type { Address } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import type { Job } from '@pit/platform/jobs'
import { readHoldings } from '@pit/platform/reads'
import { DAY_S, markPrice, worthDown } from '@pit/protocol'
import { rowsAfter } from '@pit/relay'
import type { AccountDeps } from './deps.ts'
import { addTraded, dueSamples, readCursor, storeSamples, type WalletSample } from './sampleStore.ts'
import type { TokenTexts } from './tokenTexts.ts'

const EVERY_MS = 60_000
const HOUR_S = 3_600
/** Bounds of one run: what is left waits for the next. */
const MAX_ROWS = 5_000
const MAX_WALLETS = 500
const MAX_READS = 100
const TIMEOUT_MS = 4_000
/** A row is committed by then, in order of its id. */
const LATE_ROW_MS = 5_000
/** A relayed trade has changed the balances by then. */
const MINED_WITHIN_S = 60

type SampleDeps = Pick<AccountDeps, 'db' | 'rpc' | 'clock' | 'profile' | 'market' | 'history'> & {
  texts: Pick<TokenTexts, 'standing'>
}

/** Records the value of wallets that traded. Balances are read after a trade and once an hour. */
export function createWalletSampler(deps: SampleDeps): Job {
  const { db, clock, profile, market, history } = deps
  const decimals = new Map(
    [...profile.core_tokens, ...profile.listed_stocks].map((token) => [
      token.address.toLowerCase() as Address,
      token.decimals,
    ]),
  )

  async function addNew(): Promise<void> {
    const beforeMs = clock.nowMs() - LATE_ROW_MS
    const rows = await rowsAfter(db, { afterId: await readCursor(db), beforeMs, limit: MAX_ROWS })
    if (rows.length > 0) await db.transaction((sql) => addTraded(sql, rows, nowS(clock)))
  }

  /** Null while a holding has a price source but no price, or could not be read. */
  function valueAtMarks(balances: ReadonlyMap<Address, bigint>): bigint | null {
    let microUsd = 0n
    for (const [token, atoms] of balances) {
      const mark = market.mark(token)
      if (mark) microUsd += worthDown(atoms, markPrice(mark.priceE18, decimals.get(token)!))
      else if (market.whyUnread(token) !== undefined) return null
    }
    return microUsd
  }

  async function sample(): Promise<void> {
    await addNew()
    const now = nowS(clock)
    const due = await dueSamples(db, now, MAX_WALLETS)
    const old = due.filter((one) => isOld(one, now))
    const toRead = old.slice(0, MAX_READS)
    const read = await readBalances(deps, toRead, now)
    const sampled = [...due.filter((one) => !old.includes(one)), ...read]
    await history.append(
      sampled.flatMap(({ wallet, balances }) => {
        const value = valueAtMarks(balances)
        return value === null ? [] : [{ series: walletSeries(wallet), value }]
      }),
    )
    await storeSamples(
      db,
      sampled.map((one) => ({ ...one, dueS: now + pauseS(now - one.tradedAtS) })),
    )
  }

  return {
    name: 'sample wallets',
    intervalMs: EVERY_MS,
    firstAfterMs: EVERY_MS / 4,
    lease: true,
    run: sample,
  }
}

export const walletSeries = (wallet: Address): string => `wallet:${wallet}`

const isOld = ({ readAtS, tradedAtS }: WalletSample, now: number): boolean =>
  readAtS < tradedAtS + MINED_WITHIN_S || readAtS < now - HOUR_S

/** Until the next sample, by the time since the last trade; a little less than the job's interval. */
function pauseS(idleS: number): number {
  if (idleS < HOUR_S) return 50
  if (idleS < DAY_S) return 300
  return idleS < 31 * DAY_S ? HOUR_S : DAY_S
}

/** Wallets with a balance that could not be read are left out. */
async function readBalances(
  { rpc, profile, texts }: SampleDeps,
  samples: readonly WalletSample[],
  now: number,
): Promise<WalletSample[]> {
  if (samples.length === 0) return []
  const reader = { rpc, multicall3: profile.contracts.multicall3 as Address }
  const holdings = samples.flatMap(({ wallet }) => texts.standing.map((token) => ({ wallet, token })))
  const atoms = await readHoldings(reader, [holdings], { timeoutMs: TIMEOUT_MS })
  return samples.flatMap((one, n) => {
    const own = atoms.slice(n * texts.standing.length, (n + 1) * texts.standing.length)
    if (own.includes(null)) return []
    const balances = texts.standing.flatMap((token, i): [Address, bigint][] =>
      own[i] === 0n ? [] : [[token, own[i]!]],
    )
    return [{ ...one, readAtS: now, balances: new Map(balances) }]
  })
}
