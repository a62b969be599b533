import {
  type CurvePool,
  launchpadOf,
  NATIVE,
  type PoolLog,
  poolBorn,
  quoteCurveBuy,
  quoteCurveSell,
  snipeTaxBps,
  TOPIC,
} from '@pit/chain'
import { lower } from '@pit/protocol'
import fc from 'fast-check'
import { type Address, erc20Abi, type Hex, maxUint256, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestWorld, type TestWorld } from '../../test/testWorld.ts'
import { launch as launchCurve } from './operate.ts'
import { PONS_PAIRS, PONS_SNIPE_S, type PonsPair } from './pons.ts'

const pons = launchpadOf('pons')
let it: TestWorld
beforeAll(async () => {
  it = await openTestWorld({ longTail: 0, curves: 0, graduated: 0, historyS: 200 })
})
afterAll(() => it?.chain.close())

const on = (curve: Address, functionName: string, args: unknown[] = []) => ({
  to: curve,
  abi: it.abi('PonsCurve'),
  functionName,
  args,
})
const call = (to: Address, data: Hex) => it.chain.request<Hex>('eth_call', [{ to, data }, 'latest'])
const nowS = () => Number(it.chain.head().timestampS)
const trader = () => it.accounts[3]!
const pairAt = (pair: PonsPair) => (pair === 'ETH' ? zeroAddress : it.core(pair))

async function logsOf(address: Address): Promise<PoolLog[]> {
  const filter = { fromBlock: '0x0', toBlock: 'latest', address }
  return it.chain.request<PoolLog[]>('eth_getLogs', [filter])
}

/** The curve as a server sees it: its terms read once, everything else from its logs. */
async function follow(curve: Address): Promise<CurvePool> {
  const launches = (await logsOf(it.world.pons.factory)).filter(
    (log) => log.topics[0] === pons.launchedTopic && pons.launchIn(log).curve === lower(curve),
  )
  const terms = await Promise.all(pons.birthCalls.map((data) => call(curve, data)))
  const pool = pons.born(launches[0]!, terms)!
  for (const log of await logsOf(curve)) pons.apply(pool, log)
  return pool
}

async function expectState(curve: Address): Promise<CurvePool> {
  const pool = await follow(curve)
  const graduated = await it.read<boolean>(on(curve, 'graduated'))
  expect(pool.graduated).toBe(graduated)
  if (graduated) return pool
  const [x, y] = await it.read<[bigint, bigint]>(on(curve, 'getReserves'))
  expect([pool.x, pool.y]).toEqual([x, y])
  expect(pool.y - pool.yFloor).toBe(await it.read<bigint>(on(curve, 'sellableTokens')))
  return pool
}

async function launch(pair: PonsPair, creatorTaxBps: number, exempt: Address[] = []) {
  const made = await launchCurve(it.chain, it.world, {
    launchpad: 'pons',
    pair,
    symbol: 'FRESH',
    creatorTaxBps,
    exempt,
  })
  for (const token of [made.token, pairAt(pair)]) {
    if (token === zeroAddress) continue
    const approve = { abi: erc20Abi as never, functionName: 'approve', args: [made.curve, maxUint256] }
    await it.must({ to: token, ...approve, from: trader() })
  }
  return { ...made, pair }
}

type Fresh = Awaited<ReturnType<typeof launch>>
const buy = ({ curve, pair }: Fresh, amount: bigint, recipient = trader(), least = 0n) => ({
  ...on(curve, 'buy', [amount, least, recipient]),
  from: trader(),
  value: pair === 'ETH' ? amount : 0n,
})
const sell = ({ curve }: Fresh, amount: bigint, least = 0n) => ({
  ...on(curve, 'sell', [amount, least, trader()]),
  from: trader(),
})
const pastSnipe = (fresh: Fresh) =>
  it.chain.mine(it.chain.head().timestampS + BigInt(PONS_SNIPE_S)).then(() => fresh)

test('the world’s launches match the chain and the factory', async () => {
  const { factory, tokens } = it.world.pons
  expect(tokens.filter(({ graduated }) => graduated).length).toBe(2)
  for (const token of tokens) {
    const pool = await expectState(token.curve)
    expect(pool).toMatchObject({
      token: lower(token.address),
      pair: lower(pairAt(token.pair)),
      creatorTaxBps: token.creatorTaxBps,
      graduated: token.graduated,
    })
    expect(pons.curveIn(await call(factory, pons.askCurve(lower(token.address))))).toBe(lower(token.curve))
    const ends = await Promise.all(pons.endsCalls.map((data) => call(token.curve, data)))
    expect(pons.endsIn(ends)).toEqual({ token: pool.token, pair: pool.pair })
  }
  expect(pons.curveIn(await call(factory, pons.askCurve(lower(it.core('USDG')))))).toBeNull()
})

