import {
  type Address,
  GAS,
  type Hex,
  type Hop,
  isQuotedByCall,
  type Route,
  routeIdOf,
  v4QuoterAbi,
} from '@pit/chain'
import { planHopOf } from '@pit/plans'
import { askCall, type Question, readAll } from '@pit/platform/reads'
import type { RpcError } from '@pit/platform/rpc'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import type { FailedRoute } from '../types.ts'
import type { QuoterDeps } from './deps.ts'
import type { Hooks } from './hooks.ts'
import { endlessOut, impactBps } from './impact.ts'
import type { Labels } from './labels.ts'
import { ATOMS_END } from './size.ts'
import { trapByCall, trapRisk, whyTrapped } from './traps.ts'
import type { UnpricedRoute, VenueQuotes } from './unpriced.ts'

/** Same budget as an aggregator. */
const BUDGET_MS = 1_500
/** Anyone can open pools with hooks: limits the calls per trade and the gas of each. */
const MAX_CALLS = 8
const CALL_GAS = 3_000_000
const MAX_ELSEWHERE = 3

export interface CallRequest {
  tokenIn: Address
  tokenOut: Address
  swapIn: bigint
  /** The block to quote at, the same as for the other routes. */
  block: number
  /** Skips unreviewed hooks, so that opening a pool cannot slow down core pairs. */
  knownOnly: boolean
  /** The route was requested by id: a trap is quoted too, with its risk. */
  isNamed: boolean
}

export interface CallQuoter {
  /** Selects the pools to quote. Reads their state synchronously, before any await. */
  choose(routes: readonly Route[], request: CallRequest): Chosen[]
  quote(chosen: readonly Chosen[], request: CallRequest): Promise<VenueQuotes>
  /** Pools that only the chain can quote, for tokens without another route; never part of longer routes. */
  elsewhere(token: Address): FailedRoute[]
}

interface Chosen {
  hop: Hop
  row: Pick<UnpricedRoute, 'id' | 'venue' | 'label' | 'risks'>
  endless: number
}

/** Pools whose hook decides the output, quoted by the on-chain quoter in one batch. */
export function createCallQuoter({
  market,
  rpc,
  profile,
  crypto,
  logger,
  hooks,
  labels,
}: Pick<QuoterDeps, 'market' | 'rpc' | 'profile' | 'crypto' | 'logger'> & {
  hooks: Hooks
  labels: Labels
}): CallQuoter {
  const quoter = profile.contracts.v4_quoter as Address | null

  function choose(routes: readonly Route[], request: CallRequest): Chosen[] {
    const { swapIn: amountIn, knownOnly } = request
    if (quoter === null) return []
    const rank = (hop: Hop) => (hooks.isKnown(hop) ? 1 : 0)
    return routes
      .flatMap(({ id, hops }) => (hops.length === 1 ? [{ id, hops, hop: hops[0]! }] : []))
      .filter(({ hop }) => !knownOnly || hooks.isKnown(hop))
      .sort((a, b) => rank(b.hop) - rank(a.hop) || depthOf(b.hop) - depthOf(a.hop))
      .slice(0, MAX_CALLS)
      .map(({ id, hops, hop }) => ({
        hop,
        row: { id, venue: 'venue_pool', label: labels.ofPath(request, hops), risks: hooks.risksOf(hops) },
        endless: endlessOut(hops, amountIn),
      }))
  }

  async function quote(
    chosen: readonly Chosen[],
    { swapIn: amountIn, block, isNamed }: CallRequest,
  ): Promise<VenueQuotes> {
    if (chosen.length === 0 || quoter === null) return { routes: [], failed: [] }
    const questions = chosen.map(
      ({ hop }): Question<Read | Reason> => ({
        call: askCall({ to: quoter, data: quoteCall(hop, amountIn) }, { block, gas: CALL_GAS }).call,
        parse: readQuote,
        refused: refusalOf,
      }),
    )
    try {
      const answers = await readAll(rpc, questions, { timeoutMs: BUDGET_MS })
      return chosen.reduce<VenueQuotes>(
        (outcome, one, i) => {
          const read = answers[i]!
          const trap = 'why' in read ? null : trapByCall(one.hop, amountIn, read.amountOut)
          if ('why' in read) outcome.failed.push({ ...plain(one), ...read })
          else if (trap !== null && !isNamed)
            outcome.failed.push({ ...plain(one), why: whyTrapped(trap, one.row.id) })
          else outcome.routes.push(describe(one, read, { amountIn, trap }))
          return outcome
        },
        { routes: [], failed: [] },
      )
    } catch (error) {
      logger.warn({ err: error }, 'failed to quote pools with hooks')
      const why = 'The chain did not answer in time.'
      return { routes: [], failed: chosen.map((one) => ({ ...plain(one), why, code: 'VENUE_FAILED' })) }
    }
  }

  function elsewhere(token: Address): FailedRoute[] {
    const rows = new Map<Address, FailedRoute>()
    for (const pool of market.index.of(token)) {
      if (!isQuotedByCall(pool)) continue
      const pair = pool.token0 === token ? pool.token1 : pool.token0
      if (rows.has(pair) || rows.size === MAX_ELSEWHERE) continue
      const hop = { pool, zeroForOne: pool.token0 === token, tokenIn: token, tokenOut: pair }
      rows.set(pair, {
        id: routeIdOf(crypto, [hop]),
        venue: 'venue_pool',
        label: labels.ofPath({ tokenIn: token, tokenOut: pair }, [hop]),
        why: `Its hook allows direct trades only. Trade it against ${labels.nameOf(pair)}.`,
      })
    }
    return [...rows.values()]
  }

  return { choose, quote, elsewhere }
}

