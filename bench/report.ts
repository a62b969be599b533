/**
 * Processor time of a report over a long history: profit and loss, rows, their hash, and the two files. The wallet
 * buys and sells four tokens, deposits, and has spending approvals and reverted trades in between.
 * TRADES: transactions (10,000). ROUNDS: measured reports (7), after one that is not.
 * node scripts/build.mjs && node dist/bench/report.js
 */
import { buildReport, csvOf, reportFileText } from '@pit/reports'
import { createWorld, ETH, eth, MEME, NVDA, USDG, usd, WETH } from '../packages/reports/test/world.ts'

const TRADES = Number(process.env['TRADES'] ?? 10_000)
const ROUNDS = Number(process.env['ROUNDS'] ?? 7)
const TARGET_MS = 1_000

function history() {
  const world = createWorld()
  const gasWei = eth(0.0001)
  world.flow(ETH, eth(1_000))
  world.flow(USDG, usd(10_000_000))
  world.read()
  for (let i = 0; i < TRADES; i++) {
    const token = [ETH, WETH, NVDA, MEME][i % 4]!
    const size = token === MEME ? 5_000_000_000n + BigInt(i) : eth(0.05) + BigInt(i)
    const buys = Math.floor(i / 4) % 5 < 3
    const cash = usd(100) + BigInt(i)
    if (i % 50 === 49) world.setPrices(2_000 + (i % 200), 100 + (i % 20))
    if (i % 97 === 96) world.flow(USDG, usd(50))
    if (i % 101 === 100) world.send({ gasWei, ok: false })
    else if (i % 103 === 102) world.send({ gasWei })
    else
      world.send({
        moves: buys ? { [USDG]: -cash, [token]: size } : { [token]: -size, [USDG]: cash },
        ...{ gasWei, fees: [{ token: USDG, atoms: 250_000n }] },
      })
    world.wait(30)
  }
  return world.input()
}

const input = history()
const PHASES = ['report', 'rows', 'hash', 'CSV', 'JSON'] as const
/** Milliseconds of processor time by phase. */
type Times = Record<(typeof PHASES)[number], number>

function measure(): Times {
  const report = buildReport(input)
  const timed = (work: () => unknown): number => {
    const cpu = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(cpu)
    return (user + system) / 1_000
  }
  return {
    report: timed(() => buildReport(input)),
    rows: timed(() => report.rows),
    hash: timed(() => report.hash),
    CSV: timed(() => csvOf(report)),
    JSON: timed(() => reportFileText(report)),
  }
}

console.log(`${TRADES} trades, ${input.points.length} readings; processor time in ms`)
const rounds = Array.from({ length: ROUNDS }, measure)
const medians = Object.fromEntries(
  PHASES.map((phase) => {
    const sorted = rounds.map((times) => times[phase]).sort((a, b) => a - b)
    return [phase, sorted[Math.floor(sorted.length / 2)]!]
  }),
) as Times
for (const phase of PHASES)
  console.log(`${phase}: ${medians[phase].toFixed(0)} (first ${rounds[0]![phase].toFixed(0)})`)
// The command prints a table and writes at most one file.
const whole = medians.report + medians.rows + medians.hash + medians.CSV
console.log(
  `report as a CSV file: ${whole.toFixed(0)} (limit ${TARGET_MS}) ${whole <= TARGET_MS ? 'met' : 'MISSED'}`,
)
