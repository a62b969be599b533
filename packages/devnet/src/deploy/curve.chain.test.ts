import fc from 'fast-check'
import { type Address, type Hex, maxUint256, parseAbi, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestWorld, type TestWorld } from '../../test/testWorld.ts'
import { SNIPE } from './curves.ts'
import { cloneAddress } from './longTail.ts'
import { operate } from './operate.ts'

let it: TestWorld
beforeAll(async () => {
  it = await openTestWorld({ longTail: 0, curves: 0, graduated: 0, historyS: 200 })
})
afterAll(() => it?.chain.close())

const erc20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256) returns (bool)',
])

interface BuyQuote {
  tokensOut: bigint
  spent: bigint
  curveFee: bigint
  creatorTax: bigint
  snipeTax: bigint
  graduates: boolean
}
interface Terms {
  virtualPair: bigint
  virtualToken: bigint
  saleSupply: bigint
  poolSupply: bigint
}
interface Fresh {
  curve: Address
  token: Address
  pair: Address
}

const balanceOf = (token: Address, who: Address): Promise<bigint> =>
  token === zeroAddress
    ? it.chain.request<Hex>('eth_getBalance', [who, 'latest']).then(BigInt)
    : it.read<bigint>({ to: token, abi: erc20, functionName: 'balanceOf', args: [who] })

const curveCall = (curve: Address, functionName: string, args: unknown[] = []) => ({
  to: curve,
  abi: it.abi('Curve'),
  functionName,
  args,
})
const stateOf = async (curve: Address) => {
  const [x, y, left] = await it.read<[bigint, bigint, bigint]>(curveCall(curve, 'state'))
  return { x, y, left }
}
const quoteBuy = (curve: Address, amount: bigint) => it.read<BuyQuote>(curveCall(curve, 'quoteBuy', [amount]))
const buy = (curve: Address, pair: Address, amount: bigint, from: Address) => ({
  ...curveCall(curve, 'buy', [amount, 0n, from, maxUint256]),
  from,
  value: pair === zeroAddress ? amount : 0n,
})
const sell = (curve: Address, amount: bigint, from: Address) => ({
  ...curveCall(curve, 'sell', [amount, 0n, from, maxUint256]),
  from,
})

/** A new curve with its traders' allowances set, past its snipe tax unless requested. */
async function launch(wish: {
  pair: 'ETH' | 'USDG'
  virtualPair: bigint
  creatorTaxBps: number
  poolVersion: 2 | 3
  sniping?: boolean
}): Promise<Fresh> {
  const pair = wish.pair === 'ETH' ? zeroAddress : it.core('USDG')
  const launchpad = { contract: 'Launchpad', target: it.world.launchpad.launchpad }
  const { sniping, ...terms } = wish
  const args = [{ ...terms, ...SNIPE, pair, name: 'Curve', symbol: 'CRV', creator: it.accounts[9]! }]
  await operate(it.chain, it.world, [{ ...launchpad, functionName: 'launch', args }])
  const read = { to: launchpad.target, abi: it.abi('Launchpad') }
  const count = await it.read<bigint>({ ...read, functionName: 'curveCount' })
  const curve = await it.read<Address>({ ...read, functionName: 'curveAt', args: [count - 1n] })
  const { token } = await it.read<{ token: Address }>(curveCall(curve, 'terms'))
  if (!sniping) await it.chain.mine(it.chain.head().timestampS + BigInt(SNIPE.snipeSeconds))
  for (const from of it.accounts.slice(1, 3)) {
    const args = [curve, maxUint256]
    await it.must({ from, to: token, abi: erc20, functionName: 'approve', args })
    if (pair !== zeroAddress) await it.must({ from, to: pair, abi: erc20, functionName: 'approve', args })
  }
  return { curve, token, pair }
}

