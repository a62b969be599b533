import {
  type Address,
  findRoutes,
  type Hex,
  hookEffectOf,
  NATIVE,
  type PermitSingle,
  type Route,
  type RouteQuote,
  type RouterCommand,
  readSwap,
  requote,
} from '@pit/chain'
import { describeSwap, encodeSwap, planHopOf, type SwapPlan } from '@pit/plans'
import { feeOf } from '@pit/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { seeded } from '../packages/chain/test/randomPool.ts'
import { operate } from '../packages/devnet/src/deploy/operate.ts'
import { callCases } from './plans/callCases.ts'
import { lower, openPlanWorld, type PlanWorld } from './plans/planWorld.ts'

/** Plans of every shape, executed by the deployed router: balances before and after, to the atom. */

const random = seeded(4663)
const DEADLINE_S = 1n << 40n
let w: PlanWorld
let wallet: Address

beforeAll(async () => {
  w = await openPlanWorld()
  wallet = lower(w.it.accounts[1]!)
  // The world's own accounts hold no WETH.
  await w.send({ from: wallet, to: w.weth, data: '0xd0e30db0', value: 500n * 10n ** 18n })
}, 180_000)
afterAll(() => w?.it.chain.close())

callCases(() => w)

const approved = new Set<Address>()
async function canPay(token: Address): Promise<void> {
  if (token === NATIVE || approved.has(token)) return
  await w.approve(wallet, token)
  approved.add(token)
}

type Ask = { tokenIn: Address; tokenOut: Address; amountIn: bigint; bps: number; side: 'input' | 'output' }

/**
 * A plan over these routes with this split of the swapped amount; its minimum is the exact expected output.
 */
function planOf(request: Ask, routes: readonly Route[], shares: readonly bigint[]): SwapPlan | undefined {
  const { tokenIn, tokenOut, amountIn, bps, side } = request
  const swapIn = amountIn - (side === 'input' ? feeOf(amountIn, bps) : 0n)
  let left = swapIn
  const quotes: RouteQuote[] = []
  for (const [i, route] of routes.entries()) {
    const part = i === routes.length - 1 ? left : (swapIn * shares[i]!) / 100n
    left -= part
    const quote = requote(route, { tokenIn, tokenOut, amountIn: part })
    if (!quote) return undefined
    quotes.push(quote)
  }
  const gross = quotes.reduce((sum, quote) => sum + quote.amountOut, 0n)
  return {
    tokenIn,
    tokenOut,
    amountIn,
    legs: quotes.map((quote) => ({ hops: quote.hops.map(planHopOf), amountIn: quote.amountIn })),
    amountOutMin: gross - (side === 'output' ? feeOf(gross, bps) : 0n),
    direct: true,
    fee: { bps, side, recipient: w.recipient },
    deadlineS: DEADLINE_S,
    weth: w.weth,
  }
}

const tokensOf = (plan: SwapPlan): Address[] => [
  ...new Set([
    NATIVE,
    w.weth,
    plan.tokenIn,
    plan.tokenOut,
    ...plan.legs.flatMap(({ hops }) => hops.flatMap((hop) => [hop.tokenIn, hop.tokenOut])),
  ]),
]

/** Checks everything a plan promises on the chain: exactly its minimum arrives. */
async function carryOut(plan: SwapPlan, from = wallet): Promise<RouterCommand[]> {
  const { data, valueWei, commands } = encodeSwap(plan)
  const name = JSON.stringify(
    describeSwap(plan, () => undefined),
    null,
    1,
  )
  const reading = readSwap(data, { weth: w.weth })
  if ('fault' in reading) throw new Error(`${reading.fault}\n${name}`)
  expect(reading.amountOutMin).toBe(plan.amountOutMin)
  const tx = { from, to: w.router, value: valueWei }
  const greedy = encodeSwap({ ...plan, amountOutMin: plan.amountOutMin + 1n })
  expect(await w.works({ ...tx, data: greedy.data }), `one atom more\n${name}`).toBe(false)
  const { tokenIn, tokenOut, fee } = plan
  const feeToken = fee.side === 'input' ? tokenIn : tokenOut
  const watch = () =>
    Promise.all([w.balance(tokenIn, from), w.balance(tokenOut, from), w.balance(feeToken, w.recipient)])
  const before = await watch()
  const { ok, gasWei } = await w.send({ ...tx, data })
  expect(ok, name).toBe(true)
  const after = await watch()

  const gasOf = (token: Address) => (token === NATIVE ? gasWei : 0n)
  expect(before[0] - after[0] - gasOf(tokenIn), `paid\n${name}`).toBe(plan.amountIn)
  expect(after[1] - before[1] + gasOf(tokenOut), `got\n${name}`).toBe(plan.amountOutMin)
  const income = after[2] - before[2]
  if (fee.side === 'input') expect(income, name).toBe(feeOf(plan.amountIn, fee.bps))
  // The output is the sum of both parts; the recipient's portion is rounded down.
  else expect(income, name).toBe(feeOf(income + plan.amountOutMin, fee.bps))
  for (const token of tokensOf(plan)) expect(await w.balance(token, w.router), `${token}\n${name}`).toBe(0n)
  await w.follow()
  return commands
}

