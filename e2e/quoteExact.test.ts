import {
  type Address,
  applyLog,
  type CurvePool,
  createCrypto,
  createPoolIndex,
  curveAbi,
  DYNAMIC_FEE,
  decodeExecute,
  erc20Abi,
  findRoutes,
  type Hex,
  hookEffectOf,
  NATIVE,
  type PathKey,
  type Pool,
  type PoolIndex,
  type PoolLog,
  poolBorn,
  poolIdOf,
  poolIdOfLog,
  quoteCurveBuy,
  quoteCurveSell,
  quoteExactIn,
  quoteExactOut,
  type RouterCommand,
  splitRoute,
  v2PairAbi,
  v3PoolAbi,
  v3QuoterAbi,
  v4QuoterAbi,
  v4StateViewAbi,
  wordToBigInt,
} from '@pit/chain'
import { encodeExecute } from '@pit/plans'
import { type Abi, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { randomAmount, seeded } from '../packages/chain/test/randomPool.ts'
import { openTestWorld, type TestWorld } from '../packages/devnet/test/testWorld.ts'
import { commandsFor } from './market/routerCommands.ts'

/** State followed by logs and our own math, compared with the contracts: every pool, to the wei. */

const crypto = await createCrypto()
const random = seeded(4663)
// More for a long run: QUOTES=6000 npx vitest run --project e2e e2e/quoteExact.test.ts
const QUOTES = Number(process.env.QUOTES ?? 1000)
const lower = (address: string | null): Address => (address ?? zeroAddress).toLowerCase() as Address

let it: TestWorld
let index: PoolIndex
const curves = new Map<Hex, CurvePool>()
let followedTo = -1
let weth: Address

beforeAll(async () => {
  it = await openTestWorld()
  const { contracts } = it.world.profile
  weth = lower(contracts.weth)
  index = createPoolIndex({ weth, hubs: [NATIVE, lower(it.core('USDG')), lower(it.core('PARTNER'))] })
  await follow()
}, 120_000)
afterAll(() => it?.chain.close())

/** Applies every new log, as a server does block by block. */
async function follow(): Promise<void> {
  const { contracts } = it.world.profile
  const births = new Set(
    [
      contracts.v2_factory,
      contracts.v3_factory,
      contracts.v4_pool_manager,
      ...it.world.profile.launchpads.map(({ factory }) => factory),
    ].map(lower),
  )
  const fromBlock: Hex = `0x${(followedTo + 1).toString(16)}`
  const head = it.chain.head().number
  const logs = await it.chain.request<PoolLog[]>('eth_getLogs', [
    { fromBlock, toBlock: `0x${head.toString(16)}` },
  ])
  for (const log of logs) {
    const born = births.has(log.address) ? poolBorn(log) : undefined
    if (born?.version === 'curve') curves.set(born.id, born)
    else if (born) index.add(born)
    else {
      const id = log.topics.length > 0 ? poolIdOfLog(log) : log.address
      const pool = index.get(id) ?? curves.get(id)
      if (pool) applyLog(pool, log)
    }
  }
  followedTo = Number(head)
  // The only value without a log.
  for (const pool of index.all()) {
    if (pool.version === 'v4' && pool.key.fee === DYNAMIC_FEE) pool.lpFeePips = (await slot0(pool.id))[3]
  }
}

const read = <T>(
  to: Address,
  abi: readonly unknown[],
  functionName: string,
  args: unknown[] = [],
): Promise<T> => it.read<T>({ to, abi: abi as Abi, functionName, args })
const stateView = <T>(functionName: string, args: unknown[]): Promise<T> =>
  read<T>(lower(it.world.profile.contracts.v4_state_view), v4StateViewAbi, functionName, args)
const slot0 = (id: Hex) => stateView<[bigint, number, number, number]>('getSlot0', [id])

async function expectSameState(pool: Pool): Promise<number> {
  const name = `${pool.version} ${pool.id}`
  if (pool.version === 'v2') {
    const reserves = await read<[bigint, bigint]>(pool.id, v2PairAbi, 'getReserves')
    expect([pool.reserve0, pool.reserve1], name).toEqual(reserves.slice(0, 2))
    return 1
  }
  const v3 = <T>(functionName: string, args: unknown[] = []) =>
    read<T>(pool.id as Address, v3PoolAbi, functionName, args)
  const [price, tick] = pool.version === 'v3' ? await v3<[bigint, number]>('slot0') : await slot0(pool.id)
  const liquidity =
    pool.version === 'v3' ? await v3<bigint>('liquidity') : await stateView<bigint>('getLiquidity', [pool.id])
  expect([pool.sqrtPriceX96, pool.tick, pool.liquidity], name).toEqual([price, tick, liquidity])
  if (pool.version === 'v4') {
    const [, , protocolFee, lpFee] = await slot0(pool.id)
    expect([pool.protocolFee, pool.lpFeePips], name).toEqual([protocolFee, lpFee])
  }
  const word = (at: number): Promise<bigint> =>
    pool.version === 'v3' ? v3<bigint>('tickBitmap', [at]) : stateView<bigint>('getTickBitmap', [pool.id, at])
  const around = [...pool.bitmap.keys()].flatMap((at) => [at - 1, at, at + 1])
  const words = new Set([...around, Math.floor(pool.tick / pool.tickSpacing) >> 8])
  for (const at of words) expect(wordToBigInt(pool.bitmap.get(at)), `${name} word ${at}`).toBe(await word(at))
  for (const [at, { gross, net }] of pool.ticks) {
    const there =
      pool.version === 'v3'
        ? await v3<[bigint, bigint]>('ticks', [at])
        : await stateView<[bigint, bigint]>('getTickLiquidity', [pool.id, at])
    expect([gross, net], `${name} tick ${at}`).toEqual(there.slice(0, 2))
  }
  return words.size + pool.ticks.size
}

/** Answers of the chain's quoters; undefined when they revert. */
async function askQuoter(
  pool: Pool,
  zeroForOne: boolean,
  amount: bigint,
  kind: 'In' | 'Out',
): Promise<bigint | undefined> {
  const { v3_quoter, v4_quoter } = it.world.profile.contracts
  const functionName = `quoteExact${kind}putSingle`
  try {
    if (pool.version === 'v3') {
      const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
      const amounts = kind === 'In' ? { amountIn: amount } : { amount }
      const params = { tokenIn, tokenOut, ...amounts, fee: pool.feePips, sqrtPriceLimitX96: 0n }
      return (await read<[bigint]>(lower(v3_quoter), v3QuoterAbi, functionName, [params]))[0]
    }
    if (pool.version !== 'v4') return undefined
    const params = { poolKey: pool.key, zeroForOne, exactAmount: amount, hookData: '0x' }
    return (await read<[bigint]>(lower(v4_quoter), v4QuoterAbi, functionName, [params]))[0]
  } catch {
    return undefined
  }
}

test('every slot of every pool matches the chain', async () => {
  let slots = 0
  for (const pool of index.all()) slots += await expectSameState(pool)
  const versions = [...index.all()].map((pool) => pool.version)
  for (const version of ['v2', 'v3', 'v4'] as const)
    expect(versions.filter((v) => v === version).length).toBeGreaterThan(10)
  expect(slots).toBeGreaterThan(300)
})

test('random quotes match the quoters, both ways, for input and output', async () => {
  const pools = [...index.all()].filter((pool) => pool.version !== 'v2' && pool.sqrtPriceX96 > 0n)
  let compared = 0
  let ranOut = 0
  for (let i = 0; i < QUOTES; i++) {
    const pool = pools[i % pools.length]!
    if (pool.version === 'v4' && hookEffectOf(pool.key) !== 'none') continue
    const zeroForOne = random.below(2) === 0
    const amount = randomAmount(random)
    const name = `${pool.version} ${pool.id} ${zeroForOne} ${amount}`
    const kind = random.below(3) === 0 ? 'Out' : 'In'
    const ours =
      kind === 'In' ? quoteExactIn(pool, zeroForOne, amount) : quoteExactOut(pool, zeroForOne, amount)
    // A thousand steps use half a block's gas; near a full block the quoter itself runs out.
    if (ours && ours.steps > 1000) continue
    // A swap without an end walks the contract through every word to the last tick: a few of those are
    // enough.
    if (!ours?.filled && i % 10 !== 0) continue
    const theirs = await askQuoter(pool, zeroForOne, amount, kind)
    if (!ours?.filled) {
      // v4's quoter refuses unfilled amounts; v3's answers the available output for an input.
      if (theirs !== undefined && kind === 'In') expect(ours?.amountOut, name).toBe(theirs)
      else expect(theirs, name).toBeUndefined()
      ranOut++
      continue
    }
    if (theirs === undefined) throw new Error(`${name}: the quoter reverts, we say ${ours.amountOut}`)
    expect(kind === 'In' ? ours.amountOut : ours.amountIn, name).toBe(theirs)
    compared++
  }
  expect(compared).toBeGreaterThan(QUOTES / 3)
  expect(ranOut).toBeGreaterThan(QUOTES / 200)
})

test('curves are quoted as they quote themselves', async () => {
  const atS = Number(it.chain.head().timestampS)
  let open = 0
  for (const curve of curves.values()) {
    const state = await read<[bigint, bigint, bigint, bigint, boolean]>(curve.id, curveAbi, 'state')
    expect([curve.x, curve.y, curve.y - curve.yFloor, curve.graduated]).toEqual([
      state[0],
      state[1],
      state[2],
      state[4],
    ])
    if (curve.graduated) {
      expect(quoteCurveBuy(curve, 5n, atS)).toBeUndefined()
      continue
    }
    open++
    for (let i = 0; i < 3; i++) {
      const amount = 1n + random.bits(1 + random.below(80))
      expect(quoteCurveBuy(curve, amount, atS)).toEqual(await read(curve.id, curveAbi, 'quoteBuy', [amount]))
      expect(quoteCurveSell(curve, amount)).toEqual(await read(curve.id, curveAbi, 'quoteSell', [amount]))
    }
  }
  expect(open).toBeGreaterThan(20)
})

test('a snipe tax is predicted second by second', async () => {
  const at = it.world.launchpad.launchpad
  const wish = {
    name: 'Fresh',
    symbol: 'FRSH',
    pair: zeroAddress,
    creator: it.accounts[2],
    virtualPair: 10n ** 18n,
    creatorTaxBps: 100,
    snipeStartBps: 7777,
    snipeSeconds: 13,
    poolVersion: 3,
  }
  await it.must({ to: at, abi: it.abi('Launchpad'), functionName: 'launch', args: [wish] })
  await follow()
  const curve = [...curves.values()].at(-1)!
  for (let second = 0; second < 15; second++) {
    const atS = Number(it.chain.head().timestampS)
    expect(quoteCurveBuy(curve, 10n ** 15n, atS)).toEqual(
      await read(curve.id, curveAbi, 'quoteBuy', [10n ** 15n]),
    )
    await it.chain.mine(it.chain.head().timestampS + 1n)
  }
})

/** Sends a router call and returns the amount of a token that the wallet received. */
async function deliver(commands: RouterCommand[], token: Address, value: bigint): Promise<bigint> {
  const [router, wallet] = [lower(it.world.profile.contracts.universal_router), it.accounts[1]!]
  const data = encodeExecute({ commands, deadlineS: 1n << 40n })
  expect(decodeExecute(data)).toEqual({ ok: true, call: { commands, deadlineS: 1n << 40n } })
  const balance = () => read<bigint>(token, erc20Abi, 'balanceOf', [wallet])
  const before = await balance()
  const hash = await it.chain.sendOwned({ from: wallet, to: router, data, value, gas: 8_000_000n })
  await it.chain.mine(it.chain.head().timestampS)
  const receipt = await it.chain.request<{ status: Hex }>('eth_getTransactionReceipt', [hash])
  if (receipt.status !== '0x1')
    throw new Error(`reverted: ${JSON.stringify(commands, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`)
  return (await balance()) - before
}

test('the router delivers what routes promise, and the state still matches', async () => {
  const { core_tokens } = it.world.profile
  const goals = core_tokens
    .map((token) => lower(token.address))
    .filter((token) => token !== NATIVE && token !== weth)
  const seen = new Set<string>()
  for (const tokenOut of goals) {
    for (const amountIn of [10n ** 12n, 3n * 10n ** 18n]) {
      const input = { tokenIn: NATIVE, tokenOut, amountIn }
      const { routes } = findRoutes({ index, crypto }, input)
      expect(routes.length).toBeGreaterThan(0)
      const shapes = new Map(routes.map((route) => [route.hops.map((hop) => hop.pool.version).join(), route]))
      for (const shape of shapes.keys()) seen.add(shape)
      const chosen = [routes[0]!, ...[...shapes.values()].slice(0, 3)]
      for (const route of chosen) {
        // Each trade moves the pools, so each is quoted on the state after the one before.
        const now = findRoutes({ index, crypto }, input).routes.find(({ id }) => id === route.id)
        if (!now) continue
        expect(await deliver(commandsFor(now, amountIn, tokenOut), tokenOut, amountIn)).toBe(now.amountOut)
        await follow()
      }
    }
  }
  expect(seen.size).toBeGreaterThan(5)
  for (const pool of index.all()) await expectSameState(pool)
})

test('a split delivers the sum of its legs', async () => {
  const tokenOut = lower(it.core('USDG'))
  const input = { tokenIn: NATIVE, tokenOut, amountIn: 400n * 10n ** 18n }
  const { routes } = findRoutes({ index, crypto }, input)
  const split = splitRoute(routes, input)!
  expect(split.amountOut).toBeGreaterThan(routes[0]!.amountOut)
  let delivered = 0n
  for (const leg of split.legs)
    delivered += await deliver(commandsFor(leg, leg.amountIn, tokenOut), tokenOut, leg.amountIn)
  expect(delivered).toBe(split.amountOut)
  await follow()
})

test('the router parses several v4 hops in one action as we encode them', async () => {
  const usdg = lower(it.core('USDG'))
  const plain = (pool: Pool) => pool.version === 'v4' && hookEffectOf(pool.key) === 'none'
  const first = index.between(NATIVE, usdg).find((pool) => plain(pool) && pool.token0 === NATIVE)
  const second = [...index.all()].find(
    (pool) => plain(pool) && pool.token0 !== NATIVE && [pool.token0, pool.token1].includes(usdg),
  )
  if (first?.version !== 'v4' || second?.version !== 'v4')
    throw new Error('the world has no two v4 pools in a row')
  const tokenOut = second.token0 === usdg ? second.token1 : second.token0
  const amountIn = 10n ** 16n
  const middle = quoteExactIn(first, true, amountIn)!.amountOut
  const amountOut = quoteExactIn(second, second.token0 === usdg, middle)!.amountOut
  const hop = (pool: typeof first, intermediateCurrency: Address): PathKey => ({
    intermediateCurrency,
    fee: pool.key.fee,
    tickSpacing: pool.key.tickSpacing,
    hooks: pool.key.hooks,
    hookData: '0x',
  })
  const run = (amountOutMin: bigint): Promise<bigint> =>
    deliver(
      [
        {
          command: 'V4_SWAP',
          actions: [
            {
              action: 'SWAP_EXACT_IN',
              currencyIn: NATIVE,
              path: [hop(first, usdg), hop(second, tokenOut)],
              amountIn,
              amountOutMin,
            },
            { action: 'SETTLE_ALL', currency: NATIVE, amountMax: amountIn },
            { action: 'TAKE_ALL', currency: tokenOut, amountMin: 0n },
          ],
        },
      ],
      tokenOut,
      amountIn,
    )
  // A minimum exact to the wei shows that the router found each field in its place.
  await expect(run(amountOut + 1n)).rejects.toThrow('reverted')
  expect(await run(amountOut)).toBe(amountOut)
  expect(poolIdOf(crypto, first.key)).toBe(first.id)
})
