import { type Address, bytesToHex, type Hex } from '@pit/chain'
import { nowS } from '@pit/platform/clock'
import { askCall, readOne } from '@pit/platform/reads'
import { fail, lower, NATIVE_TOKEN } from '@pit/protocol'
import type { TokenDeps } from '../deps.ts'
import { isAlive } from '../depth.ts'
import type { TextFault, TokenReading, Trial } from '../reading.ts'
import { decodeText, NAME_MAX_CHARS, SYMBOL_MAX_CHARS } from '../text.ts'
import { findFirstPoolAtS } from './findFirstPool.ts'
import { findTrials, type TrialWay } from './findTrials.ts'
import { addressIn, answerOr, readCode } from './readCode.ts'
import { boughtIn, readPowers, readTrial, wordOf } from './readTrial.ts'
import { type SimResults, simulate } from './simulate.ts'
import {
  type Actors,
  type Label,
  partsOf,
  powerCalls,
  type RouterAddresses,
  readingCalls,
  tradeBlocks,
} from './trialCalls.ts'

export type ScreenDeps = Pick<
  TokenDeps,
  'rpc' | 'crypto' | 'profile' | 'market' | 'clock' | 'randomBytes' | 'isAgentToken'
>

/** After a longer simulation the token stays unscreened and is tried again. */
const SIMULATE_MS = 20_000
/** owner(), getOwner(), operator() and issuer(), in the order they are asked. */
const OWNER_SELECTORS = ['8da5cb5b', '893d20e8', '570ca735', '1d143848']
const OWNER_GAS = 200_000

/**
 * Reads a token and tests trading it. `known` is called with its own data before the trial, for callers that
 * cannot wait. Refuses NOT_A_TOKEN; throws if the chain does not respond.
 */
export async function screenToken(
  deps: ScreenDeps,
  token: Address,
  onReading: (reading: TokenReading) => void = () => {},
): Promise<TokenReading> {
  const { rpc, clock, market } = deps
  // Without the market every token would seem to have no route.
  if (market.head() === null) fail('SCREEN_UNAVAILABLE', { message: 'Market data is not loaded yet.' })
  const pools = poolsOf(deps, token)
  const read = await readCode(deps, token)
  if (read === null) fail('NOT_A_TOKEN', { field: 'address' })
  const actors = newActors(deps)
  const [said, owner, firstPoolAtS, agentToken] = await Promise.all([
    run([{ calls: readingCalls(token, actors) }]),
    readOwner(deps, token, read.selectors),
    findFirstPoolAtS(deps, pools),
    deps.isAgentToken(token),
  ])
  if (wordOf(said.get('supply')) === null || wordOf(said.get('strangerBefore')) === null) {
    fail('NOT_A_TOKEN', { field: 'address' })
  }
  const paused = wordOf(said.get('paused'))
  const reading: TokenReading = {
    address: token,
    ...readTexts(said),
    decimals: readDecimals(said),
    code: read.code,
    owner,
    proved: [],
    saysPaused: paused === null || paused > 1n ? null : paused === 1n,
    firstPoolAtS,
    trial: { status: 'unfinished', why: 'the screen is running' },
    agentToken: agentToken ?? false,
    screenedAtS: nowS(clock),
    block: market.head()?.number ?? 0,
  }
  onReading(reading)
  const ways = findTrials(deps, token, nowS(clock))
  const tried = await tryWays(ways)
  return { ...reading, ...tried, screenedAtS: nowS(clock) }

  function run(blocks: Parameters<typeof simulate<Label>>[1]): Promise<SimResults<Label>> {
    return simulate<Label>(rpc, blocks, {
      baseFeeWei: market.head()?.baseFeeWei ?? 1n,
      timeoutMs: SIMULATE_MS,
    })
  }

  async function tryWays(all: readonly TrialWay[]): Promise<Pick<TokenReading, 'trial' | 'proved'>> {
    const addresses = addressesOf(deps)
    if (all.length === 0 || addresses === null) return { trial: { status: 'no_route' }, proved: [] }
    let failed: Trial | undefined
    for (const way of all) {
      const outcome = await tryWay(way, addresses)
      if (outcome.trial.status !== 'buy_failed') return outcome
      failed ??= outcome.trial
    }
    return { trial: failed!, proved: [] }
  }

  async function tryWay(
    way: TrialWay,
    addresses: RouterAddresses,
  ): Promise<Pick<TokenReading, 'trial' | 'proved'>> {
    const poolManager = deps.profile.contracts.v4_pool_manager
    const terms = { token, way, poolManager: poolManager === null ? null : lower(poolManager) }
    let held = way.expectedOut ?? 0n
    let results = await trade(held)
    const arrived = boughtIn(results)
    // Less arrived than the trial passes on and sells: try again with what arrived.
    if (arrived !== null && arrived > 0n && spentOf(held) > arrived) {
      held = arrived
      results = await trade(held)
    } else if (way.expectedOut === null && arrived !== null && arrived > 0n) {
      held = arrived
      results = await trade(held)
    }
    const all = new Map([...said!, ...results])
    return { trial: readTrial(all, { ...terms, held }), proved: readPowers(all) }

    function trade(amount: bigint) {
      const blocks = tradeBlocks(token, way, { actors, addresses, held: amount, nowS: aheadS() })
      const asOwner =
        owner === null ? [] : powerCalls(token, owner, actors, { ...read!.code, selectors: read!.selectors })
      return run(asOwner.length > 0 ? [...blocks, { calls: asOwner }] : blocks)
    }
  }

  /** Never behind the newest block, whose time a simulated block must not precede. */
  function aheadS(): number {
    return Math.max(nowS(clock), market.head()?.timestampS ?? 0)
  }
}