let untaxed = 0n
/** A curve of the same code, opened by hand, on which only rounding keeps a trader from a gain. */
async function untaxedCurve(virtualPair: bigint): Promise<Fresh> {
  untaxed += 1n
  const from = it.accounts[1]!
  const hash = await it.chain.sendOwned({ from, data: it.artifacts['Curve']!.bytecode, gas: 5_000_000n })
  await it.chain.mine(it.chain.head().timestampS)
  const made = await it.chain.request<{ contractAddress: Address }>('eth_getTransactionReceipt', [hash])
  const curve = made.contractAddress
  const builder = { contract: 'WorldBuilder', target: it.world.builder }
  const tokenCode = await it.read<Address>({
    to: it.world.builder,
    abi: it.abi('WorldBuilder'),
    functionName: 'tokenCode',
  })
  const salt = 900_000n + untaxed
  const token = cloneAddress(it.world.builder, tokenCode, salt)
  const supply = 10n ** 27n
  await operate(it.chain, it.world, [
    { ...builder, functionName: 'births', args: [[{ name: 'Untaxed', symbol: 'FREE', supply, salt }]] },
    { contract: 'CloneToken', target: token, functionName: 'transfer', args: [curve, supply] },
  ])
  const terms = {
    token,
    pair: zeroAddress,
    creator: from,
    virtualPair,
    virtualToken: 1_066_666_666_666666666666666667n,
    saleSupply: (supply * 8n) / 10n,
    poolSupply: (supply * 2n) / 10n,
    curveFeeBps: 0,
    creatorTaxBps: 0,
    snipeStartBps: 0,
    snipeSeconds: 0,
    launchedAt: Number(it.chain.head().timestampS),
    poolVersion: 2,
  }
  await it.must(curveCall(curve, 'open', [terms, it.world.launchpad.graduator, from]))
  const approve = { from, to: token, abi: erc20, functionName: 'approve', args: [curve, maxUint256] }
  await it.must(approve)
  return { curve, token, pair: zeroAddress }
}

const wishes = fc.record({
  pair: fc.constantFrom('ETH' as const, 'USDG' as const),
  creatorTaxBps: fc.constantFrom(0, 1, 100, 333, 500),
  poolVersion: fc.constantFrom(2 as const, 3 as const),
  scale: fc.integer({ min: 1, max: 400 }),
})
const virtualPairOf = (wish: { pair: 'ETH' | 'USDG'; scale: number }) =>
  BigInt(wish.scale) * (wish.pair === 'ETH' ? 10n ** 16n : 25n * 10n ** 6n)
const toLaunch = ({
  scale,
  ...wish
}: {
  pair: 'ETH' | 'USDG'
  creatorTaxBps: number
  poolVersion: 2 | 3
  scale: number
}) => ({
  ...wish,
  virtualPair: virtualPairOf({ pair: wish.pair, scale }),
})

/** A buy of this many millionths of the virtual reserve, or a sale of this many millionths of a holding. */
const trades = fc.array(
  fc.record({
    isBuy: fc.boolean(),
    trader: fc.constantFrom(1, 2),
    ppm: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 1_000, max: 300_000 })),
  }),
  { minLength: 3, maxLength: 9 },
)

/** Invariants after every trade: the money is there, to the wei, and the product never fell. */
async function checkBooks({ curve, token, pair }: Fresh, terms: Terms, before: { x: bigint; y: bigint }) {
  const { x, y, left } = await stateOf(curve)
  const owed =
    (await it.read<bigint>(curveCall(curve, 'creatorOwed'))) +
    (await it.read<bigint>(curveCall(curve, 'treasuryOwed')))
  expect(await balanceOf(pair, curve)).toBe(x - terms.virtualPair + owed)
  expect(await balanceOf(token, curve)).toBe(left + terms.poolSupply)
  expect(x).toBeGreaterThanOrEqual(terms.virtualPair)
  expect(y).toBeLessThanOrEqual(terms.virtualToken)
  expect(x * y).toBeGreaterThanOrEqual(before.x * before.y)
  return { x, y }
}

