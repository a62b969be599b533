import {
  type CurvePool,
  curveAbi,
  DYNAMIC_FEE,
  type Pool,
  ponsCurveAbi,
  v2PairAbi,
  v3PoolAbi,
  v4StateViewAbi,
  wordToBigInt,
} from '@pit/chain'
import type { AnyPool } from '@pit/market'
import type { Abi, Address, PublicClient } from 'viem'

/** Stands for a fee that was not read. */
const WHOLE_FEE_PIPS = 1_000_000

interface Reading {
  what: string
  expected: unknown
  call: { address: Address; abi: Abi; functionName: string; args?: unknown[] }
  pick: (answer: never) => unknown
}

const WORDS_AROUND = 12
const MAX_WORDS = 120

/** Compares every slot that decides a quote with the chain at one block. Returns the differences as texts. */
export async function differences(
  client: PublicClient,
  { stateView, block }: { stateView: Address; block: bigint },
  pools: Iterable<AnyPool>,
): Promise<{ compared: number; differing: string[] }> {
  const readings = [...pools].flatMap((pool) => readingsOf(pool, stateView))
  const differing: string[] = []
  const batch = 400
  for (let i = 0; i < readings.length; i += batch) {
    const some = readings.slice(i, i + batch)
    const answers = await client.multicall({
      contracts: some.map(({ call }) => call),
      allowFailure: false,
      blockNumber: block,
      batchSize: 1 << 20,
    })
    for (const [j, { what, expected, pick }] of some.entries()) {
      const actual = pick(answers[j] as never)
      if (String(actual) !== String(expected)) differing.push(`${what}: ${expected}, the chain has ${actual}`)
    }
  }
  return { compared: readings.length, differing }
}

function readingsOf(pool: AnyPool, stateView: Address): Reading[] {
  const name = `${pool.version} ${pool.id}`
  if (pool.version === 'curve' && pool.launchpad === 'pons') return ponsReadings(name, pool)
  if (pool.version === 'curve') {
    const call = { address: pool.id, abi: curveAbi as Abi, functionName: 'state' }
    const expected = [pool.graduated ? '' : pool.x, pool.graduated ? '' : pool.y, pool.graduated]
    const pick = ([x, y, , , graduated]: [bigint, bigint, bigint, bigint, boolean]) =>
      graduated ? ['', '', true] : [x, y, graduated]
    return [{ what: name, expected, call, pick: pick as (answer: never) => unknown }]
  }
  if (pool.version === 'v2') {
    const call = { address: pool.id, abi: v2PairAbi as Abi, functionName: 'getReserves' }
    const pick = ([a, b]: [bigint, bigint]) => [a, b]
    const expected = [pool.reserve0, pool.reserve1]
    return [{ what: name, expected, call, pick: pick as (answer: never) => unknown }]
  }
  return concentratedReadings(name, pool, stateView)
}

/** A graduated curve has no reserves left to compare. */
function ponsReadings(name: string, { id, x, y, graduated }: CurvePool): Reading[] {
  const on = (functionName: string) => ({ address: id, abi: ponsCurveAbi as Abi, functionName })
  const whole: Reading = {
    what: `${name} graduated`,
    expected: graduated,
    call: on('graduated'),
    pick: (answer) => answer,
  }
  const pick = ([quote, tokens]: [bigint, bigint]) => [quote, tokens]
  const reserves: Reading = {
    what: name,
    expected: [x, y],
    call: on('getReserves'),
    pick: pick as (answer: never) => unknown,
  }
  return graduated ? [whole] : [whole, reserves]
}

function concentratedReadings(name: string, pool: Pool & { ticks: unknown }, stateView: Address): Reading[] {
  if (pool.version === 'v2') return []
  const v3 = pool.version === 'v3'
  const call = (v3Name: string, v4Name: string, ...args: unknown[]) =>
    v3
      ? { address: pool.id as Address, abi: v3PoolAbi as Abi, functionName: v3Name, args }
      : { address: stateView, abi: v4StateViewAbi as Abi, functionName: v4Name, args: [pool.id, ...args] }
  const slot0 = [pool.sqrtPriceX96, pool.tick, ...(v3 ? [] : [pool.protocolFee])]
  // The fee of an unknown hook is not trusted: such a pool is quoted by the chain or not at all.
  if (!v3 && !(pool.key.fee === DYNAMIC_FEE && pool.lpFeePips === WHOLE_FEE_PIPS)) slot0.push(pool.lpFeePips)
  const readings: Reading[] = [
    {
      what: `${name} slot0`,
      expected: slot0,
      call: call('slot0', 'getSlot0'),
      pick: ((answer: unknown[]) => answer.slice(0, slot0.length)) as (answer: never) => unknown,
    },
    {
      what: `${name} liquidity`,
      expected: pool.liquidity,
      call: call('liquidity', 'getLiquidity'),
      pick: (liquidity) => liquidity,
    },
  ]
  for (const [tick, { gross, net }] of pool.ticks) {
    readings.push({
      what: `${name} tick ${tick}`,
      expected: [gross, net],
      call: call('ticks', 'getTickLiquidity', tick),
      pick: ((answer: unknown[]) => answer.slice(0, 2)) as (answer: never) => unknown,
    })
  }
  for (const word of wordsToLookAt(pool)) {
    const bits = pool.bitmap.get(word)
    readings.push({
      what: `${name} bitmap ${word}`,
      expected: bits ? wordToBigInt(bits) : 0n,
      call: call('tickBitmap', 'getTickBitmap', word),
      pick: (found) => found,
    })
  }
  return readings
}

/**
 * All words if there are few, otherwise those around the price and those in use: a missed tick shows there.
 */
function wordsToLookAt(pool: {
  tick: number
  tickSpacing: number
  bitmap: Map<number, unknown>
}): Set<number> {
  const last = Math.ceil(887_272 / pool.tickSpacing / 256)
  const words = new Set(pool.bitmap.keys())
  const now = Math.floor(pool.tick / pool.tickSpacing / 256)
  const [from, to] =
    2 * last <= MAX_WORDS
      ? [-last, last]
      : [Math.max(-last, now - WORDS_AROUND), Math.min(last, now + WORDS_AROUND)]
  for (let word = from; word <= to; word++) words.add(word)
  return words
}
