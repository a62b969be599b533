import { expect, it } from 'vitest'
import { createWorld, E18, ETH, eth, MEME, NVDA, price, USDG, usd, WETH } from '../test/world.ts'
import { buildReport } from './buildReport.ts'

/** The worked example of docs/reference/reports.md, computed by hand. */
function workedExample() {
  const world = createWorld()
  world.flow(ETH, eth(1))
  world.flow(USDG, usd(10_000))
  world.read()
  // 1: buys 2 ETH for 4,000 USDG, gas 0.001 ETH.
  world.send({ moves: { [USDG]: -usd(4_000), [ETH]: eth(2) }, gasWei: eth(0.001) })
  // 2: wraps 1.5 ETH, gas 0.001 ETH.
  world.send({ moves: { [ETH]: -eth(1.5), [WETH]: eth(1.5) }, gasWei: eth(0.001) })
  world.wait(3_600)
  world.setPrices(2_500, 100)
  // 3: sells 1.2 WETH for 2,994 USDG; the fee of 6 USDG was taken inside; an executor paid the gas.
  const fees = [{ token: USDG, atoms: usd(6) }]
  world.send({ moves: { [WETH]: -eth(1.2), [USDG]: usd(2_994) }, fees, executorGasWei: eth(0.002) })
  // 4: a reverted trade costs gas only.
  world.send({ ok: false, gasWei: eth(0.004) })
  return world
}

it('agrees with the example computed by hand', () => {
  const report = buildReport(workedExample().input())
  const { totals } = report
  // Gas of 1 and 2 and 0.998 of the wrapped ETH come from the unknown ETH; 0.502 WETH cost 2,000 each.
  expect(
    report.disposals.map(({ kind, token, atoms, costMicroUsd }) => [kind, token, atoms, costMicroUsd]),
  ).toEqual([
    ['gas', ETH, eth(0.001), null],
    ['gas', ETH, eth(0.001), usd(2)],
    ['trade', WETH, eth(0.999), null],
    ['trade', WETH, eth(0.201), usd(402)],
    ['gas', ETH, eth(0.004), usd(8)],
  ])
  expect(report.disposals.map(({ proceedsMicroUsd }) => proceedsMicroUsd)).toEqual([
    ...[0n, 0n, usd(2_492.505), usd(501.495), 0n],
  ])
  expect(totals.realised).toEqual({ microUsd: usd(99.495), unknown: 1 })
  expect(totals.gas).toEqual({
    wei: eth(0.006),
    cost: { microUsd: usd(10), unknown: 1 },
    value: { microUsd: usd(14), unknown: 0 },
  })
  expect(totals.executorGas).toEqual({ wei: eth(0.002), value: { microUsd: usd(5), unknown: 0 } })
  expect(totals.fees).toEqual({ microUsd: usd(6), unknown: 0 })
  expect(totals.net).toEqual({ microUsd: usd(89.495), unknown: 2 })
  // 1.494 ETH that cost 2,988 and 0.3 WETH that cost 600, at 2,500.
  expect(
    report.holdings.map(({ token, atoms, cost, valueMicroUsd, unrealised }) => [
      ...[token, atoms, cost.microUsd, valueMicroUsd, unrealised.microUsd],
    ]),
  ).toEqual([
    [USDG, usd(8_994), usd(8_994), usd(8_994), 0n],
    [ETH, eth(1.494), usd(2_988), usd(3_735), usd(747)],
    [WETH, eth(0.3), usd(600), usd(750), usd(150)],
  ])
  // Everything was there at the first reading, so only trading, gas and prices count from then on.
  expect(report.returns.openingMicroUsd).toBe(usd(12_000))
  expect(report.returns.closingMicroUsd).toBe(usd(13_479))
  expect(report.returns.againstCashMicroUsd).toBe(usd(1_479))
  // Held: 10,000 USDG and 1 ETH at 2,500.
  expect(report.returns.againstHoldingMicroUsd).toBe(usd(979))
})

it('does not count a deposit as a return', () => {
  const world = createWorld()
  world.flow(USDG, usd(1_000))
  world.read()
  world.send({ moves: { [USDG]: -usd(1_000), [ETH]: eth(0.5) } })
  world.setPrices(2_200, 100)
  world.wait(60)
  world.read()
  world.flow(USDG, usd(50_000))
  world.read()
  world.setPrices(2_420, 100)
  world.wait(60)
  world.read()
  const { returns } = buildReport(world.input())
  // 10% on 1,000, then 110 on 51,100.
  expect(returns.flowAdjustedBps).toBe(Math.floor((1.1 * (51_210 / 51_100) - 1) * 10_000))
  expect(returns.againstCashMicroUsd).toBe(usd(210))
  expect(returns.againstHoldingMicroUsd).toBe(usd(210))
  expect(returns.maxDrawdownBps).toBe(0)
})

