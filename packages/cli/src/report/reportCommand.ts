import { readFileSync, writeFileSync } from 'node:fs'
import type { ReportStage } from '@pit/client'
import { csvOf, type LotMethod, readReportFile, reportFileText } from '@pit/reports'
import { Command, InvalidArgumentError, Option } from 'commander'
import { CommandRefused } from '../backtest/refused.ts'
import { UsageRefused } from '../client/exit.ts'
import { type CommandDeps, globalsOf, openSignedIn } from '../client/openClient.ts'
import { whole } from '../client/parse.ts'
import { headingOf } from '../client/show.ts'
import type { Terminal } from '../client/terminal.ts'
import { reportText } from './printReport.ts'

interface ReportFlags {
  year?: number
  from?: number
  to?: number
  method: LotMethod
  csv?: string
}

const STAGES: Record<ReportStage, string> = {
  trades: 'Reading the list of trades',
  receipts: 'Reading receipts',
  approvals: 'Finding approvals between the trades',
  readings: 'Reading balances and prices',
  transactions: 'Reading transactions',
}

export const reportCommand = (deps: CommandDeps): Command =>
  new Command('report')
    .description('Profit and loss of your wallet, from receipts and balances on your node.')
    .option('--year <year>', 'A calendar year, UTC (default: this one)', whole)
    .option('--from <date>', 'First day, such as 2026-01-01, UTC', day)
    .option('--to <date>', 'Last day, UTC (default: today)', day)
    .addOption(
      new Option('--method <method>', 'Order in which lots are consumed; fixed by the first report of a year')
        .choices(['fifo', 'lifo'])
        .default('fifo'),
    )
    .option('--csv <file>', 'Write the rows as CSV')
    .argument('[file]', 'With --json: write the same rows as JSON to this file instead of printing them')
    .addCommand(checkCommand(deps))
    .action(async (file: string | undefined, flags: ReportFlags, command: Command) => {
      const { json = false } = globalsOf(command)
      if (file !== undefined && !json)
        throw new UsageRefused('To write a JSON file, add --json before its name.')
      const opened = await openSignedIn(deps, command)
      const { terminal } = deps
      const { done, onProgress } = progress(terminal)
      const { report } = await opened.client
        .report({ ...periodOf(flags, deps.nowMs()), method: flags.method, onProgress })
        .finally(done)
      if (flags.csv !== undefined) writeReport(deps, flags.csv, csvOf(report))
      if (file !== undefined) writeReport(deps, file, reportFileText(report))
      else if (json) return terminal.data(reportFileText(report).trimEnd())
      terminal.say(headingOf(opened.target, 'live'))
      terminal.data(reportText(report))
    })

const checkCommand = ({ terminal }: CommandDeps): Command =>
  new Command('check')
    .description('Compute the hash of report files again.')
    .argument('<files...>', 'CSV and JSON files of one report')
    .action((files: string[]) => {
      const hashes = files.map((file) => checkedHash(file))
      if (new Set(hashes).size > 1) throw new CommandRefused('The files are of different reports.')
      terminal.data(hashes[0]!)
    })

function checkedHash(file: string): string {
  const read = readReportFile(readFileSync(file, 'utf8'))
  if (read === null) throw new CommandRefused(`${file} is not a report.`)
  if (read.hash !== read.computed)
    throw new CommandRefused(`${file} was changed: its hash is ${read.hash}, its rows have ${read.computed}.`)
  return read.computed
}

const DAY_S = 86_400

/** Unix seconds of the start of a UTC day. */
function day(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text))
    throw new InvalidArgumentError('Must be a date such as 2026-01-31.')
  return ms / 1000
}

function periodOf({ year, from, to }: ReportFlags, nowMs: number): { fromS: number; toS: number } {
  const now = new Date(nowMs)
  if (year !== undefined && (from !== undefined || to !== undefined))
    throw new UsageRefused('Use --year, or --from and --to.')
  const startOf = (one: number) => Date.UTC(one, 0, 1) / 1000
  const endS = Math.floor(nowMs / 1000) + 1
  const fromS = from ?? startOf(year ?? now.getUTCFullYear())
  const toS = to !== undefined ? to + DAY_S : year !== undefined ? startOf(year + 1) : endS
  if (fromS >= endS) throw new UsageRefused('The period begins in the future.')
  if (fromS >= toS) throw new UsageRefused('The period ends before it begins.')
  return { fromS, toS }
}

function progress(terminal: Terminal) {
  let stage: ReportStage | null = null
  let end = () => {}
  return {
    done: () => end(),
    onProgress(next: ReportStage, _done: number, total: number) {
      if (next === stage) return
      end()
      stage = next
      end = terminal.progress(total > 0 ? `${STAGES[next]} (${total})` : STAGES[next])
    },
  }
}

function writeReport({ terminal }: CommandDeps, file: string, text: string): void {
  writeFileSync(file, text, { mode: 0o600 })
  terminal.say(`Wrote ${file}.`)
}