describe('laws of the curve', () => {
  test('any trade matches its quote, books balance, the product never falls', async () => {
    await fc.assert(
      fc.asyncProperty(wishes, trades, async (wish, plan) => {
        const fresh = await launch(toLaunch(wish))
        const { curve, token, pair } = fresh
        const terms = await it.read<Terms>(curveCall(curve, 'terms'))
        let books: { x: bigint; y: bigint } = await stateOf(curve)
        for (const { isBuy, trader, ppm } of plan) {
          const from = it.accounts[trader]!
          const tokens = await balanceOf(token, from)
          if (isBuy) {
            const amount = (terms.virtualPair * BigInt(ppm)) / 1_000_000n + 1n
            const quote = await quoteBuy(curve, amount)
            expect(quote.spent).toBe(amount)
            await it.must(buy(curve, pair, amount, from))
            expect((await balanceOf(token, from)) - tokens).toBe(quote.tokensOut)
          } else {
            const amount = (tokens * BigInt(ppm)) / 1_000_000n
            if (amount === 0n) continue
            const quote = await it.read<{ pairOut: bigint }>(curveCall(curve, 'quoteSell', [amount]))
            const call = sell(curve, amount, from)
            expect(await it.read<bigint>(call)).toBe(quote.pairOut)
            const held = await balanceOf(pair, curve)
            await it.must(call)
            expect(held - (await balanceOf(pair, curve))).toBe(quote.pairOut)
          }
          books = await checkBooks(fresh, terms, books)
        }
      }),
      { numRuns: 30, seed: 4663 },
    )
  })

  test('no round trip makes money, even without taxes', async () => {
    const parts = fc.array(fc.bigInt(1n, 1_000n), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.bigInt(10n ** 6n, 10n ** 9n), parts, parts, async (virtualPair, buys, sales) => {
        const { curve, token, pair } = await untaxedCurve(virtualPair)
        const from = it.accounts[1]!
        // Another trader holds a position, so that the trip starts from any state.
        await it.must(buy(curve, pair, virtualPair / 3n + buys[0]!, it.accounts[2]!))
        let paid = 0n
        for (const part of buys) {
          const amount = (virtualPair * part) / 4_000n + part
          await it.must(buy(curve, pair, amount, from))
          paid += amount
        }
        const tokens = await balanceOf(token, from)
        const whole = sales.reduce((sum, part) => sum + part, 0n)
        let got = 0n
        for (const [index, part] of sales.entries()) {
          const left = await balanceOf(token, from)
          const call = sell(curve, index === sales.length - 1 ? left : (tokens * part) / whole, from)
          got += await it.read<bigint>(call)
          await it.must(call)
        }
        expect(await balanceOf(token, from)).toBe(0n)
        expect(got).toBeLessThanOrEqual(paid)
      }),
      { numRuns: 25, seed: 4663 },
    )
  })

  test('graduation is exact: the last token, the least money, the rest refunded, the pool at the last price', async () => {
    await fc.assert(
      fc.asyncProperty(
        wishes,
        fc.integer({ min: 0, max: 290 }),
        fc.bigInt(0n, 10n ** 20n),
        async (wish, already, excess) => {
          const { curve, token, pair } = await launch(toLaunch(wish))
          const terms = await it.read<Terms>(curveCall(curve, 'terms'))
          const from = it.accounts[1]!
          if (already > 0)
            await it.must(buy(curve, pair, (terms.virtualPair * BigInt(already)) / 100n, it.accounts[2]!))
          const { left } = await stateOf(curve)
          const whole = await quoteBuy(curve, terms.virtualPair * 10n)
          expect(whole).toMatchObject({ graduates: true, tokensOut: left })
          // A wei less does not graduate, exactly enough does.
          expect((await quoteBuy(curve, whole.spent - 1n)).graduates).toBe(false)
          expect(await quoteBuy(curve, whole.spent)).toEqual(whole)

          const amount = whole.spent + (pair === zeroAddress ? excess : excess % 10n ** 9n)
          const [tokens, money] = [await balanceOf(token, from), await balanceOf(pair, curve)]
          const call = buy(curve, pair, amount, from)
          expect(await it.read<bigint[]>(call)).toEqual([left, whole.spent])
          const usdgBefore = await balanceOf(it.core('USDG'), from)
          await it.must(call)
          expect((await balanceOf(token, from)) - tokens).toBe(left)
          if (pair !== zeroAddress) expect(usdgBefore - (await balanceOf(pair, from))).toBe(whole.spent)

          const { x, y } = await stateOf(curve)
          expect(y).toBe(terms.virtualToken - terms.saleSupply)
          const raised = x - terms.virtualPair
          const owed = money + whole.spent - raised
          expect(await balanceOf(pair, curve)).toBe(owed)
          expect(await balanceOf(token, curve)).toBe(0n)
          await checkPool(await it.read<Address>(curveCall(curve, 'pool')), token, pair, raised, terms)
          expect(await it.revertOf(buy(curve, pair, 1_000n, from))).toBeDefined()
          expect(await it.revertOf(sell(curve, 1_000n, from))).toBeDefined()
          await it.must(curveCall(curve, 'claim'))
          expect(await balanceOf(pair, curve)).toBe(0n)
        },
      ),
      { numRuns: 20, seed: 4663 },
    )
  })
})

