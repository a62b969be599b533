import { type Address, type Hex, type Hop, hookEffectOf, launchpadOf, TOPIC } from '@pit/chain'
import { type RanCall, wordIn } from '@pit/platform/reads'
import { BPS, bpsNearest } from '@pit/protocol'
import type { Power } from '../powers.ts'
import type { Trial } from '../reading.ts'
import type { TrialWay } from './findTrials.ts'
import type { SimResults } from './simulate.ts'
import { type Label, partsOf } from './trialCalls.ts'

const V2_SWAP: Hex = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const ENFORCED_PAUSE = 'd93c0665'
const PAUSED_TEXT = Buffer.from('paused').toString('hex')

type Results = SimResults<Label>
type Logs = RanCall['logs']

export interface TrialTerms {
  token: Address
  way: TrialWay
  poolManager: Address | null
  /** The balance that the amounts passed on and sold are shares of. */
  held: bigint
}

export const wordOf = (result: RanCall | undefined): bigint | null =>
  result?.ok ? wordIn(result.data) : null

/** The pool or curve in which the token is tried. */
export const poolOf = (way: TrialWay): string =>
  way.kind === 'curve' ? way.curve.id : (way.hops[way.hops.length - 1] as Hop).pool.id

/** Growth of the buyer's balance; null if the purchase failed. */
export function boughtIn(results: Results): bigint | null {
  const [before, bought] = [wordOf(results.get('before')), wordOf(results.get('bought'))]
  if (!results.get('buy')?.ok || before === null || bought === null) return null
  return bought - before
}

/** The result of the trial, from pool logs and balances, never from the token's own claims. */
export function readTrial(results: Results, terms: TrialTerms): Trial {
  const { way, held } = terms
  const pool = poolOf(way)
  const buy = results.get('buy')
  const saysPaused = wordOf(results.get('paused')) === 1n
  if (!buy?.ok) {
    const paused = saysPaused || revertedPaused(buy)
    return { status: 'buy_failed', pool, paused, hooked: takesByHook(way), why: whyNot(buy) }
  }
  const balanceLies = (wordOf(results.get('strangerBefore')) ?? 0n) > 0n
  const arrived = boughtIn(results)
  const paid = movedBy(buy.logs, terms, 'out')
  const lostBps = balanceLies || arrived === null || paid === null ? null : shareLost(paid, arrived)
  const transfer = transferOf(results, held, balanceLies)
  // The pool's log does not show what a hook takes.
  const hooked = takesByHook(way)
  const sell = results.get('sell')
  return {
    status: 'done',
    pool,
    buyTaxBps: hooked ? 0 : lostBps,
    transfer,
    sell: sell?.ok
      ? { ok: true, taxBps: sellTax(sell.logs, terms) }
      : { ok: false, why: whyNot(sell), paused: saysPaused || revertedPaused(sell) },
    hookTakeBps: hooked ? (lostBps ?? 0) : 0,
    balanceLies,
    rebased: !balanceLies && changedByItself(results),
  }
}

function transferOf(
  results: Results,
  held: bigint,
  balanceLies: boolean,
): Extract<Trial, { status: 'done' }>['transfer'] {
  const give = results.get('give')
  const { give: amount } = partsOf(held)
  if (!give?.ok) return { ok: false, why: whyNot(give) }
  if (balanceLies) return { ok: true, taxBps: null }
  const before = wordOf(results.get('strangerBefore'))
  const after = wordOf(results.get('strangerAfter'))
  if (before === null || after === null || amount === 0n) return { ok: true, taxBps: null }
  // Some tokens return false instead of reverting, and move nothing.
  if (after <= before) return { ok: false, why: 'nothing arrived' }
  return { ok: true, taxBps: shareLost(amount, after - before) }
}

