import {
  type Address,
  bigIntToWord,
  type Concentrated,
  DYNAMIC_FEE,
  type Hex,
  MAX_TICK,
  MIN_TICK,
  type Tick,
  type V2Pool,
  type V3Pool,
  type V4Pool,
  v2PairAbi,
  v3PoolAbi,
  v4StateViewAbi,
  wordToBigInt,
} from '@pit/chain'
import { type ContractCall, wordIn } from '@pit/platform/reads'
import { type Abi, getAbiItem, toFunctionSelector } from 'viem'
import type { CallAll } from './callAll.ts'
import type { AnyPool } from './poolLogs.ts'
import { curveCalls, curveIn, isCurveTraded } from './readCurve.ts'

/** States of pools as they stand after one block. Calls are written word by word: there are millions. */

export interface StateReader {
  /** The pools that have something to trade, judged by a few words of each. */
  findLiquid(pools: readonly AnyPool[], block: number): Promise<AnyPool[]>
  /** The pools whose price, liquidity or reserves differ from the chain's after this block. */
  findDiffering(pools: readonly AnyPool[], block: number): Promise<AnyPool[]>
  /** The pools with their complete state; one with an invalid response is omitted. */
  readWhole(pools: readonly AnyPool[], block: number): Promise<AnyPool[]>
}

type Fine = V3Pool | V4Pool
/** Pools whose bitmap has more words than this need many calls each, and anyone can create them. */
const MANY_WORDS = 1_000
const MAX_FINE_POOLS = 500
/** Calls of one round of whole states, which bounds the memory of reading. */
const ROUND_CALLS = 20_000

const selector = (abi: Abi, name: string): Hex =>
  toFunctionSelector(getAbiItem({ abi, name }) as Extract<Abi[number], { type: 'function' }>)
const RESERVES = selector(v2PairAbi, 'getReserves')
const V3 = {
  slot0: selector(v3PoolAbi, 'slot0'),
  liquidity: selector(v3PoolAbi, 'liquidity'),
  word: selector(v3PoolAbi, 'tickBitmap'),
  tick: selector(v3PoolAbi, 'ticks'),
}
const V4 = {
  slot0: selector(v4StateViewAbi, 'getSlot0'),
  liquidity: selector(v4StateViewAbi, 'getLiquidity'),
  word: selector(v4StateViewAbi, 'getTickBitmap'),
  tick: selector(v4StateViewAbi, 'getTickLiquidity'),
}
const intWord = (value: number): string =>
  value < 0 ? (value >>> 0).toString(16).padStart(64, 'f') : value.toString(16).padStart(64, '0')
const signed24 = (word: bigint): number => Number(BigInt.asIntN(24, word))

