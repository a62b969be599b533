import { Command, CommanderError, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { agentCommand } from './agent/agentCommands.ts'
import { backtestCommand } from './backtest/backtestCommand.ts'
import { openBacktestDeps } from './backtest/openDeps.ts'
import { doctorCommand } from './checks/doctorCommand.ts'
import {
  configCommand,
  keyCommand,
  loginCommand,
  portfolioCommand,
  quoteCommand,
  tokenCommand,
  tradesCommand,
} from './client/accountCommands.ts'
import { json } from './client/exit.ts'
import { fastCommand } from './client/fastCommand.ts'
import type { CommandDeps } from './client/openClient.ts'
import { revokeCommand } from './client/revokeCommand.ts'
import { tradeCommand } from './client/tradeCommand.ts'
import { completionCommand } from './completion.ts'
import { devnetCommand } from './devnet/startCommand.ts'
import { openRecord } from './league/openRecord.ts'
import { playCommands } from './league/playCommands.ts'
import { verifyCommand } from './leagueVerify.ts'
import { mapOf } from './map.ts'
import { mcpCommand } from './mcpCommand.ts'
import { orderCommand } from './orders/orderCommands.ts'
import { ordersCommand, signCommand } from './orders/showOrders.ts'
import { proveCommand } from './prove/proveCommand.ts'
import { reportCommand } from './report/reportCommand.ts'
import { serveCommand } from './serveCommand.ts'
import { sessionCommand } from './session/sessionCommands.ts'
import { skillCommand } from './skillCommand.ts'

/** The `pit` command: each subcommand has its own file. It throws instead of exiting. */
export function createProgram(deps: CommandDeps): Command {
  const { env, terminal } = deps
  const league = new Command('league').description(
    'League standings, entries and verification of a season’s record.',
  )
  const verify = verifyCommand({
    print: terminal.data,
    open: (options) => openRecord(env, options, terminal.say),
  })
  for (const command of [...playCommands(deps), verify]) league.addCommand(command)

  const program: Command = new Command('pit')
    .description('Trade through a Pit server; every plan is verified before it is signed.')
    .version(manifest.version)
    .option('--profile <name>', 'Profile from profiles.json (default: PIT_PROFILE, else the local devnet)')
    .option('--url <url>', 'Server URL')
    .option('--rpc-url <url>', 'Your own node, used to verify the server’s responses')
    .option('--account <name>', 'Foundry keystore to sign with (default: ETH_KEYSTORE_ACCOUNT)')
    .option('--key-stdin', 'Read the account’s private key from stdin')
    .option(
      '--executor-account <name>',
      'Foundry keystore of the executor (default: PIT_EXECUTOR_ACCOUNT, else PIT_EXECUTOR_KEY)',
    )
    .option('--json', 'Print JSON')
    .addOption(new Option('--map <format>', 'Print every command, argument and option').choices(['json']))
    .showHelpAfterError('(use --help for more information)')
    .addCommand(keyCommand(deps))
    .addCommand(loginCommand(deps))
    .addCommand(configCommand(deps))
    .addCommand(tokenCommand(deps))
    .addCommand(quoteCommand(deps))
    .addCommand(tradeCommand(deps))
    .addCommand(fastCommand(deps))
    .addCommand(revokeCommand(deps))
    .addCommand(portfolioCommand(deps))
    .addCommand(tradesCommand(deps))
    .addCommand(reportCommand(deps))
    .addCommand(sessionCommand(deps))
    .addCommand(agentCommand(deps))
    .addCommand(orderCommand(deps))
    .addCommand(ordersCommand(deps))
    .addCommand(signCommand(deps))
    .addCommand(league)
    .addCommand(mcpCommand(deps))
    .addCommand(serveCommand(deps))
    .addCommand(backtestCommand(openBacktestDeps(env, terminal)))
    .addCommand(devnetCommand(deps))
    .addCommand(doctorCommand(deps))
    .addCommand(proveCommand(deps))
    .addCommand(skillCommand(terminal))
    .addCommand(completionCommand(() => program, terminal.data))
    .on('option:map', () => {
      terminal.data(json(mapOf(program)))
      throw new CommanderError(0, 'pit.map', 'the map was printed')
    })
  throwing(program)
  return program
}

/** Makes every command throw instead of exiting, so that one place decides the exit code. */
function throwing(command: Command): void {
  command.exitOverride()
  for (const one of command.commands) throwing(one)
}
