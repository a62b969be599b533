import {
  type Backtest,
  backtest,
  endsOf,
  isRuleBrain,
  RULE_BRAINS,
  readRuleParams,
} from '@pit/brains/backtest'
import { FEE, HOSTED, microUsdDown, microUsdUp } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import type { GlobalOptions } from '../client/settings.ts'
import type { Marks } from './marksFile.ts'
import { printBacktest } from './printBacktest.ts'
import type { MarksRequest } from './readServed.ts'
import { CommandRefused } from './refused.ts'

/** What the command reaches outside. */
export interface BacktestDeps {
  nowS(): number
  print(text: string): void
  /** `tokens`: the ones traded, for a file that does not name its token. */
  readFile(file: string, tokens: readonly string[]): Marks
  writeFile(file: string, marks: Marks): void
  /** The stored marks of these tokens; from the server of `options` while it has the store open. */
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

const DAY_S = 86_400
const CASH = 'USDG'

/** `pit backtest`: a rule brain over the marks that were, and the book it would have. */
export function backtestCommand(deps: BacktestDeps): Command {
  return new Command('backtest')
    .description('Rehearse a rule brain over the stored price history and print its book.')
    .argument('<brain>', `one of ${Object.keys(RULE_BRAINS).join(', ')}`)
    .option('-p, --pair <BASE/QUOTE>', 'a pair to trade; give it again for more', collect, [])
    .option('--params <json>', 'the brain’s params, as in POST hosted', '{}')
    .option('--days <n>', 'days back from --to', positive, 7)
    .option('--from <time>', 'first tick: a date or unix seconds', time)
    .option('--to <time>', 'last tick: a date or unix seconds; now when left out', time)
    .option('--interval <s>', 'seconds between ticks', positive, 300)
    .option('--start <usd>', 'cash to begin with', positive, 1_000)
    .option('--max-trade <usd>', 'limits.max_trade_usd', positive, 100)
    .option('--max-day <usd>', 'limits.max_day_usd', positive, 1_000)
    .option('--max-position <usd>', 'limits.max_position_usd', positive, 5_000)
    .option('--fee-bps <n>', 'fee of a fill', positiveOrZero, FEE.majorMaxBps)
    .option('--slippage-bps <n>', 'assumed: a fill is so much worse than the mark', positiveOrZero, 10)
    .option('--gas-usd <usd>', 'assumed gas of a fill', positiveOrZero, 0.02)
    .option('--fills <n>', 'how many of the last fills to print', positiveOrZero, 20)
    .option('--marks <file>', 'read the prices from this file; a server’s /marks/ETH.json is one')
    .option('--save-marks <file>', 'write the marks that were read to this file')
    .option('--json', 'print everything as JSON')
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
    throw new CommandRefused(`${name} cannot be rehearsed; use one of ${Object.keys(RULE_BRAINS).join(', ')}`)
  }
  const brain = RULE_BRAINS[name]
  const pairs = options.pair.length > 0 ? options.pair : ['ETH/USDG']
  const params = paramsOf(name, options.params, pairs)
  const toS = options.to ?? deps.nowS()
  const fromS = options.from ?? Math.floor(toS - options.days * DAY_S)
  if (fromS >= toS) throw new CommandRefused('--from has to be before --to')
  if (options.interval < HOSTED.minIntervalS) {
    throw new CommandRefused(`--interval is at least ${HOSTED.minIntervalS} s, as for an agent`)
  }
  const tokens = [...new Set(pairs.flatMap((pair) => Object.values(endsOf(pair))))].filter(
    (token) => token !== CASH,
  )
  const marks =
    options.marks === undefined
      ? await deps.readStore({ tokens, fromS: fromS - brain.historyS(params), toS }, options)
      : deps.readFile(options.marks, tokens)
  const known = tokens.flatMap((token) => marks.get(token) ?? [])
  const missing = tokens.filter((token) => (marks.get(token) ?? []).length === 0)
  if (missing.length > 0) throw new CommandRefused(`there are no marks of ${missing.join(', ')} in that time`)
  // Ticks before the first mark would only hold.
  const firstS = known.reduce((first, { atS }) => Math.min(first, atS), toS)
  const lastS = known.reduce((last, { atS }) => Math.max(last, atS), fromS)
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
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    throw new CommandRefused('--params is not JSON')
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new CommandRefused('--params is not a JSON object')
  }
  const read = readRuleParams(RULE_BRAINS[name], given as Record<string, unknown>, pairs)
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
