import { canonicalJson } from '@pit/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWorld, ETH, MEME, NVDA, USDG, WETH } from '../test/world.ts'
import { buildReport } from './buildReport.ts'
import { csvOf, readReportFile, reportFileText } from './files.ts'
import { canonicalRows } from './rows.ts'
import { createTokenBook } from './tokenBook.ts'
import type { Address, Report, ReportInput } from './types.ts'

const RUNS = Number(process.env['REPORT_LAW_RUNS'] ?? 60)
const TOKENS = [ETH, USDG, WETH, NVDA, MEME]
const atoms = fc.bigInt({ min: 1n, max: 10n ** 19n })
const token = fc.constantFrom(...TOKENS)
const APPROVAL = 'approval of USDG to Permit2'
const gasWei = fc.bigInt({ min: 0n, max: 10n ** 15n })

type World = ReturnType<typeof createWorld>
type Event = (world: World) => void
const share = (world: ReturnType<typeof createWorld>, one: Address, thousandths: number) =>
  ((world.balances.get(one) ?? 0n) * BigInt(thousandths)) / 1_000n
const thousandths = fc.integer({ min: 0, max: 1_000 })
/** Gas that the wallet can pay after the moves. */
const payable = (world: ReturnType<typeof createWorld>, wei: bigint, movedEth = 0n) => {
  const left = (world.balances.get(ETH) ?? 0n) + movedEth
  return wei < left ? wei : left
}

const events: fc.Arbitrary<Event> = fc.oneof<fc.Arbitrary<Event>[]>(
  fc.tuple(token, atoms).map(
    ([one, amount]) =>
      (world: World) =>
        world.flow(one, amount),
  ),
  fc.tuple(token, thousandths).map(
    ([one, part]) =>
      (world: World) =>
        world.flow(one, -share(world, one, part)),
  ),
  fc
    .tuple(token, token, thousandths, atoms, gasWei, thousandths)
    .map(([from, to, part, got, wei, fee]) => (world: World) => {
      if (from === to) return
      const gave = share(world, from, part)
      const movedEth = from === ETH ? -gave : to === ETH ? got : 0n
      const fees = [{ token: to, atoms: (got * BigInt(fee)) / 100_000n }]
      world.send({ moves: { [from]: -gave, [to]: got }, gasWei: payable(world, wei, movedEth), fees })
    }),
  fc.tuple(fc.boolean(), thousandths, gasWei).map(([isIn, part, wei]) => (world: World) => {
    const [from, to] = isIn ? [ETH, WETH] : [WETH, ETH]
    const amount = share(world, from, part)
    const movedEth = isIn ? -amount : amount
    world.send({ moves: { [from]: -amount, [to]: amount }, gasWei: payable(world, wei, movedEth) })
  }),
  fc.tuple(fc.boolean(), thousandths).map(([isIn, part]) => (world: World) => {
    const [from, to] = isIn ? [ETH, WETH] : [WETH, ETH]
    const amount = share(world, from, part)
    world.flow(from, -amount)
    world.flow(to, amount)
    world.read()
  }),
  fc.tuple(gasWei, fc.boolean()).map(
    ([wei, ok]) =>
      (world: World) =>
        world.send({ ok, approval: APPROVAL, gasWei: payable(world, wei) }),
  ),
  gasWei.map((wei) => (world: World) => world.send({ ok: false, gasWei: payable(world, wei) })),
  gasWei.map((wei) => (world: World) => world.send({ executorGasWei: wei })),
  fc.integer({ min: 2, max: 10 }).map((times) => (world: World) => world.setMultiplier(BigInt(times))),
  fc.tuple(fc.integer({ min: 1, max: 9_000 }), fc.integer({ min: 1, max: 900 })).map(
    ([ether, stock]) =>
      (world: World) =>
        world.setPrices(ether, stock),
  ),
  fc.integer({ min: 1, max: 200_000 }).map((seconds) => (world: World) => world.wait(seconds)),
  fc.constant((world: World) => world.read()),
)
const worlds = fc.array(events, { minLength: 1, maxLength: 40 }).map((list) => {
  const world = createWorld()
  world.read()
  for (const event of list) event(world)
  world.wait(1)
  world.read()
  return world
})
const holds = (law: (world: ReturnType<typeof createWorld>) => void) =>
  fc.assert(fc.property(worlds, law), { numRuns: RUNS })

const sum = (amounts: readonly (bigint | null)[]): bigint =>
  amounts.reduce<bigint>((all, one) => all + (one ?? 0n), 0n)