it('measures the largest fall of the index, rounded up', () => {
  const world = createWorld()
  world.flow(ETH, eth(1))
  for (const dollars of [2_000, 3_000, 1_999, 2_500, 2_100]) {
    world.setPrices(dollars, 100)
    world.wait(60)
    world.read()
  }
  expect(buildReport(world.input()).returns.maxDrawdownBps).toBe(3_337)
})

it('values a trade without cash by the received token, by the given one if that price is stale', () => {
  const world = createWorld()
  world.flow(ETH, eth(3))
  world.read()
  world.send({ moves: { [ETH]: -eth(1), [NVDA]: eth(19) } })
  const stale = world.transactions[0]!
  const by = (prices: typeof stale.prices) =>
    buildReport({ ...world.input(), transactions: [{ ...stale, prices }] }).trades[0]!
  expect(by(stale.prices)).toMatchObject({ valueMicroUsd: usd(1_900), valuedBy: 'received_price' })
  expect(by({ ...stale.prices, [NVDA]: price(100, true) })).toMatchObject({
    ...{ valueMicroUsd: usd(2_000), valuedBy: 'given_price' },
  })
  expect(by({ [NVDA]: price(100, true) })).toMatchObject({ valueMicroUsd: usd(1_900) })
  expect(by({})).toMatchObject({ valueMicroUsd: null, valuedBy: null })
})

it('keeps a trade of unknown value unknown, and counts its lots', () => {
  const world = createWorld()
  world.flow(MEME, 7n)
  world.read()
  world.send({ moves: { [MEME]: -7n, [USDG]: usd(5) } })
  const report = buildReport(world.input())
  expect(report.totals.realised).toEqual({ microUsd: 0n, unknown: 1 })
  expect(report.disposals).toMatchObject([
    { costMicroUsd: null, proceedsMicroUsd: usd(5), profitMicroUsd: null },
  ])
  // Its proceeds came from outside of what has a value, so they do not count as a return.
  expect(report.returns.againstCashMicroUsd).toBe(0n)
})

it('consumes a deposit of unknown cost in its turn', () => {
  const world = createWorld()
  world.flow(USDG, usd(10_000))
  world.read()
  world.send({ moves: { [USDG]: -usd(2_000), [ETH]: eth(1) } })
  world.flow(ETH, eth(1))
  world.send({ moves: { [USDG]: -usd(3_000), [ETH]: eth(1) } })
  world.send({ moves: { [ETH]: -eth(2.5), [USDG]: usd(10_000) } })
  const { disposals } = buildReport(world.input())
  expect(disposals.map(({ atoms, profitMicroUsd }) => [atoms, profitMicroUsd])).toEqual([
    [eth(1), usd(2_000)],
    [eth(1), null],
    [eth(0.5), usd(500)],
  ])
})

it('keeps cost and date of ETH that the wallet wrapped without Pit', () => {
  const world = createWorld()
  world.flow(USDG, usd(10_000))
  world.read()
  const hash = world.send({ moves: { [USDG]: -usd(4_000), [ETH]: eth(2) } })
  world.flow(ETH, -eth(1.5))
  world.flow(WETH, eth(1.499))
  world.read()
  world.send({ moves: { [WETH]: -eth(1), [USDG]: usd(3_000) } })
  const { disposals, flows, totals } = buildReport(world.input())
  expect(disposals).toMatchObject([
    { kind: 'trade', token: WETH, acquiredHash: hash, costMicroUsd: usd(2_000), profitMicroUsd: usd(1_000) },
  ])
  expect(
    flows.slice(1).map(({ direction, token, atoms, cost }) => [direction, token, atoms, cost.microUsd]),
  ).toEqual([
    ['out', ETH, eth(1.499), usd(2_998)],
    ['in', WETH, eth(1.499), usd(2_998)],
    ['out', ETH, eth(0.001), usd(2)],
  ])
  expect(totals.realised).toEqual({ microUsd: usd(1_000), unknown: 0 })
})

