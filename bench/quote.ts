/**
 * A full scan of ETH → USDG in process against (a) the same direct candidates through the on-chain quoters,
 * one Multicall over the node, and (b) the Uniswap SDK for the same v3 pools. One run, interleaved; answers
 * are compared to the wei before anything is timed. Then the scan beside 100 and beside 10,000 pools that
 * have nothing to do with it.
 */
import { strict as assert } from 'node:assert'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createCrypto,
  createPoolIndex,
  findRoutes,
  multicall3Abi,
  type Pool,
  quoteExactIn,
  type V3Pool,
  v2AmountOut,
  v2PairAbi,
  v3QuoterAbi,
  v4QuoterAbi,
} from '@pit/chain'
import { startDevnet } from '@pit/devnet'
import { openMarket } from '@pit/market'
import { systemClock } from '@pit/platform/clock'
import { openDb } from '@pit/platform/db'
import { createLogger } from '@pit/platform/monitoring'
import { createRpc } from '@pit/platform/rpc'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { randomPool, seeded } from '../packages/chain/test/randomPool.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'

const require = createRequire(import.meta.url)
const core: typeof import('@uniswap/sdk-core') = require('@uniswap/sdk-core')
const sdk: typeof import('@uniswap/v3-sdk') = require('@uniswap/v3-sdk')

const ROUNDS = Number(process.env['ROUNDS'] ?? 200)
const ETH: Address = `0x${'00'.repeat(20)}`

