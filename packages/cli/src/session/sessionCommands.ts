import { tokenNamed } from '@pit/client'
import { grouped, SESSION } from '@pit/protocol'
import { Command } from 'commander'
import { InputNeeded, UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openAsExecutor, openSignedIn } from '../client/openClient.ts'
import { address, positive, whole } from '../client/parse.ts'
import { agree, headingOf, requireConfirmation, show, timeText } from '../client/show.ts'
import { showStages } from '../client/stages.ts'
import { table } from '../client/terminal.ts'
import { endsAndSize, printTraded, type TradeFlags, tradeParams } from '../client/tradeCommand.ts'
import { cancelOrdersCommand } from './cancelOrdersCommand.ts'
import { checkCommand } from './checkCommand.ts'
import { listCommand, revokeCommand } from './endCommands.ts'
import { runCommand } from './runCommand.ts'
import { grant, sessionJson, type TermFlags, termsOf, withConsent, withTerms } from './terms.ts'

/** `pit session`: an owner lets an executor trade within limits. */
export const sessionCommand = (deps: CommandDeps): Command =>
  new Command('session')
    .description('Let an executor trade within limits that you sign.')
    .addCommand(grantCommand(deps))
    .addCommand(tradeCommand(deps))
    .addCommand(checkCommand(deps))
    .addCommand(listCommand(deps))
    .addCommand(revokeCommand(deps))
    .addCommand(cancelOrdersCommand(deps))
    .addCommand(runCommand(deps))

const grantCommand = (deps: CommandDeps): Command =>
  withConsent(
    withTerms(new Command('grant').description('Grant a session to an executor address.'), '24h')
      .argument('<executor>', 'Address that may trade', address)
      .option(
        '--max-trade-usd <dollars>',
        `Maximum per trade in USD (default ${SESSION.maxTradeUsdDefault})`,
        positive,
      )
      .option(
        '--max-day-usd <dollars>',
        `Maximum in 24 hours in USD (default ${SESSION.maxDayUsdDefault})`,
        positive,
      ),
  ).action(async (executor: `0x${string}`, flags: TermFlags & { maxDayUsd?: number }, command: Command) => {
    requireConfirmation(deps, flags.yes)
    const opened = await openSignedIn(deps, command)
    const { maxDayUsd } = flags
    const request = {
      ...termsOf(flags),
      ...(maxDayUsd !== undefined && { max_day_usd: maxDayUsd }),
      executor,
    }
    const granted = await grant(deps, opened, request, flags)
    if (granted.terms.controls) await sayOlder(deps, opened, granted.terms.sessionId)
    show(deps, opened, sessionJson(granted), () =>
      table([
        ['session', granted.terms.sessionId],
        ['executor', executor],
        ['until', timeText(granted.terms.expiresS)],
      ]),
    )
  })

const tradeCommand = (deps: CommandDeps): Command =>
  endsAndSize(new Command('trade').description('Trade in a session, signed by its executor.'))
    .option('--session <id>', 'Session id (default: PIT_SESSION_ID)')
    .option(
      '--wallet <address>',
      'Wallet whose funds trade (default: PIT_SESSION_WALLET, else from the server)',
      address,
    )
    .option('--min-out <atoms>', 'Minimum output, in atoms of the token bought')
    .option('--max-fee-bps <bps>', 'Maximum fee in bps', whole)
    .option('--non-us', 'The owner is not a US person (required for stock tokens)')
    .option('-y, --yes', 'Skip the confirmation')
    .action(
      async (
        tokenIn: string,
        tokenOut: string,
        flags: TradeFlags & { session?: string; wallet?: `0x${string}` },
        command: Command,
      ) => {
        const request = tradeParams(tokenIn, tokenOut, flags)
        const session_id = flags.session ?? deps.env['PIT_SESSION_ID']
        if (session_id === undefined)
          throw new InputNeeded('No session specified. Use --session or PIT_SESSION_ID.')
        requireConfirmation(deps, flags.yes)
        const opened = await openAsExecutor(deps, command)
        const wallet = flags.wallet ?? (await walletOf(deps, opened, session_id))
        deps.terminal.say(headingOf(opened.target, 'live'))
        const size =
          request.notional_usd === undefined
            ? `${request.amount_in} atoms`
            : `$${grouped(request.notional_usd)}`
        await agree(deps, `Sell ${size} of ${tokenIn} from ${wallet} for ${tokenOut}?`, flags.yes)
        const stages = showStages(deps.terminal, 'Planning, verifying, signing and sending')
        // askOf checked that exactly one size is set.
        const traded = await opened.client
          .sessionTrade({ ...(request as object), session_id, wallet } as never, { onStage: stages.onStage })
          .finally(stages.end)
        const amountIn = BigInt(traded.trade.swap.amount_in)
        const tokenAt = tokenNamed(opened.client.pins, tokenOut)!
        const { trades_left, remaining_24h_usd } = traded.trade.spend
        const more = { session_id, wallet, trades_left, remaining_24h_usd }
        printTraded(deps, opened, traded, { amountIn, tokenOut: tokenAt }, more)
      },
    )

/** Limits hold per session: an older one without controls can still trade. */
async function sayOlder({ terminal }: CommandDeps, { client }: Opened, newest: string): Promise<void> {
  const { sessions } = await client.recordedSessions()
  const older = sessions.filter(({ session_id, state }) => state === 'alive' && session_id !== newest)
  if (older.length === 0) return
  const ids = older.map(({ session_id }) => session_id)
  terminal.say(`Controls hold for this session only. Also active: ${ids.join(', ')}.`)
  terminal.say(`End it with: pit session revoke ${ids[0]}`)
}

/** The session's wallet as listed by the server; the redemption is checked against it before signing. */
async function walletOf({ env }: CommandDeps, { client }: Opened, sessionId: string) {
  const named = env['PIT_SESSION_WALLET']
  if (named !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(named))
    throw new UsageRefused('PIT_SESSION_WALLET is not an address.')
  if (named !== undefined) return named.toLowerCase() as `0x${string}`
  const { as_executor } = await client.sessions()
  const session = as_executor.find(({ session_id }) => session_id === sessionId)
  if (!session) throw new UsageRefused(`${client.address} is not the executor of session ${sessionId}.`)
  return session.wallet.toLowerCase() as `0x${string}`
}
