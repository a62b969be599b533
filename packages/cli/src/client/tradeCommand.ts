import type { TradeAsk, TradeResult, TradeStage } from '@pit/client'
import { decimalText } from '@pit/protocol'
import { Command, InvalidArgumentError } from 'commander'
import { InputNeeded } from './exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from './openClient.ts'
import { table } from './terminal.ts'

interface Options {
  usd?: number
  amount?: string
  slippageBps?: number
  minOut?: string
  maxFeeBps?: number
  accept?: string[]
  shield?: boolean
  nonUs?: boolean
  route?: string
  yes?: boolean
}

export const positive = (text: string): number => {
  const value = Number(text)
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above 0.')
  return value
}
const whole = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

/** `pit trade ETH USDG --usd 25`: shows what would be signed; trades with --yes, or when asked and told so. */
export const tradeCommand = (deps: CommandDeps): Command =>
  sized(new Command('trade').description('Plan, verify and, with --yes, sign and send one trade.'))
    .option('--min-out <atoms>', 'own floor, in atoms of the token bought')
    .option('--max-fee-bps <bps>', 'the most this trade may pay', whole)
    .option('--route <id>', 'a route of an earlier quote')
    .option('-y, --yes', 'trade without asking')
    .action(async (tokenIn: string, tokenOut: string, options: Options, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const ask = askOf(tokenIn, tokenOut, options)
      await run(deps, opened, ask, options.yes ?? false)
    })

export const sized = (command: Command): Command =>
  command
    .argument('<token-in>', 'what is sold: a core symbol, exactly as written, or an address')
    .argument('<token-out>', 'what is bought')
    .option('--usd <dollars>', 'size in dollars', positive)
    .option('--amount <atoms>', 'size in atoms of the token sold')
    .option('--slippage-bps <bps>', 'before the fee; the pair’s default otherwise', whole)
    .option('--accept <codes...>', 'severe risks you accept, by their codes')
    .option('--shield', 'ask the audit too; adds 10 bps')
    .option('--non-us', 'you are not a US person (stock tokens)')

export function askOf(token_in: string, token_out: string, options: Options): TradeAsk {
  const { usd, amount } = options
  if ((usd === undefined) === (amount === undefined)) throw new InputNeeded('Give either --usd or --amount.')
  return {
    token_in,
    token_out,
    ...(usd !== undefined && { notional_usd: usd }),
    ...(amount !== undefined && { amount_in: amount }),
    ...(options.slippageBps !== undefined && { slippage_bps: options.slippageBps }),
    ...(options.minOut !== undefined && { min_amount_out: options.minOut }),
    ...(options.maxFeeBps !== undefined && { max_fee_bps: options.maxFeeBps }),
    ...(options.accept && { accept_risks: options.accept }),
    ...(options.shield && { shield: true }),
    ...(options.nonUs && { owner_attests_non_us: true }),
    ...(options.route !== undefined && { route_id: options.route }),
  }
}

async function run(deps: CommandDeps, opened: Opened, ask: TradeAsk, yes: boolean) {
  const { json = false } = opened.options
  const { terminal } = deps
  const { client, target } = opened
  let done = terminal.progress('Planning and verifying')
  const verified = await client.plan(ask).finally(() => done())
  const kind = target.profile.kind === 'devnet' ? 'live on a devnet' : 'live'
  terminal.say(`${kind}: ${target.name} (${target.url})`)
  terminal.say(table(planRows(opened, ask, verified)))
  const agreed = yes || (terminal.isInteractive && (await terminal.confirm('Sign and send it?')))
  if (!agreed) {
    if (json) terminal.data(JSON.stringify({ dry_run: true, plan: verified.plan, checks: verified.checks }))
    terminal.say('Nothing was signed. Add --yes to trade.')
    return
  }
  done = terminal.progress('Signing and sending')
  const onStage = ({ stage }: TradeStage) => {
    done()
    done = terminal.progress(STAGES[stage] ?? stage)
  }
  const result = await client.send(verified, { onStage }).finally(() => done())
  printResult(deps, opened, result, json)
}

const STAGES: Partial<Record<TradeStage['stage'], string>> = {
  signed: 'Signed; relaying',
  relayed: 'Relayed; waiting for its block',
}

type Verified = Awaited<ReturnType<Opened['client']['plan']>>

function planRows({ client }: Opened, ask: TradeAsk, { plan, reading }: Verified) {
  const amount = (atoms: bigint, token: `0x${string}`) => {
    const known = client.pins.tokens.get(token)
    return known ? `${decimalText(atoms, known.decimals)} ${known.symbol}` : `${atoms} atoms of ${token}`
  }
  const risks = plan.risks.map(({ code, severity }) => `${code} (${severity})`).join(', ')
  return [
    ['sell', amount(reading.amountIn, reading.tokenIn)],
    ['buy at least', amount(BigInt(plan.amount_out_min), reading.tokenOut)],
    ['expected', amount(BigInt(plan.amount_out_expected), reading.tokenOut)],
    ['worth', plan.notional_usd === null ? null : `$${plan.notional_usd}`],
    ['fee', `${plan.fee_bps} bps of the ${plan.fee_side} (${plan.fee_class})`],
    ['route', plan.route.label],
    ['risks', risks === '' ? 'none' : risks],
    ['accepted', ask.accept_risks?.join(', ') ?? 'none'],
    ['transactions', reading.transactions.length],
    ['verified', 'every check passed on your own node'],
  ]
}

function printResult(
  { terminal }: CommandDeps,
  { client, target }: Opened,
  result: TradeResult,
  json: boolean,
) {
  const { receipt, amountOut, reading } = result
  const known = client.pins.tokens.get(reading.tokenOut)
  const received =
    amountOut === null
      ? null
      : known
        ? `${decimalText(amountOut, known.decimals)} ${known.symbol}`
        : `${amountOut} atoms`
  if (json) {
    terminal.data(
      JSON.stringify({
        tx_hash: receipt.hash,
        block: receipt.block,
        amount_in: reading.amountIn.toString(),
        amount_out: amountOut?.toString() ?? null,
        gas_wei: (receipt.gasUsed * receipt.gasPriceWei).toString(),
      }),
    )
    return
  }
  terminal.data(
    table([
      ['mined in block', receipt.block],
      ['transaction', `${target.profile.explorer_tx}${receipt.hash}`],
      ['received', received],
      ['gas', `${decimalText(receipt.gasUsed * receipt.gasPriceWei, 18)} ETH`],
    ]),
  )
}