export function createStateReader({
  callAll,
  stateView,
  isPinned,
}: {
  callAll: CallAll
  stateView: Address | null
  isPinned(id: string): boolean
}): StateReader {
  const fine = new Set<string>()

  function call(pool: Fine, what: keyof typeof V3, arg?: number): ContractCall {
    const tail = arg === undefined ? '' : intWord(arg)
    return pool.version === 'v3'
      ? { to: pool.id, data: `${V3[what]}${tail}` }
      : { to: stateView!, data: `${V4[what]}${pool.id.slice(2)}${tail}` }
  }
  const isReadable = (pool: AnyPool): boolean => pool.version !== 'v4' || stateView !== null
  /** A bound on pools that cost thousands of calls each. */
  function isAffordable(pool: AnyPool): boolean {
    if (!isConcentrated(pool) || wordsOf(pool).length <= MANY_WORDS) return true
    if (fine.size >= MAX_FINE_POOLS && !fine.has(pool.id) && !isPinned(pool.id)) return false
    fine.add(pool.id)
    return true
  }

  async function findLiquid(pools: readonly AnyPool[], block: number): Promise<AnyPool[]> {
    const readable = pools.filter(isReadable)
    const { answersOf } = await callEach(readable, probesOf, block)
    const liquid = new Set<AnyPool>()
    const doubtful: Fine[] = []
    for (const pool of readable) {
      const answers = answersOf(pool)
      const [first = null, second = null] = answers
      if (pool.version === 'curve') {
        const curve = curveIn(pool, answers)
        if (curve && isCurveTraded(curve)) liquid.add(pool)
      } else if (pool.version === 'v2') {
        if ((wordIn(first, 0) ?? 0n) > 0n && (wordIn(first, 1) ?? 0n) > 0n) liquid.add(pool)
      } else if ((wordIn(second) ?? 0n) > 0n) liquid.add(pool)
      else if ((wordIn(first, 0) ?? 0n) > 0n) {
        pool.tick = signed24(wordIn(first, 1) ?? 0n)
        doubtful.push(pool)
      }
    }
    // Liquidity on one side of the price counts too: its ticks are near the price as a rule.
    const near = await callEach(
      doubtful,
      (pool) => nearWords(pool).map((word) => call(pool, 'word', word)),
      block,
    )
    for (const pool of doubtful)
      if (near.answersOf(pool).some((answer) => (wordIn(answer) ?? 0n) > 0n)) liquid.add(pool)
    return pools.filter((pool) => liquid.has(pool))
  }

  function probesOf(pool: AnyPool): ContractCall[] {
    if (pool.version === 'curve') return curveCalls(pool)
    if (pool.version === 'v2') return [{ to: pool.id, data: RESERVES }]
    return [call(pool, 'slot0'), call(pool, 'liquidity')]
  }

  async function callEach<P extends AnyPool>(
    pools: readonly P[],
    callsOf: (pool: P) => ContractCall[],
    block: number,
  ) {
    const calls: ContractCall[] = []
    const places = new Map<P, [number, number]>()
    for (const pool of pools) {
      const own = callsOf(pool)
      places.set(pool, [calls.length, calls.length + own.length])
      calls.push(...own)
    }
    const answers = await callAll(calls, block)
    return { answersOf: (pool: P): (Hex | null)[] => answers.slice(...places.get(pool)!) }
  }

  async function readWhole(pools: readonly AnyPool[], block: number): Promise<AnyPool[]> {
    const whole: AnyPool[] = []
    for (const round of roundsOf(pools.filter(isReadable).filter(isAffordable))) {
      const { answersOf } = await callEach(round, wholeCalls, block)
      const half = round.map((pool) => fill(pool, answersOf(pool))).filter((pool) => pool !== undefined)
      const deep = half.filter(isConcentrated)
      const ticks = await callEach(
        deep,
        (pool) => ticksOf(pool).map((tick) => call(pool, 'tick', tick)),
        block,
      )
      whole.push(...half.filter((pool) => !isConcentrated(pool) || fillTicks(pool, ticks.answersOf(pool))))
    }
    return whole
  }

  async function findDiffering(pools: readonly AnyPool[], block: number): Promise<AnyPool[]> {
    const readable = pools.filter(isReadable)
    // Before any await, since memory changes meanwhile.
    const ours = new Map(readable.map((pool) => [pool, briefOf(pool)]))
    const { answersOf } = await callEach(readable, probesOf, block)
    return readable.filter((pool) => {
      const theirs = fillBrief(pool, answersOf(pool))
      return theirs !== undefined && briefOf(theirs) !== ours.get(pool)
    })
  }

  function wholeCalls(pool: AnyPool): ContractCall[] {
    if (!isConcentrated(pool)) return probesOf(pool)
    return [...probesOf(pool), ...wordsOf(pool).map((word) => call(pool, 'word', word))]
  }

  return { findLiquid, findDiffering, readWhole }
}

const isConcentrated = (pool: AnyPool): pool is Fine => pool.version === 'v3' || pool.version === 'v4'

function* roundsOf(pools: readonly AnyPool[]): Generator<AnyPool[]> {
  let round: AnyPool[] = []
  let calls = 0
  for (const pool of pools) {
    round.push(pool)
    calls += isConcentrated(pool) ? wordsOf(pool).length : 1
    if (calls < ROUND_CALLS) continue
    yield round
    round = []
    calls = 0
  }
  if (round.length > 0) yield round
}