const shapeOf = (plan: SwapPlan): string =>
  [
    plan.tokenIn === NATIVE ? 'ETH' : plan.tokenIn === w.weth ? 'WETH' : 'token',
    plan.tokenOut === NATIVE ? 'ETH' : plan.tokenOut === w.weth ? 'WETH' : 'token',
    ...encodeSwap(plan).commands.map(({ command }) => command),
  ].join()

const amountFor = async (token: Address): Promise<bigint> => {
  const held = await w.balance(token, wallet)
  return held / 20_000n + 20_000n
}

test('plans over one route do exactly what they promise, with every form of ETH and both fee sides', async () => {
  const ends = [
    NATIVE,
    w.weth,
    ...['USDG', 'PARTNER', 'cbBTC', 'NVDA', 'SPY'].map((symbol) => w.token(symbol)),
  ]
  const done = new Map<string, number>()
  const versions = new Set<string>()
  for (const tokenIn of ends) {
    for (const tokenOut of ends) {
      await canPay(tokenIn)
      const request = { tokenIn, tokenOut, amountIn: await amountFor(tokenIn) }
      for (const route of findRoutes(w, request).routes) {
        const side = random.below(2) === 0 ? 'input' : 'output'
        const bps = [1, 10, 25, 33, 0][random.below(5)]!
        const plan = planOf({ ...request, side, bps }, [route], [])
        const shape = plan && `${shapeOf(plan)} ${route.hops.map((hop) => hop.pool.version).join()}`
        if (!shape || done.has(shape) || done.size >= 400) continue
        await carryOut(plan)
        done.set(shape, route.hops.length)
        versions.add(route.hops.map((hop) => hop.pool.version).join())
      }
    }
  }
  expect(done.size).toBeGreaterThan(200)
  // Every kind of single hop, and many mixtures of two and three.
  for (const kinds of ['v2', 'v3', 'v4', 'v3,v3', 'v4,v4', 'v2,v3', 'v3,v4', 'v4,v2'])
    expect([...versions]).toContain(kinds)
  expect([...done.values()].filter((hops) => hops === 3).length).toBeGreaterThan(5)
}, 600_000)

test('splits do too: no leg uses another’s part, with any form of ETH', async () => {
  const ends = [NATIVE, w.weth, w.token('USDG'), w.token('cbBTC'), w.token('NVDA')]
  const shapes = new Set<string>()
  for (let i = 0; i < 1500 && shapes.size < 120; i++) {
    const [tokenIn, tokenOut] = [ends[random.below(ends.length)]!, ends[random.below(ends.length)]!]
    await canPay(tokenIn)
    const request = { tokenIn, tokenOut, amountIn: await amountFor(tokenIn) }
    const { routes } = findRoutes(w, request)
    const chosen: Route[] = []
    const legCount = 2 + random.below(2)
    for (let tries = 0; tries < 40 && chosen.length < legCount && routes.length > 0; tries++) {
      const route = routes[random.below(routes.length)]!
      const usedPools = new Set(chosen.flatMap(({ hops }) => hops.map((hop) => hop.pool.id)))
      if (!route.hops.some((hop) => usedPools.has(hop.pool.id))) chosen.push(route)
    }
    if (chosen.length < 2) continue
    const shares = [BigInt(1 + random.below(60)), BigInt(1 + random.below(30))]
    const side = random.below(2) === 0 ? 'input' : 'output'
    const plan = planOf({ ...request, side, bps: 25 }, chosen, shares)
    if (!plan || shapes.has(shapeOf(plan))) continue
    await carryOut(plan)
    shapes.add(shapeOf(plan))
  }
  expect(shapes.size).toBe(120)
}, 600_000)

