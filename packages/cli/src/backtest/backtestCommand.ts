import {
  type Backtest,
  backtest,
  endsOf,
  isRuleBrain,
  RULE_BRAINS,
  readRuleParams,
} from '@pit/brains/backtest'
import { DAY_S, FEE, HOSTED, microUsdDown, microUsdUp } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import type { GlobalOptions } from '../client/settings.ts'
import type { Marks } from './marksFile.ts'
import { printBacktest } from './printBacktest.ts'
import type { MarksRequest } from './readServed.ts'
import { CommandRefused } from './refused.ts'

/** External dependencies of the command. */
export interface BacktestDeps {
  nowS(): number
  print(text: string): void
  /** `tokens`: the traded tokens, for a file that does not name its token. */
  readFile(file: string, tokens: readonly string[]): Marks
  writeFile(file: string, marks: Marks): void
  /** The stored marks of these tokens, read from the server while it has the store open. */
  readStore(request: MarksRequest, options: GlobalOptions): Promise<Marks>
}

interface Options extends GlobalOptions {
  pair: string[]
  params: string
  from?: number
  to?: number
  days: number
  interval: number
  start: number
  maxTrade: number
  maxDay: number
  maxPosition: number
  feeBps: number
  slippageBps: number
  gasUsd: number
  fills: number
  marks?: string
  saveMarks?: string
}

const CASH = 'USDG'

/** `pit backtest`: runs a rule brain over stored marks and prints the resulting book. */
export function backtestCommand(deps: BacktestDeps): Command {
  return new Command('backtest')
    .description('Test a rule brain on the stored price history and print its book.')
    .argument('<brain>', `One of ${Object.keys(RULE_BRAINS).join(', ')}`)
    .option('-p, --pair <BASE/QUOTE>', 'Pair to trade (repeatable; default ETH/USDG)', collect, [])
    .option('--params <json>', 'Parameters of the brain', '{}')
    .option('--days <n>', 'Days before --to', positive, 7)
    .option('--from <time>', 'First tick: a date or unix seconds', time)
    .option('--to <time>', 'Last tick: a date or unix seconds (default: now)', time)
    .option('--interval <s>', 'Seconds between ticks', positive, 300)
    .option('--start <usd>', 'Starting cash in USD', positive, 1_000)
    .option('--max-trade <usd>', 'Maximum per trade in USD', positive, 100)
    .option('--max-day <usd>', 'Maximum in 24 hours in USD', positive, 1_000)
    .option('--max-position <usd>', 'Maximum position per asset in USD', positive, 5_000)
    .option('--fee-bps <n>', 'Fee per fill in bps', positiveOrZero, FEE.majorMaxBps)
    .option('--slippage-bps <n>', 'Assumed slippage per fill against the mark, in bps', positiveOrZero, 10)
    .option('--gas-usd <usd>', 'Assumed gas per fill in USD', positiveOrZero, 0.02)
    .option('--fills <n>', 'Number of latest fills to print', positiveOrZero, 20)
    .option('--marks <file>', 'Read prices from this file, such as a server’s /marks/ETH.json')
    .option('--save-marks <file>', 'Write the prices used to this file')
    .option('--json', 'Print the whole result as JSON')
    .action(async (brain: string, _: object, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      const { run, marks } = await runBacktest(deps, brain, options)
      if (options.saveMarks !== undefined) deps.writeFile(options.saveMarks, marks)
      deps.print(options.json ? asJson(run) : printBacktest(run, { maxFills: options.fills }))
    })
}

async function runBacktest(
  deps: BacktestDeps,
  name: string,
  options: Options,
): Promise<{ run: Backtest; marks: Marks }> {
  if (!isRuleBrain(name)) {
    throw new CommandRefused(
      `${name} cannot be backtested. Use one of ${Object.keys(RULE_BRAINS).join(', ')}.`,
    )
  }
  const brain = RULE_BRAINS[name]
  const pairs = options.pair.length > 0 ? options.pair : ['ETH/USDG']
  const params = paramsOf(name, options.params, pairs)
  const toS = options.to ?? deps.nowS()
  const fromS = options.from ?? Math.floor(toS - options.days * DAY_S)
  if (fromS >= toS) throw new CommandRefused('--from must be before --to.')
  if (options.interval < HOSTED.minIntervalS) {
    throw new CommandRefused(
      `--interval must be at least ${HOSTED.minIntervalS} s, the minimum for an agent.`,
    )
  }
  const tokens = [...new Set(pairs.flatMap((pair) => Object.values(endsOf(pair))))].filter(
    (token) => token !== CASH,
  )
  const marks =
    options.marks === undefined
      ? await deps.readStore({ tokens, fromS: fromS - brain.historyS(params), toS }, options)
      : deps.readFile(options.marks, tokens)
  const allMarks = tokens.flatMap((token) => marks.get(token) ?? [])
  const missing = tokens.filter((token) => (marks.get(token) ?? []).length === 0)
  if (missing.length > 0)
    throw new CommandRefused(`No stored prices of ${missing.join(', ')} in that period.`)
  // Ticks before the first mark would only hold.
  const firstS = allMarks.reduce((first, { atS }) => Math.min(first, atS), toS)
  const lastS = allMarks.reduce((last, { atS }) => Math.max(last, atS), fromS)
  const run = backtest({
    brain,
    params,
    pairs,
    marks,
    startMicroUsd: microUsdDown(options.start),
    intervalS: Math.floor(options.interval),
    limits: {
      maxTradeMicroUsd: microUsdDown(options.maxTrade),
      maxDayMicroUsd: microUsdDown(options.maxDay),
      maxPositionMicroUsd: microUsdDown(options.maxPosition),
    },
    feeBps: Math.floor(options.feeBps),
    slippageBps: Math.floor(options.slippageBps),
    gasMicroUsd: microUsdUp(options.gasUsd),
    fromS: Math.max(fromS, firstS),
    toS: Math.min(toS, lastS),
  })
  return { run, marks }
}

function paramsOf(
  name: keyof typeof RULE_BRAINS,
  text: string,
  pairs: readonly string[],
): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new CommandRefused('--params is not valid JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new CommandRefused('--params must be a JSON object.')
  }
  const read = readRuleParams(RULE_BRAINS[name], value as Record<string, unknown>, pairs)
  if (read.ok) return read.params
  throw new CommandRefused(`${read.field}: ${read.message}`)
}

const asJson = (run: Backtest): string =>
  JSON.stringify(run, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value), 2)

function collect(pair: string, before: string[]): string[] {
  if (!/^[^/\s]{1,64}\/[^/\s]{1,64}$/.test(pair))
    throw new InvalidArgumentError('Use BASE/QUOTE, such as ETH/USDG.')
  return [...before, pair]
}
function positiveOrZero(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError('Use a number.')
  return value
}
function positive(text: string): number {
  const value = positiveOrZero(text)
  if (value === 0) throw new InvalidArgumentError('Use a number above 0.')
  return value
}
function time(text: string): number {
  const seconds = /^\d{9,11}$/.test(text) ? Number(text) : Math.floor(Date.parse(text) / 1_000)
  if (!Number.isFinite(seconds))
    throw new InvalidArgumentError('Use a date such as 2026-01-31 or unix seconds.')
  return seconds
}
