import { tokenNamed } from '@pit/client'
import { FEE, grouped } from '@pit/protocol'
import { Command } from 'commander'
import { UsageRefused } from './exit.ts'
import { type CommandDeps, openSignedIn } from './openClient.ts'
import { defined } from './parse.ts'
import { agree, headingOf, requireConfirmation } from './show.ts'
import { showStages } from './stages.ts'
import { endsAndSize, mustHaveOneSize, printTraded } from './tradeCommand.ts'

interface Options {
  usd?: number
  amount?: string
  slippageBps?: number
  shield?: boolean
  nonUs?: boolean
  fallback: boolean
  yes?: boolean
}

/** `pit fast ETH USDG --usd 25`: built locally on a pinned route, checked and relayed in one call. */
export const fastCommand = (deps: CommandDeps): Command =>
  endsAndSize(
    new Command('fast').description(
      'Trade a pinned major pair in one call, built and priced on your own node.',
    ),
    {
      sold: 'ETH, WETH, USDG, NVDA or SPY',
      slippage: 'Maximum slippage against the current pool price, in bps (default 30)',
    },
  )
    .option('--shield', `Check the token audit too; adds ${FEE.shieldAddBps} bps to the fee`)
    .option('--non-us', 'You are not a US person (required for stock tokens)')
    .option('--no-fallback', 'Fail if fast mode is not possible, instead of trading the normal way')
    .option('-y, --yes', 'Skip the confirmation')
    .action(async (token_in: string, token_out: string, options: Options, command: Command) => {
      const request = requestOf(token_in, token_out, options)
      requireConfirmation(deps, options.yes)
      const opened = await openSignedIn(deps, command)
      const { client, target } = opened
      deps.terminal.say(headingOf(target, 'live'))
      const size = request.usd === undefined ? `${request.amountIn} atoms` : `$${grouped(request.usd)}`
      await agree(deps, `Sell ${size} of ${token_in} for ${token_out} now?`, options.yes)
      const stages = showStages(deps.terminal, 'Pricing, signing and sending')
      const { fallback } = options
      const traded = await client
        .fastTrade(request, { fallback, onStage: stages.onStage })
        .finally(stages.end)
      if (traded.by === 'prepare') {
        deps.terminal.say(`Fast mode was not possible (${traded.why}); traded the normal way.`)
        const { result } = traded
        printTraded(deps, opened, result, result.reading, { by: 'prepare', why: traded.why })
        return
      }
      const tokenOut = tokenNamed(client.pins, token_out)!
      const amountIn = request.amountIn ?? null
      printTraded(deps, opened, traded, { amountIn, tokenOut }, { by: 'fast', why: null })
    })

function requestOf(token_in: string, token_out: string, options: Options) {
  const { usd, amount } = options
  mustHaveOneSize(options)
  if (amount !== undefined && !/^[1-9]\d*$/.test(amount))
    throw new UsageRefused('--amount must be a whole number of atoms.')
  return defined({
    token_in,
    token_out,
    usd,
    amountIn: amount === undefined ? undefined : BigInt(amount),
    slippageBps: options.slippageBps,
    shield: options.shield,
    owner_attests_non_us: options.nonUs,
  })
}
