import { missingChecks, type TradeParams } from '@pit/client'
import { etherText, FEE } from '@pit/protocol'
import { Command } from 'commander'
import { json, UsageRefused } from './exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from './openClient.ts'
import { defined, positive, whole } from './parse.ts'
import { amountText, headingOf, transactionUrl } from './show.ts'
import { showStages } from './stages.ts'
import { table } from './terminal.ts'

export interface TradeFlags {
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

/** `pit trade ETH USDG --usd 25`: shows the plan; trades with --yes or after confirmation. */
export const tradeCommand = (deps: CommandDeps): Command =>
  sized(new Command('trade').description('Plan and verify a trade; with --yes also sign and send it.'))
    .option('--min-out <atoms>', 'Minimum output, in atoms of the token bought')
    .option('--max-fee-bps <bps>', 'Maximum fee in bps', whole)
    .option('--route <id>', 'Route id of an earlier quote')
    .option('-y, --yes', 'Skip the confirmation')
    .action(async (tokenIn: string, tokenOut: string, options: TradeFlags, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const request = tradeParams(tokenIn, tokenOut, options)
      await run(deps, opened, request, options.yes ?? false)
    })

/** Arguments and options common to all trading commands: tokens, size and slippage. */
export const endsAndSize = (
  command: Command,
  {
    sold = 'core symbol (case-sensitive) or address',
    slippage = 'Maximum slippage before the fee, in bps (default: the pair’s)',
  } = {},
): Command =>
  command
    .argument('<token-in>', `Token to sell: ${sold}`)
    .argument('<token-out>', 'Token to buy')
    .option('--usd <dollars>', 'Size in USD', positive)
    .option('--amount <atoms>', 'Size in atoms of the token sold')
    .option('--slippage-bps <bps>', slippage, whole)

export const sized = (command: Command): Command =>
  endsAndSize(command)
    .option('--accept <codes...>', 'Codes of severe risks you accept')
    .option('--shield', `Check the token audit too; adds ${FEE.shieldAddBps} bps to the fee`)
    .option('--non-us', 'You are not a US person (required for stock tokens)')

export function mustHaveOneSize({ usd, amount }: Pick<TradeFlags, 'usd' | 'amount'>): void {
  if ((usd === undefined) === (amount === undefined)) throw new UsageRefused('Use either --usd or --amount.')
}

export function tradeParams(token_in: string, token_out: string, options: TradeFlags): TradeParams {
  const { usd, amount } = options
  mustHaveOneSize(options)
  return defined({
    token_in,
    token_out,
    notional_usd: usd,
    amount_in: amount,
    slippage_bps: options.slippageBps,
    min_amount_out: options.minOut,
    max_fee_bps: options.maxFeeBps,
    accept_risks: options.accept,
    shield: options.shield,
    owner_attests_non_us: options.nonUs,
    route_id: options.route,
  })
}

async function run(deps: CommandDeps, opened: Opened, request: TradeParams, yes: boolean) {
  const { terminal } = deps
  const { client, target } = opened
  const done = terminal.progress('Planning and verifying')
  const verified = await client.plan(request).finally(() => done())
  terminal.say(headingOf(target, 'live'))
  terminal.say(table(planRows(request, verified)))
  const agreed = yes || (terminal.isInteractive && (await terminal.confirm('Sign and send this trade?')))
  if (!agreed) {
    if (opened.options.json)
      terminal.data(json({ dry_run: true, plan: verified.plan, checks: verified.checks }))
    terminal.say('Nothing was signed. Add --yes to trade.')
    return
  }
  const stages = showStages(terminal, 'Signing and sending')
  const result = await client.send(verified, { onStage: stages.onStage }).finally(stages.end)
  printTraded(deps, opened, result, result.reading)
}

type Verified = Awaited<ReturnType<Opened['client']['plan']>>

/** All but the risk codes come from the bytes to sign and your own node. */
function planRows(request: TradeParams, { plan, review, reading, checks }: Verified) {
  const missing = missingChecks(checks)
  const risks = plan.risks.map(({ code, severity }) => `${code} (${severity})`).join(', ')
  return [
    ...review.rows.map(({ label, text }) => [label.toLowerCase(), text]),
    ...review.approvals.map(({ text }) => ['approval', text]),
    ['risks', risks === '' ? 'none' : risks],
    ['accepted risks', request.accept_risks?.join(', ') ?? 'none'],
    ['transactions', reading.transactions.length],
    ['verified', `${checks.map(({ rule }) => rule).join(', ')} (on your own node)`],
    ['not verified', missing.length > 0 ? missing.join(', ') : null],
  ]
}

interface Mined {
  receipt: { hash: string; block: number; gasUsed: bigint; gasPriceWei: bigint }
  amountOut: bigint | null
}

/** Prints a mined trade, with the same fields for every path. */
export function printTraded(
  { terminal }: CommandDeps,
  opened: Pick<Opened, 'client' | 'target' | 'options'>,
  { receipt, amountOut }: Mined,
  { amountIn, tokenOut }: { amountIn: bigint | null; tokenOut: `0x${string}` },
  more: Record<string, unknown> = {},
): void {
  const gasWei = receipt.gasUsed * receipt.gasPriceWei
  const shown = {
    tx_hash: receipt.hash,
    block: receipt.block,
    amount_in: amountIn,
    amount_out: amountOut,
    gas_wei: gasWei,
    ...more,
  }
  terminal.data(
    opened.options.json
      ? json(shown)
      : table([
          ['mined in block', receipt.block],
          ['transaction', transactionUrl(opened.target, receipt.hash)],
          [
            'received',
            amountOut === null
              ? 'unknown: your node does not prove it'
              : amountText(opened, amountOut, tokenOut),
          ],
          ['gas', etherText(gasWei)],
        ]),
  )
}
