import { DAY_S } from '@pit/protocol'
import type { Measured } from './climb.ts'
import { printTable, type Results, whole } from './report.ts'
import { SETUPS } from './setups.ts'

const AGENTS = [100, 1_000, 10_000, 100_000, 1_000_000]
const INTERVALS_S = [60, 300, 3_600]
/**
 * A process is planned at half of its capacity: ticks come in bursts, and it must catch up after a restart.
 */
const HEADROOM = 0.5
/** Bytes a row with its indexes, and how long rows stay, as docs/explanation/scale.md has them ("Size and growth"). */
const BYTES = { log: 307, fill: 357 }
const DAYS = { log: 30, fill: 90 }
/** Decisions and holds stored per agent; each tick writes one. */
const LOG_ROWS_AN_AGENT = 1_000
/** Assumed for every interval: each writes a fill and a log row. */
const TRADES_AN_AGENT_DAY = 10

/** How many agents each setup ticks, and the resources for a number of agents. */
export function printPlan(results: Results): void {
  const bySetup = results.get('ticks')
  if (bySetup === undefined) return
  console.log('\n### Agents on one machine\n')
  printTable(
    ['setup', 'ticks a second', ...INTERVALS_S.map((s) => `agents at ${whole(s)} s, at half load`)],
    [...bySetup].map(([name, { best }]) => [
      `\`${name}\``,
      whole(best.perS),
      ...INTERVALS_S.map((s) => whole(best.perS * HEADROOM * s)),
    ]),
  )

  const [name, measured] = planned(bySetup)
  const { apis } = SETUPS.find((setup) => setup.name === name)!
  const perProcess = measured.best.perS / apis
  const postgres = measured.best.cpu.shares.find((share) => share.name === 'postgres')
  /** Core seconds of PostgreSQL that a tick takes. */
  const storeS = postgres && postgres.total / 100 / measured.best.perS
  console.log(
    `\n### Plan\n\nBy \`${name}\`: ${whole(perProcess)} ticks a second for each job process, planned at half. ` +
      `Each agent trades ${TRADES_AN_AGENT_DAY} times a day.\n`,
  )
  const rows = AGENTS.flatMap((agents) =>
    INTERVALS_S.map((intervalS) => {
      const ticksPerS = agents / intervalS
      const { writtenBytes, keptBytes } = growth(agents, intervalS)
      return [
        whole(agents),
        whole(intervalS),
        ticksPerS < 10 ? ticksPerS.toFixed(2) : whole(ticksPerS),
        whole(Math.ceil(ticksPerS / (perProcess * HEADROOM))),
        storeS === undefined ? '' : ((ticksPerS * storeS) / HEADROOM).toFixed(2),
        size(writtenBytes),
        size(keptBytes),
      ]
    }),
  )
  printTable(
    [
      ...['agents', 'interval, s', 'ticks a second', 'job processes', 'PostgreSQL cores'],
      ...['written a day', 'kept in the end'],
    ],
    rows,
  )
}

/** The setup that a larger service is made of: PostgreSQL, one process, all cores. */
function planned(bySetup: Map<string, Measured>): [string, Measured] {
  const name = ['postgres-1-two', 'postgres-2-two', 'postgres-1-one'].find((wanted) => bySetup.has(wanted))
  return name ? [name, bySetup.get(name)!] : [...bySetup][0]!
}

function growth(agents: number, intervalS: number): { writtenBytes: number; keptBytes: number } {
  const decisions = (agents * DAY_S) / intervalS
  const trades = agents * TRADES_AN_AGENT_DAY
  const keptLogs = Math.min(decisions * DAYS.log, agents * LOG_ROWS_AN_AGENT) + trades * DAYS.log
  return {
    writtenBytes: (decisions + trades) * BYTES.log + trades * BYTES.fill,
    keptBytes: keptLogs * BYTES.log + trades * DAYS.fill * BYTES.fill,
  }
}

const size = (bytes: number): string =>
  bytes < 1e9
    ? `${bytes < 1e7 ? (bytes / 1e6).toFixed(1) : whole(bytes / 1e6)} MB`
    : `${bytes < 1e10 ? (bytes / 1e9).toFixed(1) : whole(bytes / 1e9)} GB`