/** Loss between the amount the seller sent and the amount the pool received. */
function sellTax(logs: Logs, terms: TrialTerms): number {
  const { sell } = partsOf(terms.held)
  const counted = movedBy(logs, terms, 'in')
  return counted === null ? 0 : shareLost(sell, counted)
}

function changedByItself(results: Results): boolean {
  const [bought, later] = [wordOf(results.get('bought')), wordOf(results.get('later'))]
  return bought !== null && later !== null && bought !== later
}

/** Basis points of `whole` missing in `part`, to the nearest: a wei of rounding is not a tax. */
function shareLost(whole: bigint, part: bigint): number {
  if (whole <= 0n || part >= whole) return 0
  return part <= 0n ? BPS : Number(bpsNearest(whole - part, whole))
}

const takesByHook = (way: TrialWay): boolean => {
  const pool = way.kind === 'pool' ? way.hops[way.hops.length - 1]?.pool : undefined
  return pool?.version === 'v4' && hookEffectOf(pool.key) === 'amounts'
}

const whyNot = (failed: RanCall | undefined): string => failed?.reason ?? 'not tried'

/** Whether a failed call reverted because transfers are paused. */
const revertedPaused = (failed: RanCall | undefined): boolean =>
  failed !== undefined &&
  (failed.data.includes(ENFORCED_PAUSE) || failed.data.toLowerCase().includes(PAUSED_TEXT))

/** How much of the token the pool paid out or received, by its own log; null without one. */
function movedBy(
  logs: Logs,
  { token, way, poolManager }: TrialTerms,
  direction: 'in' | 'out',
): bigint | null {
  if (way.kind === 'curve') {
    const { moveIn } = launchpadOf(way.curve.launchpad)
    const side = direction === 'in' ? 'sell' : 'buy'
    const moves = logs.filter(({ address }) => address === way.curve.id).map((log) => moveIn(log))
    return moves.find((move) => move?.side === side)?.tokenAmount ?? null
  }
  const { pool } = way.hops[way.hops.length - 1] as Hop
  const tokenIsFirst = pool.token0 === token
  if (pool.version === 'v2') {
    const log = find(logs, pool.id, V2_SWAP)
    if (!log) return null
    return unsigned(log.data, (tokenIsFirst ? 0 : 1) + (direction === 'in' ? 0 : 2))
  }
  const log =
    pool.version === 'v3'
      ? find(logs, pool.id, TOPIC.v3Swap)
      : logs.find(
          ({ address, topics }) =>
            address === poolManager && topics[0] === TOPIC.v4Swap && topics[1] === pool.id,
        )
  if (!log) return null
  const amount = BigInt.asIntN(256, unsigned(log.data, tokenIsFirst ? 0 : 1))
  return amount < 0n ? -amount : amount
}

const find = (logs: Logs, emitter: string, topic: Hex) =>
  logs.find(({ address, topics }) => address === emitter && topics[0] === topic)

const unsigned = (data: Hex, index: number): bigint =>
  BigInt(`0x${data.slice(2 + 64 * index, 66 + 64 * index) || '0'}`)

/** The powers that worked when the owner used them. */
export function readPowers(results: Results): Power[] {
  const proved: Power[] = []
  const grew = compare(results, 'supply', 'supplyAfter')
  if (results.get('mint')?.ok && grew === 'more') proved.push('mint')
  if (results.get('rebase')?.ok && compare(results, 'keeperBefore', 'rebased') !== 'same')
    proved.push('rebase')
  const moves = results.get('control')?.ok === true
  if (moves && results.get('bar')?.ok && results.get('barred')?.ok === false) proved.push('blacklist')
  if (moves && results.get('pause')?.ok && results.get('stopped')?.ok === false) proved.push('pause')
  return proved
}

function compare(results: Results, before: Label, after: Label): 'more' | 'less' | 'same' {
  const [a, b] = [wordOf(results.get(before)), wordOf(results.get(after))]
  if (a === null || b === null || a === b) return 'same'
  return b > a ? 'more' : 'less'
}