describe('a curve is quoted to the atom', () => {
  test.each([
    ['ETH', 0],
    ['ETH', 1_000],
    ['USDG', 250],
    ['NVDA', 100],
  ] as const)('against %s with %i bps for its creator', async (pair, taxBps) => {
    const fresh = await pastSnipe(await launch(pair, taxBps))
    const { threshold } = PONS_PAIRS[pair]
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(1n, threshold / 8n),
        fc.boolean(),
        fc.bigInt(1n, 99n),
        async (size, sells, part) => {
          const pool = await expectState(fresh.curve)
          if (!sells) {
            const quote = quoteCurveBuy(pool, size, nowS())!
            if (quote.tokensOut === 0n || quote.graduates) return
            expect(await it.read<bigint>(buy(fresh, size))).toBe(quote.tokensOut)
            expect(await it.revertOf(buy(fresh, size, trader(), quote.tokensOut + 1n))).toBe('0x71c4efed')
            await it.must(buy(fresh, size, trader(), quote.tokensOut))
            return
          }
          const args = [trader()]
          const held = await it.read<bigint>({
            to: fresh.token,
            abi: erc20Abi as never,
            functionName: 'balanceOf',
            args,
          })
          const amount = (held * part) / 100n
          const quote = quoteCurveSell(pool, amount)
          if (!quote || quote.pairOut === 0n) return
          expect(await it.read<bigint>(sell(fresh, amount))).toBe(quote.pairOut)
          expect(await it.revertOf(sell(fresh, amount, quote.pairOut + 1n))).toBe('0x71c4efed')
          await it.must(sell(fresh, amount, quote.pairOut))
        },
      ),
      { numRuns: 12 },
    )
    await expectState(fresh.curve)
  })

  test('by its own reserves, as a client asks it', async () => {
    const fresh = await pastSnipe(await launch('USDG', 300))
    await it.must(buy(fresh, 900_000_000n))
    const answers = async () => Promise.all(pons.quoteCalls('buy', 1n).map((data) => call(fresh.curve, data)))
    const pool = await follow(fresh.curve)
    const size = 77_000_001n
    expect(pons.quoteIn(await answers(), 'buy', size)).toBe(quoteCurveBuy(pool, size, nowS())!.tokensOut)
    expect(pons.quoteIn(await answers(), 'sell', size)).toBe(quoteCurveSell(pool, size)!.pairOut)
  })
})

test('the snipe tax is predicted to the second, and exempts by recipient only', async () => {
  const friend = it.accounts[5]!
  const fresh = await launch('ETH', 100, [friend])
  const size = 10n ** 16n
  for (let second = 0; second <= PONS_SNIPE_S; second++) {
    const pool = await follow(fresh.curve)
    const bps = snipeTaxBps(pool, nowS())
    expect(BigInt(bps)).toBe(await it.read<bigint>(on(fresh.curve, 'currentSnipeTaxBps', [trader()])))
    expect(await it.read<bigint>(on(fresh.curve, 'currentSnipeTaxBps', [friend]))).toBe(0n)
    expect(await it.read<bigint>(buy(fresh, size))).toBe(quoteCurveBuy(pool, size, nowS())!.tokensOut)
    const untaxed = quoteCurveBuy({ ...pool, snipeStartBps: 0 }, size, nowS())!
    expect(await it.read<bigint>(buy(fresh, size, friend))).toBe(untaxed.tokensOut)
    expect(bps > 0).toBe(second < PONS_SNIPE_S)
    // The reserves after a taxed buy follow from its log too.
    await it.must(buy(fresh, size))
    await expectState(fresh.curve)
    await it.chain.mine(it.chain.head().timestampS + 1n)
  }
})

test('a buyback changes the reserves without a trade, and is followed', async () => {
  const fresh = await pastSnipe(await launch('ETH', 500))
  await it.must(buy(fresh, 10n ** 18n))
  const before = await follow(fresh.curve)
  await it.must({ ...on(fresh.curve, 'sweepFees', [1n]), from: it.accounts[9]! })
  const after = await expectState(fresh.curve)
  expect(after.x > before.x && after.y < before.y).toBe(true)
})

describe('graduation', () => {
  test('fills the last buy partly, refunds the rest, and opens a v4 pool with the hook', async () => {
    const fresh = await pastSnipe(await launch('ETH', 200))
    const pool = await follow(fresh.curve)
    const size = 2n * PONS_PAIRS.ETH.threshold
    const quote = quoteCurveBuy(pool, size, nowS())!
    expect(quote).toMatchObject({ graduates: true, tokensOut: pool.saleSupply })
    // The minimum bounds the price: it asks for more tokens than are for sale, and is still filled.
    const least = (quote.tokensOut * size) / quote.spent
    expect(least).toBeGreaterThan(quote.tokensOut)
    const { logs } = await it.must(buy(fresh, size, trader(), least))
    const moved = logs.map((log) => pons.moveIn(log)).find((move) => move !== undefined)
    expect(moved).toEqual({ side: 'buy', pairAmount: quote.spent, tokenAmount: quote.tokensOut })
    expect((await expectState(fresh.curve)).graduated).toBe(true)
    const born = logs.find(({ topics }) => topics[0] === TOPIC.v4Initialize)
    expect(born && poolBorn(born)).toMatchObject({
      version: 'v4',
      token0: NATIVE,
      token1: lower(fresh.token),
      key: { fee: 0, tickSpacing: 200, hooks: lower(it.world.hooks.pons) },
    })
    for (const one of [buy(fresh, 1n), sell(fresh, 1n)]) expect(await it.revertOf(one)).toBe('0x025ac17e')
  })
})