const wordAt = (tick: number, spacing: number): number => Math.floor(tick / spacing) >> 8

/** Every word that can have a tick. */
function wordsOf({ tickSpacing }: Concentrated): number[] {
  const [first, last] = [wordAt(MIN_TICK, tickSpacing), wordAt(MAX_TICK, tickSpacing)]
  return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}

/** The word of the price and its neighbours. */
function nearWords({ tick, tickSpacing }: Concentrated): number[] {
  const word = wordAt(tick, tickSpacing)
  return [word - 1, word, word + 1]
}

/** A copy filled from a few words, without ticks; undefined for an invalid response. */
function fillBrief(pool: AnyPool, answers: readonly (Hex | null)[]): AnyPool | undefined {
  if (pool.version === 'curve') return curveIn(pool, answers)
  const [first = null, second = null] = answers
  if (pool.version === 'v2') return fillV2(pool, first)
  const [root, tick, liquidity] = [wordIn(first, 0), wordIn(first, 1), wordIn(second)]
  if (root === null || tick === null || liquidity === null) return undefined
  const state = { sqrtPriceX96: root, tick: signed24(tick), liquidity }
  if (pool.version === 'v3') return { ...pool, ...state }
  const [protocolFee, lpFee] = [wordIn(first, 2), wordIn(first, 3)]
  if (protocolFee === null || lpFee === null) return undefined
  // A dynamic fee is read with each block or not used at all.
  const lpFeePips = pool.key.fee === DYNAMIC_FEE ? 0 : Number(lpFee)
  return { ...pool, ...state, protocolFee: Number(protocolFee), lpFeePips }
}

/** Text form of what `fillBrief` fills. Dynamic fees are followed separately. */
function briefOf(pool: AnyPool): string {
  if (pool.version === 'v2') return [pool.reserve0, pool.reserve1].join()
  // The reserves of a graduated curve are irrelevant.
  if (pool.version === 'curve') return pool.graduated ? 'graduated' : [pool.x, pool.y].join()
  const price = [pool.sqrtPriceX96, pool.tick, pool.liquidity]
  return pool.version === 'v3' ? price.join() : [...price, pool.protocolFee].join()
}

/** The same with the bitmap. */
function fill(pool: AnyPool, answers: readonly (Hex | null)[]): AnyPool | undefined {
  const brief = fillBrief(pool, answers)
  if (brief === undefined || !isConcentrated(brief)) return brief
  const bitmap = new Map<number, Uint32Array>()
  for (const [i, word] of wordsOf(brief).entries()) {
    const bits = wordIn(answers[2 + i])
    if (bits === null) return undefined
    if (bits > 0n) bitmap.set(word, bigIntToWord(bits))
  }
  return { ...brief, bitmap, ticks: new Map<number, Tick>() }
}

function fillV2(pool: V2Pool, answer: Hex | null): V2Pool | undefined {
  const [reserve0, reserve1] = [wordIn(answer, 0), wordIn(answer, 1)]
  return reserve0 === null || reserve1 === null ? undefined : { ...pool, reserve0, reserve1 }
}

function ticksOf({ bitmap, tickSpacing }: Concentrated): number[] {
  const ticks: number[] = []
  for (const [word, bits] of bitmap) {
    const value = wordToBigInt(bits)
    for (let bit = 0; bit < 256; bit++)
      if ((value >> BigInt(bit)) & 1n) ticks.push((word * 256 + bit) * tickSpacing)
  }
  return ticks
}

/** False if a tick could not be read. */
function fillTicks(pool: Concentrated, answers: readonly (Hex | null)[]): boolean {
  for (const [i, tick] of ticksOf(pool).entries()) {
    const [gross, net] = [wordIn(answers[i], 0), wordIn(answers[i], 1)]
    if (gross === null || net === null) return false
    pool.ticks.set(tick, { gross, net: BigInt.asIntN(256, net) })
  }
  return true
}