const depthOf = ({ pool }: Hop): number => (pool.version === 'v4' ? Number(pool.liquidity) : 0)
const plain = ({ row: { id, venue, label } }: Chosen) => ({ id, venue, label })

function describe(
  { hop, row, endless }: Chosen,
  read: Read,
  { amountIn, trap }: { amountIn: bigint; trap: number | null },
): UnpricedRoute {
  return {
    ...row,
    risks: trap === null ? row.risks : [...row.risks, trapRisk(trap)],
    way: { kind: 'pools', legs: [{ hops: [planHopOf(hop)], amountIn }] },
    quotedBy: 'call',
    amountOut: read.amountOut,
    gas: GAS.base + read.gas,
    impactBps: impactBps(read.amountOut, endless),
  }
}

function quoteCall({ pool, zeroForOne }: Hop, exactAmount: bigint): Hex {
  if (pool.version !== 'v4') throw new TypeError('only v4 pools have hooks')
  const params = { poolKey: pool.key, zeroForOne, exactAmount, hookData: '0x' as Hex }
  return encodeFunctionData({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', args: [params] })
}

interface Read {
  amountOut: bigint
  gas: number
}
type Reason = Pick<FailedRoute, 'why' | 'code'>

function readQuote(result: unknown): Read | Reason {
  try {
    const [amountOut, gas] = decodeFunctionResult({
      abi: v4QuoterAbi,
      functionName: 'quoteExactInputSingle',
      data: result as Hex,
    })
    if (amountOut <= 0n || amountOut >= ATOMS_END) return { why: 'The pool gives nothing for it.' }
    return { amountOut, gas: gas < CALL_GAS ? Number(gas) : CALL_GAS }
  } catch {
    return { why: 'The quoter’s response cannot be decoded.' }
  }
}

/** A revert comes from the pool; any other error from the node. */
const refusalOf = ({ code }: RpcError): Reason =>
  code === 3
    ? { why: 'The pool or its hook refuses this trade.' }
    : { why: 'The chain could not be read.', code: 'VENUE_FAILED' }
