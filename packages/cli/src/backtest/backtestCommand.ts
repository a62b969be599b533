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
import { backtestOrders, type OrdersBacktest } from './backtestOrders.ts'
import type { Marks } from './marksFile.ts'
import type { SimToken } from './orderBook.ts'
import { readOrdersFile } from './ordersFile.ts'
import { printBacktest, printOrders } from './printBacktest.ts'
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
  /** The core tokens of the chain profile: orders name tokens by address. */
  readTokens(options: GlobalOptions): Promise<readonly SimToken[]>
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
  orders?: string
}

const CASH = 'USDG'

/** `pit backtest`: runs a rule brain or a list of orders over stored marks and prints the resulting book. */
export function backtestCommand(deps: BacktestDeps): Command {
  return new Command('backtest')
    .description('Test a rule brain or orders on the stored price history and print the book.')
    .argument('[brain]', `One of ${Object.keys(RULE_BRAINS).join(', ')}`)
    .option('-p, --pair <BASE/QUOTE>', 'Pair to trade (repeatable; default ETH/USDG)', collect, [])
    .option('--params <json>', 'Parameters of the brain', '{}')
    .option('--days <n>', 'Days before --to', positive, 7)
    .option('--from <time>', 'First tick: a date or unix seconds', time)
    .option('--to <time>', 'Last tick: a date or unix seconds (default: now)', time)
    .option('--interval <s>', 'Seconds between decisions', positive, 300)
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
    .option('--orders <file>', 'Test the orders of this file instead of a brain, at every stored price')
    .option('--json', 'Print the whole result as JSON')
    .action(async (brain: string | undefined, _: object, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      if ((brain === undefined) === (options.orders === undefined))
        throw new CommandRefused('Give a brain, or orders with --orders <file>.')
      const { fills: maxFills, orders: file } = options
      const { run, text, marks } =
        file === undefined
          ? await runBrain(deps, brain!, options).then((done) => ({
              ...done,
              text: printBacktest(done.run, { maxFills }),
            }))
          : await runOrders(deps, file, options).then((done) => ({
              ...done,
              text: printOrders(done.run, { maxFills }),
            }))
      if (options.saveMarks !== undefined) deps.writeFile(options.saveMarks, marks)
      deps.print(options.json ? asJson(run) : text)
    })
}

async function runBrain(
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
  if (options.interval < HOSTED.minIntervalS) {
    throw new CommandRefused(
      `--interval must be at least ${HOSTED.minIntervalS} s, the minimum for an agent.`,
    )
  }
  const tokens = [...new Set(pairs.flatMap((pair) => Object.values(endsOf(pair))))].filter(
    (token) => token !== CASH,
  )
  const { marks, ...period } = await readMarks(deps, options, { tokens, historyS: brain.historyS(params) })
  const run = backtest({
    brain,
    params,
    pairs,
    marks,
    startMicroUsd: microUsdDown(options.start),
    intervalS: Math.floor(options.interval),
    limits: limitsOf(options),
    ...termsOf(options),
    ...period,
  })
  return { run, marks }
}

/** Orders are carried out at every stored price, whatever the interval. */
async function runOrders(
  deps: BacktestDeps,
  file: string,
  options: Options,
): Promise<{ run: OrdersBacktest; marks: Marks }> {
  const orders = readOrdersFile(file)
  const core = await deps.readTokens(options)
  const usdg = core.find(({ symbol }) => symbol === CASH)
  if (!usdg) throw new CommandRefused('The chain profile has no USDG.')
  const addresses = orders.flatMap(({ tokenIn, tokenOut, trigger }) => [
    ...[tokenIn, tokenOut],
    ...(trigger.kind === 'none' ? [] : [trigger.token]),
  ])
  const tokens = new Map(
    [...new Set(addresses)]
      .filter((address) => address !== usdg.address)
      .map((address) => [address, core.find((one) => one.address === address) ?? unknownToken(address)]),
  )
  const symbols = [...tokens.values()].map(({ symbol }) => symbol)
  const { marks, ...period } = await readMarks(deps, options, { tokens: symbols, historyS: 0 })
  const run = backtestOrders({
    orders,
    tokens,
    usdg,
    weth: core.find(({ symbol }) => symbol === 'WETH')?.address ?? null,
    marks,
    cashMicroUsd: microUsdDown(options.start),
    limits: limitsOf(options),
    terms: termsOf(options),
    ...period,
  })
  return { run, marks }
}

const unknownToken = (address: string): never => {
  throw new CommandRefused(`${address} is not a core token of the chain profile, so it has no stored prices.`)
}

/** The stored marks, and the part of the period that they cover. */
async function readMarks(
  deps: BacktestDeps,
  options: Options,
  { tokens, historyS }: { tokens: readonly string[]; historyS: number },
): Promise<{ marks: Marks; fromS: number; toS: number }> {
  const toS = options.to ?? deps.nowS()
  const fromS = options.from ?? Math.floor(toS - options.days * DAY_S)
  if (fromS >= toS) throw new CommandRefused('--from must be before --to.')
  const marks =
    options.marks === undefined
      ? await deps.readStore({ tokens, fromS: fromS - historyS, toS }, options)
      : deps.readFile(options.marks, tokens)
  const allMarks = tokens.flatMap((token) => marks.get(token) ?? [])
  const missing = tokens.filter((token) => (marks.get(token) ?? []).length === 0)
  if (missing.length > 0)
    throw new CommandRefused(`No stored prices of ${missing.join(', ')} in that period.`)
  // Ticks before the first mark would only hold.
  const firstS = allMarks.reduce((first, { atS }) => Math.min(first, atS), toS)
  const lastS = allMarks.reduce((last, { atS }) => Math.max(last, atS), fromS)
  return { marks, fromS: Math.max(fromS, firstS), toS: Math.min(toS, lastS) }
}

const limitsOf = ({ maxTrade, maxDay, maxPosition }: Options) => ({
  maxTradeMicroUsd: microUsdDown(maxTrade),
  maxDayMicroUsd: microUsdDown(maxDay),
  maxPositionMicroUsd: microUsdDown(maxPosition),
})

const termsOf = ({ feeBps, slippageBps, gasUsd }: Options) => ({
  feeBps: Math.floor(feeBps),
  slippageBps: Math.floor(slippageBps),
  gasMicroUsd: microUsdUp(gasUsd),
})

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