const spentOf = (held: bigint): bigint => {
  const { give, sell } = partsOf(held)
  return 2n * give + sell
}

export function poolsOf({ market }: Pick<TokenDeps, 'market'>, token: Address) {
  const curve = market.curveOf(token)
  const pools = market.index.of(token).filter(isAlive)
  return curve?.version === 'curve' ? [...pools, curve] : pools
}

function newActors({ randomBytes }: ScreenDeps): Actors {
  const fresh = (): Address => bytesToHex(randomBytes(20))
  return { buyer: fresh(), stranger: fresh(), keeper: fresh() }
}

function addressesOf({ profile }: ScreenDeps): RouterAddresses | null {
  const { universal_router, permit2, weth } = profile.contracts
  if (universal_router === null || weth === null) return null
  return { router: lower(universal_router), permit2: lower(permit2), weth: lower(weth) }
}

function readTexts(said: SimResults<Label>): Pick<TokenReading, 'symbol' | 'name' | 'textFaults'> {
  const answer = (label: Label): Hex | undefined => {
    const result = said.get(label)
    return result?.ok ? result.data : undefined
  }
  const symbol = decodeText(answer('symbol'), SYMBOL_MAX_CHARS)
  const name = decodeText(answer('name'), NAME_MAX_CHARS)
  const textFaults: TextFault[] = []
  if (symbol === null) textFaults.push('symbol_unreadable')
  if (name === null) textFaults.push('name_unreadable')
  if (symbol?.hidden || name?.hidden) textFaults.push('hidden_characters')
  if (symbol?.cut || name?.cut) textFaults.push('cut')
  return { symbol: symbol?.text ?? '', name: name?.text ?? '', textFaults }
}

function readDecimals(said: SimResults<Label>): number | null {
  const decimals = wordOf(said.get('decimals'))
  return decimals === null || decimals > 77n ? null : Number(decimals)
}

async function readOwner(
  { rpc }: ScreenDeps,
  token: Address,
  selectors: ReadonlySet<string>,
): Promise<Address | null> {
  for (const selector of OWNER_SELECTORS.filter((known) => selectors.has(known))) {
    const query = askCall({ to: token, data: `0x${selector}` }, { gas: OWNER_GAS })
    const word = await answerOr(readOne(rpc, query), undefined)
    if (word?.length === 66) return addressIn(word) ?? NATIVE_TOKEN
  }
  return null
}