/** The pool holds everything (v3: all but rounding), at the curve's last price. */
async function checkPool(pool: Address, token: Address, pair: Address, raised: bigint, terms: Terms) {
  const wrapped = pair === zeroAddress ? it.core('WETH') : pair
  const [money, tokens] = [await balanceOf(wrapped, pool), await balanceOf(token, pool)]
  expect(Number(raised - money) / Number(raised)).toBeLessThan(2e-6)
  expect(Number(terms.poolSupply - tokens) / Number(terms.poolSupply)).toBeLessThan(2e-6)
  expect(money).toBeLessThanOrEqual(raised)
  const last = Number(raised + terms.virtualPair) / Number(terms.virtualToken - terms.saleSupply)
  expect(Number(money) / Number(tokens) / last).toBeCloseTo(1, 5)
}

test('the snipe tax falls by the second and ends on time', async () => {
  const { curve, pair } = await launch({
    pair: 'ETH',
    virtualPair: 10n ** 18n,
    creatorTaxBps: 100,
    poolVersion: 3,
    sniping: true,
  })
  const amount = 10n ** 15n
  const { launchedAt } = await it.read<{ launchedAt: number }>(curveCall(curve, 'terms'))
  const elapsedS: number[] = []
  for (const atS of [0, 1, 7, 19, 20, 500]) {
    await it.chain.mine(BigInt(launchedAt + atS))
    const elapsed = Number(it.chain.head().timestampS) - launchedAt
    elapsedS.push(elapsed)
    const bps = Math.max(
      0,
      Math.floor((SNIPE.snipeStartBps * (SNIPE.snipeSeconds - elapsed)) / SNIPE.snipeSeconds),
    )
    const quote = await quoteBuy(curve, amount)
    expect(quote.snipeTax).toBe((amount * BigInt(bps)) / 10_000n)
    expect(await it.read<bigint[]>(buy(curve, pair, amount, it.accounts[1]!))).toEqual([
      quote.tokensOut,
      amount,
    ])
  }
  expect(elapsedS.at(-1)).toBe(500)
})

test('a curve rejects invalid calls', async () => {
  const { curve, pair } = await launch({
    pair: 'ETH',
    virtualPair: 10n ** 18n,
    creatorTaxBps: 0,
    poolVersion: 2,
  })
  const from = it.accounts[1]!
  const refusals = {
    'another value than said': { ...buy(curve, pair, 10n, from), value: 11n },
    nothing: { ...buy(curve, pair, 0n, from) },
    'less than asked': { ...buy(curve, pair, 10n, from), args: [10n, maxUint256, from, maxUint256] },
    'too late': { ...buy(curve, pair, 10n, from), args: [10n, 0n, from, 1n] },
    'tokens never held': sell(curve, 10n ** 27n, it.accounts[5]!),
    'a second opening': curveCall(curve, 'open', [
      await it.read(curveCall(curve, 'terms')),
      it.world.launchpad.graduator,
      from,
    ]),
  }
  for (const [why, call] of Object.entries(refusals)) expect(await it.revertOf(call), why).toBeDefined()
})
