import type { Address } from '@pit/chain'
import { createCache } from '@pit/platform/cache'
import { nowS } from '@pit/platform/clock'
import { askBlockNumber, readBalances, readOne } from '@pit/platform/reads'
import { RpcError, RpcUnreachable } from '@pit/platform/rpc'
import { ACCOUNT, type Answer, fail, NATIVE_TOKEN } from '@pit/protocol'
import { tradedTokens } from '@pit/relay'
import type { AccountDeps } from './deps.ts'
import { describeHoldings } from './describeHoldings.ts'
import type { VolumeReader } from './readVolume.ts'
import { describeVolume } from './rules.ts'
import type { TokenTexts } from './tokenTexts.ts'

type Portfolio = Answer<'me.portfolio'>

/** More than the route's rate limit admits within five seconds. */
const MAX_WALLETS = 1_000
const TIMEOUT_MS = 4_000
const KEPT_MS = ACCOUNT.portfolioCacheS * 1_000

type PortfolioDeps = Pick<AccountDeps, 'db' | 'rpc' | 'clock' | 'profile' | 'market' | 'shared'> & {
  texts: TokenTexts
  volumes: Pick<VolumeReader, 'volume'>
}

/** In the response's shape: described once for all callers within the five seconds. */
export type ReadPortfolio = (wallet: Address) => Promise<Portfolio>

interface Reading {
  portfolio: Omit<Portfolio, 'cached'>
  leftMs: number
  isOwn: boolean
}

/** One reading per wallet and five seconds, across processes. */
export function createPortfolioReader(deps: PortfolioDeps): ReadPortfolio {
  const { clock, shared } = deps
  const readings = createCache<Address, Reading>({ max: MAX_WALLETS, ttlMs: ({ leftMs }) => leftMs, clock })
  async function read(wallet: Address): Promise<Reading> {
    const { text, leftMs, isOwn } = await shared.load(`portfolio ${wallet}`, KEPT_MS, async () =>
      JSON.stringify(await readPortfolio(deps, wallet)),
    )
    return { portfolio: JSON.parse(text), leftMs, isOwn }
  }
  return async (wallet) => {
    const cached = readings.get(wallet)
    const { portfolio, isOwn } = cached ?? (await readings.load(wallet, read))
    return { ...portfolio, cached: cached !== undefined || !isOwn }
  }
}

async function readPortfolio(deps: PortfolioDeps, wallet: Address): Promise<Omit<Portfolio, 'cached'>> {
  const { db, rpc, profile, clock, market, texts, volumes } = deps
  if (market.head() === null) fail('LIVE_UNAVAILABLE', { message: 'Market data is not loaded yet.' })
  const { standing } = texts
  const [block, strangers, volumeMicroUsd] = await Promise.all([
    fromChain(readOne(rpc, askBlockNumber())),
    tradedTokens(db, { wallet, except: standing, max: ACCOUNT.portfolioMaxTradedTokens }),
    volumes.volume(wallet),
  ])
  const [balances, textOf] = await Promise.all([
    fromChain(
      readBalances(
        { rpc, multicall3: profile.contracts.multicall3 as Address },
        { wallet, groups: [standing, strangers] },
        { block, timeoutMs: TIMEOUT_MS },
      ),
    ),
    texts.read([...standing, ...strangers]),
  ])
  // A working node always knows the ETH balance.
  if (balances.get(NATIVE_TOKEN) === null) fail('RPC_UNAVAILABLE')
  const standingTokens = new Set(standing)
  const holdings = [...balances].flatMap(([address, atoms]) =>
    isShown(address, atoms) ? [{ text: textOf(address), atoms, standing: standingTokens.has(address) }] : [],
  )
  const unread = [...balances].filter(([, atoms]) => atoms === null).map(([address]) => textOf(address).token)
  return {
    wallet,
    block,
    read_at: nowS(clock),
    ...describeHoldings(holdings, { market, nowS: nowS(clock) }),
    unread,
    volume: describeVolume(volumeMicroUsd),
  }
}

/** Zero balances are omitted, except ETH, which pays for every trade. */
function isShown(address: Address, atoms: bigint | null): atoms is bigint {
  return atoms !== null && (atoms > 0n || address === NATIVE_TOKEN)
}

/** Maps a timeout or an error of the node to RPC_UNAVAILABLE. */
async function fromChain<T>(work: Promise<T>): Promise<T> {
  return work.catch((error) => {
    if (error instanceof RpcError || error instanceof RpcUnreachable) return fail('RPC_UNAVAILABLE')
    throw error
  })
}