describe('for any history of deposits, withdrawals, trades, wraps, splits, gas and reverted trades', () => {
  it('ends with the balances to the atom', () =>
    holds((world: World) => {
      const { holdings, lots, tokens } = buildReport(world.input())
      const held = new Map(holdings.map((one) => [one.token, one.atoms]))
      for (const [one, balance] of world.balances) expect(held.get(one) ?? 0n).toBe(balance)
      for (const { address } of tokens.filter(({ kind }) => kind !== 'cash'))
        expect(sum(lots.filter((lot) => lot.token === address).map((lot) => lot.atoms))).toBe(
          world.balances.get(address),
        )
    }))

  it('ends with the balances when only the first and the last reading are known', () =>
    holds((world: World) => {
      const points = [world.points[0]!, world.points.at(-1)!]
      const { holdings } = buildReport({ ...world.input(), points })
      const held = new Map(holdings.map((one) => [one.token, one.atoms]))
      for (const [one, balance] of world.balances) expect(held.get(one) ?? 0n).toBe(balance)
    }))

  it('conserves cost to the micro-dollar', () =>
    holds((world: World) => {
      const input = world.input()
      const report = buildReport(input)
      const bought = sum(report.trades.map((trade) => boughtCost(trade, input)))
      const left = sum(report.flows.filter(isOutOfLots).map(({ cost }) => cost.microUsd))
      const consumed = sum(report.disposals.map(({ costMicroUsd }) => costMicroUsd))
      const open = sum(report.lots.map(({ costMicroUsd }) => costMicroUsd))
      // Wrapped without Pit: the cost leaves with ETH and comes back with WETH, or the other way round.
      const wrapped = sum(report.flows.filter(isIntoLots).map(({ cost }) => cost.microUsd))
      expect(consumed + left + open).toBe(bought + wrapped)
    }))

  it('shows each approval as one row with its gas, never as a flow', () =>
    holds((world: World) => {
      const { rows, flows } = buildReport(world.input())
      const approvals = world.transactions.filter(({ approval }) => approval !== undefined)
      const shown = rows.filter(({ row, kind }) => row === 'trade' && kind === 'approval')
      expect(shown.map(({ transaction }) => transaction)).toEqual(approvals.map(({ hash }) => hash))
      for (const { note } of shown) expect(note.startsWith(APPROVAL)).toBe(true)
      for (const { hash, gasWei: wei } of approvals) {
        const gas = rows.filter(({ row, transaction }) => row === 'gas' && transaction === hash)
        expect(gas).toHaveLength(wei > 0n ? 1 : 0)
        expect(flows.filter((flow) => flow.hash === hash)).toEqual([])
      }
    }))

  it('divides proceeds to the micro-dollar', () =>
    holds((world: World) => {
      const { trades, disposals } = buildReport(world.input())
      for (const { hash, valueMicroUsd, gave } of trades) {
        if (valueMicroUsd === null || gave.some(({ token: one }) => one === USDG)) continue
        const pieces = disposals.filter((one) => one.hash === hash && one.kind === 'trade')
        expect(sum(pieces.map(({ proceedsMicroUsd }) => proceedsMicroUsd))).toBe(valueMicroUsd)
      }
    }))

  it('consumes the oldest lots first, and keeps the date of wrapped ones', () =>
    holds((world: World) => {
      const { disposals, lots } = buildReport(world.input())
      for (const one of [NVDA, MEME]) {
        const acquired = [...disposals, ...lots]
          .filter((piece) => piece.token === one)
          .flatMap(({ acquiredS }) => acquiredS ?? [])
        expect(acquired).toEqual([...acquired].sort((a, b) => a - b))
      }
    }))

  it('adds up over adjoining periods', () =>
    fc.assert(
      fc.property(worlds, thousandths, (world, part) => {
        const { fromS, toS } = world.input()
        const middleS = fromS + Math.floor(((toS - fromS) * part) / 1_000)
        const [first, second] = [
          buildReport(world.input(fromS, middleS)),
          buildReport(world.input(middleS, toS)),
        ]
        const both = buildReport(world.input())
        expect([...first.disposals, ...second.disposals]).toEqual(both.disposals)
        expect([...first.trades, ...second.trades]).toEqual(both.trades)
        for (const name of ['realised', 'net', 'fees', 'feesApartCost'] as const) {
          const [one, other, all] = [first, second, both].map(({ totals }) => totals[name])
          expect({
            microUsd: one!.microUsd + other!.microUsd,
            unknown: one!.unknown + other!.unknown,
          }).toEqual(all)
        }
        expect(second.holdings).toEqual(both.holdings)
        expect(second.totals.unrealised).toEqual(both.totals.unrealised)
      }),
      { numRuns: RUNS },
    ))

  it('is the same for any order of its input', () =>
    fc.assert(
      fc.property(worlds, fc.infiniteStream(fc.nat()), (world, stream) => {
        const input = world.input()
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((value) => ({ value, at: stream.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ value }) => value)
        const other: ReportInput = {
          ...input,
          tokens: shuffled(input.tokens),
          points: shuffled(input.points),
          transactions: shuffled(input.transactions).map((one) => ({ ...one, moves: shuffled(one.moves) })),
        }
        expect(buildReport(other)).toEqual(buildReport(input))
      }),
      { numRuns: RUNS },
    ))

  it('has the same hash in both files, and another one if a cell is changed', () =>
    holds((world: World) => {
      const report = buildReport(world.input())
      const [csv, json] = [csvOf(report), reportFileText(report)]
      expect(canonicalRows(report.rows)).toBe(canonicalJson(report.rows))
      for (const text of [csv, json]) {
        const read = readReportFile(text)!
        expect(read.rows).toEqual(report.rows)
        expect([read.hash, read.computed]).toEqual([report.hash, report.hash])
      }
      const forged = readReportFile(json.replace('"note": "4663"', '"note": "4664"'))!
      expect(forged.computed).not.toBe(forged.hash)
      expect(csv).not.toMatch(/^=|[,"]=/m)
    }))
})

const isOutOfLots = ({ direction, token: one }: Report['flows'][number]): boolean =>
  direction === 'out' && one !== USDG

const isIntoLots = ({ direction, token: one }: Report['flows'][number]): boolean =>
  direction === 'in' && one !== USDG

/** Cost of the received tokens, from the trade's value. */
function boughtCost(
  { gave, received, valueMicroUsd, valuedBy }: Report['trades'][number],
  input: ReportInput,
): bigint {
  const book = createTokenBook(input.tokens)
  if (valueMicroUsd === null || valuedBy === null) return 0n
  const got = received.find(({ token: one }) => one === USDG)
  if (received.every(({ token: one }) => one === USDG)) return 0n
  const paid = gave.every(({ token: one }) => one === USDG) ? gave[0] : undefined
  if (paid) return book.worth(USDG, paid.atoms, {})!
  return valueMicroUsd - (got ? book.worth(USDG, got.atoms, {})! : 0n)
}