it('finds a deposit between two readings that the trades then spent', () => {
  const world = createWorld()
  world.read()
  const points = [...world.points]
  world.flow(ETH, eth(2))
  world.send({ moves: { [ETH]: -eth(2), [USDG]: usd(4_000) } })
  world.flow(USDG, -usd(4_000))
  world.read()
  const report = buildReport({ ...world.input(), points: [...points, world.points.at(-1)!] })
  expect(report.flows.map(({ direction, token, atoms }) => [direction, token, atoms])).toEqual([
    ['in', ETH, eth(2)],
    ['out', USDG, usd(4_000)],
  ])
})

it('takes lots in the order of the year’s method', () => {
  const world = createWorld()
  world.flow(USDG, usd(10_000))
  world.read()
  for (const dollars of [1_000, 2_000]) world.send({ moves: { [USDG]: -usd(dollars), [ETH]: eth(1) } })
  world.send({ moves: { [ETH]: -eth(1), [USDG]: usd(3_000) } })
  const profit = (methods: Record<number, 'fifo' | 'lifo'>) =>
    buildReport({ ...world.input(), methods }).totals.realised.microUsd
  expect(profit({})).toBe(usd(2_000))
  expect(profit({ 2026: 'lifo' })).toBe(usd(1_000))
  expect(profit({ 2025: 'lifo' })).toBe(usd(2_000))
})

it('shows more shares after a split, and the same cost', () => {
  const world = createWorld()
  world.flow(USDG, usd(1_000))
  world.read()
  world.send({ moves: { [USDG]: -usd(1_000), [NVDA]: eth(10) } })
  world.setMultiplier(4n)
  world.wait(60)
  world.read()
  expect(buildReport(world.input()).holdings).toMatchObject([
    { token: NVDA, atoms: eth(10), shareAtoms: eth(40), cost: { microUsd: usd(1_000), unknown: 0 } },
  ])
})

it('counts a fee paid apart as an expense, and other one-sided transactions as transfers', () => {
  const world = createWorld()
  world.flow(ETH, eth(1))
  world.read()
  const fees = [{ token: ETH, atoms: eth(0.1) }]
  const hash = world.send({ moves: { [ETH]: -eth(0.3) }, fees })
  const report = buildReport(world.input())
  expect(report.disposals).toMatchObject([{ kind: 'fee', atoms: eth(0.1), proceedsMicroUsd: 0n }])
  expect(report.flows).toMatchObject([
    { direction: 'in', atoms: eth(1) },
    { direction: 'out', atoms: eth(0.2), hash, valueMicroUsd: usd(400) },
  ])
})

it('needs 30 daily returns for a Sharpe ratio', () => {
  const sharpeAfter = (days: number, move: (day: number) => number) => {
    const world = createWorld()
    world.flow(ETH, E18)
    for (let day = 0; day <= days; day++) {
      world.setPrices(2_000 + move(day), 100)
      world.wait(86_400)
      world.read()
    }
    return buildReport(world.input()).returns
  }
  expect(sharpeAfter(29, (day) => day % 3)).toMatchObject({ sharpeHundredths: null, dailyReturns: 29 })
  expect(sharpeAfter(30, () => 0)).toMatchObject({ sharpeHundredths: null, dailyReturns: 30 })
  // Daily returns of 1% and 0% by turns: mean 0.5%, deviation 0.5085%, times the root of 365.
  const grows = (day: number) => 2_000 * 1.01 ** Math.ceil(day / 2) - 2_000
  expect(sharpeAfter(30, grows).sharpeHundredths).toBe(1878)
})

it('shows no return if an amount came in while its price was unknown', () => {
  const world = createWorld()
  world.flow(USDG, usd(1_000))
  world.read()
  world.flow(ETH, eth(1))
  // The node has pruned the state of the trade's block: neither balances nor prices.
  world.send({ moves: { [ETH]: -eth(0.1), [USDG]: usd(200) } })
  world.wait(60)
  world.read()
  const input = world.input()
  const whole = buildReport(input).returns
  expect(whole.flowAdjustedBps).toBe(0)
  const pruned = buildReport({
    ...input,
    transactions: input.transactions.map((one) => ({ ...one, prices: {} })),
    points: input.points.map((point, i) =>
      i === 0 || i === input.points.length - 1 ? point : { ...point, balances: {}, prices: {} },
    ),
  }).returns
  expect(pruned).toMatchObject({ flowAdjustedBps: null, maxDrawdownBps: null, againstCashMicroUsd: null })
  expect(pruned.closingMicroUsd).toBe(whole.closingMicroUsd)
})
