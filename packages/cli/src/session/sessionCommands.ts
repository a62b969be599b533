import { tokenNamed } from '@pit/client'
import { Command } from 'commander'
import { InputNeeded, UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openAsExecutor, openSignedIn } from '../client/openClient.ts'
import { address, positive, whole } from '../client/parse.ts'
import { agree, headingOf, needWord, show, timeText } from '../client/show.ts'
import { showStages } from '../client/stages.ts'
import { table } from '../client/terminal.ts'
import { askOf, endsAndSize, printTraded, type TradeFlags } from '../client/tradeCommand.ts'
import { listCommand, revokeCommand } from './endCommands.ts'
import { runCommand } from './runCommand.ts'
import { grant, sessionJson, type TermFlags, termsOf, withConsent, withTerms } from './terms.ts'

/** `pit session`: an owner lets an executor trade inside bounds. */
export const sessionCommand = (deps: CommandDeps): Command =>
  new Command('session')
    .description('Let an executor trade inside bounds that you sign.')
    .addCommand(grantCommand(deps))
    .addCommand(tradeCommand(deps))
    .addCommand(listCommand(deps))
    .addCommand(revokeCommand(deps))
    .addCommand(runCommand(deps))

const grantCommand = (deps: CommandDeps): Command =>
  withConsent(
    withTerms(new Command('grant').description('Grant a session to an executor’s address.'), '24h')
      .argument('<executor>', 'the address that may trade', address)
      .option('--max-trade-usd <dollars>', 'most for one trade; 25 otherwise', positive)
      .option('--max-day-usd <dollars>', 'most in 24 hours; 100 otherwise', positive),
  ).action(async (executor: `0x${string}`, flags: TermFlags & { maxDayUsd?: number }, command: Command) => {
    needWord(deps, flags.yes)
    const opened = await openSignedIn(deps, command)
    const { maxDayUsd } = flags
    const request = {
      ...termsOf(flags),
      ...(maxDayUsd !== undefined && { max_day_usd: maxDayUsd }),
      executor,
    }
    const granted = await grant(deps, opened, request, flags)
    show(deps, opened, sessionJson(granted), () =>
      table([
        ['session', granted.terms.sessionId],
        ['executor', executor],
        ['until', timeText(granted.terms.expiresS)],
      ]),
    )
  })

const tradeCommand = (deps: CommandDeps): Command =>
  endsAndSize(new Command('trade').description('One trade of a session, signed by its executor.'))
    .option('--session <id>', 'the session; PIT_SESSION_ID otherwise')
    .option('--wallet <address>', 'whose funds trade; PIT_SESSION_WALLET, or as the server lists it', address)
    .option('--min-out <atoms>', 'own floor, in atoms of the token bought')
    .option('--max-fee-bps <bps>', 'the most this trade may pay', whole)
    .option('--non-us', 'the owner is not a US person (stock tokens)')
    .option('-y, --yes', 'trade without asking')
    .action(
      async (
        tokenIn: string,
        tokenOut: string,
        flags: TradeFlags & { session?: string; wallet?: `0x${string}` },
        command: Command,
      ) => {
        const request = askOf(tokenIn, tokenOut, flags)
        const session_id = flags.session ?? deps.env['PIT_SESSION_ID']
        if (session_id === undefined)
          throw new InputNeeded('Which session? Give --session or PIT_SESSION_ID.')
        needWord(deps, flags.yes)
        const opened = await openAsExecutor(deps, command)
        const wallet = flags.wallet ?? (await walletOf(deps, opened, session_id))
        deps.terminal.say(headingOf(opened.target, 'live'))
        const size =
          request.notional_usd === undefined ? `${request.amount_in} atoms` : `$${request.notional_usd}`
        await agree(deps, `Sell ${size} of ${tokenIn} of ${wallet} for ${tokenOut}?`, flags.yes)
        const stages = showStages(deps.terminal, 'Planning, verifying, signing and sending')
        // Exactly one size: askOf saw to it.
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

/** Of an executor's own session, as the server lists it: the redemption is held against it before it is signed. */
async function walletOf({ env }: CommandDeps, { client }: Opened, sessionId: string) {
  const named = env['PIT_SESSION_WALLET']
  if (named !== undefined && !/^0x[0-9a-fA-F]{40}$/.test(named))
    throw new UsageRefused('PIT_SESSION_WALLET is no address.')
  if (named !== undefined) return named.toLowerCase() as `0x${string}`
  const { as_executor } = await client.sessions()
  const found = as_executor.find(({ session_id }) => session_id === sessionId)
  if (!found) throw new UsageRefused(`${client.address} is the executor of no session ${sessionId}.`)
  return found.wallet.toLowerCase() as `0x${string}`
}