const median = (values: number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const timed = async (work: () => unknown) => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const dir = mkdtempSync(join(tmpdir(), 'pit-quote-'))
const devnet = await startDevnet({
  host: '127.0.0.1',
  port: 0,
  vendorPort: 0,
  blockMs: 100,
  market: 'off',
  marketSeed: 'quote',
  tradesPerS: 0,
  session: 'always',
})
const db = await openDb({ dataDir: dir, databaseUrl: null })
await migrateStore(db)
const rpc = createRpc({ url: devnet.url })
const crypto = await createCrypto()
const { profile } = devnet.world
const logger = createLogger({ level: 'warn' })
const market = await openMarket({ rpc, db, clock: systemClock, crypto, profile, logger })
await market.ready()

const addressOf = (symbol: string) =>
  profile.core_tokens.find((token) => token.symbol === symbol)!.address.toLowerCase() as Address
const [weth, usdg] = [addressOf('WETH'), addressOf('USDG')]
const amountIn = 4n * 10n ** 17n
const request = { tokenIn: ETH, tokenOut: usdg, amountIn }
const scan = (maxHops: number, index = market.index) => findRoutes({ index, crypto }, { ...request, maxHops })

const candidates = scan(1).routes.map(({ hops }) => hops[0]!.pool)
const v3s = candidates.filter((pool): pool is V3Pool => pool.version === 'v3')

const zeroForOne = (pool: Pool) => pool.token1 === usdg
function quoterCall(pool: Pool): { target: Address; callData: Hex } {
  if (pool.version === 'v2') {
    return { target: pool.id, callData: encodeFunctionData({ abi: v2PairAbi, functionName: 'getReserves' }) }
  }
  if (pool.version === 'v3') {
    const params = { tokenIn: weth, tokenOut: usdg, amountIn, fee: pool.feePips, sqrtPriceLimitX96: 0n }
    return {
      target: profile.contracts.v3_quoter as Address,
      callData: encodeFunctionData({
        abi: v3QuoterAbi,
        functionName: 'quoteExactInputSingle',
        args: [params],
      }),
    }
  }
  const params = {
    poolKey: pool.key,
    zeroForOne: zeroForOne(pool),
    exactAmount: amountIn,
    hookData: '0x' as Hex,
  }
  return {
    target: profile.contracts.v4_quoter as Address,
    callData: encodeFunctionData({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', args: [params] }),
  }
}

async function onChain(): Promise<bigint[]> {
  const calls = candidates.map((pool) => ({ ...quoterCall(pool), allowFailure: false }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  const answer = await rpc.request<Hex>('eth_call', [{ to: profile.contracts.multicall3, data }, 'latest'])
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data: answer })
  return results.map(({ returnData }, i) => {
    const pool = candidates[i]!
    if (pool.version === 'v3') {
      return decodeFunctionResult({
        abi: v3QuoterAbi,
        functionName: 'quoteExactInputSingle',
        data: returnData,
      })[0]
    }
    if (pool.version === 'v4') {
      return decodeFunctionResult({
        abi: v4QuoterAbi,
        functionName: 'quoteExactInputSingle',
        data: returnData,
      })[0]
    }
    const reserves = decodeFunctionResult({ abi: v2PairAbi, functionName: 'getReserves', data: returnData })
    const [reserveIn, reserveOut] = zeroForOne(pool) ? [reserves[0], reserves[1]] : [reserves[1], reserves[0]]
    return v2AmountOut(amountIn, reserveIn, reserveOut, pool.feeBps)
  })
}

const token = (address: Address, decimals: number) => new core.Token(4663, address, decimals)
const [sdkWeth, sdkUsdg] = [token(weth, 18), token(usdg, 6)]
const sdkPools = v3s.map((pool) => {
  const ticks = [...pool.ticks]
    .sort(([a], [b]) => a - b)
    .map(([index, { gross, net }]) => ({
      index,
      liquidityGross: gross.toString(),
      liquidityNet: net.toString(),
    }))
  const state = [pool.sqrtPriceX96.toString(), pool.liquidity.toString(), pool.tick] as const
  return new sdk.Pool(
    sdkWeth,
    sdkUsdg,
    pool.feePips,
    ...state,
    new sdk.TickListDataProvider(ticks, pool.tickSpacing),
  )
})
const sdkInput = core.CurrencyAmount.fromRawAmount(sdkWeth, amountIn.toString())
async function bySdk(): Promise<bigint[]> {
  const outputs: bigint[] = []
  for (const pool of sdkPools)
    outputs.push(BigInt((await pool.getOutputAmount(sdkInput))[0].quotient.toString()))
  return outputs
}
const v3InProcess = () => v3s.map((pool) => quoteExactIn(pool, zeroForOne(pool), amountIn)?.amountOut)

// Equal to the wei; otherwise no time is meaningful.
assert.deepEqual(
  scan(1).routes.map(({ amountOut }) => amountOut),
  await onChain(),
)
assert.deepEqual(v3InProcess(), await bySdk())
assert.ok(candidates.length >= 5)

const beside = (unrelated: number) => {
  const index = createPoolIndex({ weth, hubs: market.index.hubs })
  for (const pool of market.index.all()) index.add(pool)
  const random = seeded(7)
  for (let i = 0; i < unrelated; i++) {
    const id: Hex = `0x${(i + 1).toString(16).padStart(40, '0')}`
    const stranger: Address = `0x${(0xf00000 + i).toString(16).padStart(40, '0')}`
    index.add({ ...randomPool(random, id), token0: stranger, token1: i % 2 ? usdg : `0x${'ee'.repeat(20)}` })
  }
  return index
}
const [few, many] = [beside(100), beside(10_000)]

const times = { scan1: [], scan3: [], chain: [], v3: [], sdk: [], few: [], many: [] } as Record<
  string,
  number[]
>
/** Work that is too fast for the clock, as the mean of many. */
const each = (repeats: number, work: () => unknown) => async () => {
  for (let i = 0; i < repeats; i++) await work()
}
for (let round = 0; round < ROUNDS; round++) {
  times['scan1']!.push((await timed(each(20, () => scan(1)))) / 20)
  times['chain']!.push(await timed(onChain))
  times['v3']!.push((await timed(each(20, v3InProcess))) / 20)
  times['sdk']!.push(await timed(bySdk))
  times['few']!.push((await timed(each(5, () => scan(3, few)))) / 5)
  times['many']!.push((await timed(each(5, () => scan(3, many)))) / 5)
  times['scan3']!.push(await timed(() => scan(3)))
}
const ms = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]))
const figure = (what: string, ratio: number, goal: string, met: boolean) =>
  console.log(`${what}: ${ratio.toFixed(2)}x (goal ${goal}) ${met ? 'met' : 'MISSED'}`)

console.log(
  `${candidates.length} direct candidates (${v3s.length} v3), ${market.poolCount()} pools, ${ROUNDS} ` +
    'rounds, medians',
)
console.log(
  `direct scan ${(ms['scan1']! * 1000).toFixed(1)} us, with hops ${(ms['scan3']! * 1000).toFixed(1)} us ` +
    `(${scan(3).routes.length} routes)`,
)
const [chain, uniswap, growth] = [
  ms['chain']! / ms['scan1']!,
  ms['sdk']! / ms['v3']!,
  ms['many']! / ms['few']!,
]
figure('on-chain quoters by one multicall / in process', chain, 'at least 50x', chain >= 50)
figure('v3-sdk / in process', uniswap, 'at least 10x', uniswap >= 10)
figure('beside 10,000 unrelated pools / beside 100', growth, 'at most 1.2x', growth <= 1.2)

await market.close()
await db.close()
rpc.close()
await devnet.close()
rmSync(dir, { recursive: true, force: true })