test('a signed permit goes first, once', async () => {
  const from = lower(w.it.accounts[2]!)
  const tokenIn = w.token('USDG')
  // The wallet approved Permit2; the router has no allowance yet.
  await w.send({
    from,
    to: tokenIn,
    data: `0x095ea7b3${w.permit2.slice(2).padStart(64, '0')}${'f'.repeat(64)}` as Hex,
  })
  const request = { tokenIn, tokenOut: NATIVE, amountIn: 1_000_000_000n }
  const [route] = findRoutes(w, request).routes
  const plan = planOf({ ...request, bps: 25, side: 'output' }, [route!], [])!
  const bare = encodeSwap(plan)
  expect(await w.works({ from, to: w.router, data: bare.data })).toBe(false)

  const permit: PermitSingle = {
    details: { token: tokenIn, amount: request.amountIn, expiration: 2 ** 40, nonce: 0 },
    spender: w.router,
    sigDeadline: DEADLINE_S,
  }
  const signed = { ...plan, permit: { permit, signature: await w.signPermit(from, permit) } }
  const thief = lower(w.it.accounts[3]!)
  expect(await w.works({ from: thief, to: w.router, data: encodeSwap(signed).data })).toBe(false)
  const commands = await carryOut(signed, from)
  expect(commands[0]!.command).toBe('PERMIT2_PERMIT')
  expect(await w.works({ from, to: w.router, data: encodeSwap(signed).data })).toBe(false)
})

test('a taxed token pays its tax once, both ways', async () => {
  const token = lower(w.it.world.gallery['fee_on_transfer']!.address)
  const buy = { tokenIn: NATIVE, tokenOut: token, amountIn: 10n ** 17n, bps: 25, side: 'input' } as const
  const bought = planOf(buy, [findRoutes(w, buy).routes.find(({ hops }) => hops.length === 1)!], [])!
  const untaxed = bought.amountOutMin
  const afterTax = untaxed - (untaxed * 300n) / 10_000n
  // The pair checks the received amount: without the tax in the calculation the minimum is missed.
  expect(await w.works({ from: wallet, to: w.router, ...callOf(bought) })).toBe(false)
  await carryOut({ ...bought, amountOutMin: afterTax })

  await canPay(token)
  const amountIn = afterTax / 2n
  const sell = { tokenIn: token, tokenOut: NATIVE, amountIn, bps: 25, side: 'output' } as const
  const way = findRoutes(w, sell).routes.find(({ hops }) => hops.length === 1)!
  const arrived = amountIn - (amountIn * 300n) / 10_000n
  const gross = requote(way, { ...sell, amountIn: arrived })!.amountOut
  const sold = planOf(sell, [way], [])!
  await carryOut({ ...sold, amountOutMin: gross - feeOf(gross, 25) })
})

function callOf(plan: SwapPlan): { data: Hex; value: bigint } {
  const { data, valueWei } = encodeSwap(plan)
  return { data, value: valueWei }
}

test('the input that an exhausted v3 pool does not use is returned', async () => {
  const token = lower(w.it.world.gallery['good']!.address)
  const [token0, token1] = w.weth < token ? [w.weth, token] : [token, w.weth]
  const bands = [{ below: 2, above: 2, liquidity: 10n ** 18n }]
  await w.send({ from: wallet, to: w.weth, data: transfer(w.it.world.builder, 10n ** 18n) })
  const args = [token0, token1, 500, 1n << 96n, bands]
  const target = w.it.world.builder
  await operate(w.it.chain, w.it.world, [{ contract: 'WorldBuilder', target, functionName: 'v3Pool', args }])
  await w.follow()
  const pool = w.index.between(token, w.weth).find((one) => one.version === 'v3')!
  const swapIn = 10n ** 18n
  const hop = { pool, zeroForOne: token0 === w.weth, tokenIn: w.weth, tokenOut: token }
  const plan: SwapPlan = {
    tokenIn: NATIVE,
    tokenOut: token,
    amountIn: swapIn,
    legs: [{ hops: [planHopOf(hop)], amountIn: swapIn }],
    amountOutMin: 1n,
    direct: true,
    fee: { bps: 0, side: 'input', recipient: w.recipient },
    deadlineS: DEADLINE_S,
    weth: w.weth,
  }
  const before = await w.balance(w.weth, wallet)
  expect((await w.send({ from: wallet, to: w.router, ...callOf(plan) })).ok).toBe(true)
  const back = (await w.balance(w.weth, wallet)) - before
  expect(back).toBeGreaterThan((swapIn * 99n) / 100n)
  expect(back).toBeLessThan(swapIn)
  for (const one of [NATIVE, w.weth, token]) expect(await w.balance(one, w.router)).toBe(0n)
})

const transfer = (to: Address, amount: bigint): Hex =>
  `0xa9059cbb${to.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`

test('a pool with a hook is planned like any other', async () => {
  const usdg = w.token('USDG')
  const pool = w.index
    .between(NATIVE, usdg)
    .find((one) => one.version === 'v4' && one.key.hooks !== NATIVE && hookEffectOf(one.key) === 'none')!
  expect(pool).toBeDefined()
  const hops = [{ pool, zeroForOne: true, tokenIn: NATIVE, tokenOut: usdg }]
  const request = { tokenIn: NATIVE, tokenOut: usdg, amountIn: 10n ** 17n, bps: 25, side: 'input' } as const
  await carryOut(planOf(request, [{ id: '0x', hops }], [])!)
})
