import { keepFilesPrivate } from '@pit/platform/ownFiles'
import { Command } from 'commander'
import { backtestCommand } from './backtest/backtestCommand.ts'
import { openBacktestDeps } from './backtest/openDeps.ts'
import { CommandRefused } from './backtest/refused.ts'
import {
  configCommand,
  keyCommand,
  loginCommand,
  portfolioCommand,
  quoteCommand,
  tokenCommand,
  tradesCommand,
} from './client/accountCommands.ts'
import { failureOf } from './client/exit.ts'
import type { CommandDeps } from './client/openClient.ts'
import { openTerminal } from './client/terminal.ts'
import { tradeCommand } from './client/tradeCommand.ts'
import { environment } from './config.ts'
import { leagueCommand, openVerifyDeps } from './leagueVerify.ts'
import { mcpCommand } from './mcpCommand.ts'

// What a person or an agent runs beside a Pit. Each command is a file of its own.

keepFilesPrivate()
const env = environment()
const terminal = openTerminal()
const deps: CommandDeps = { env, terminal, nowMs: Date.now }
const program = new Command('pit')
  .description('Trades through a Pit, and verifies everything before it signs.')
  .option('--profile <name>', 'a profile of profiles.json; PIT_PROFILE; a devnet otherwise')
  .option('--url <url>', 'the server')
  .option('--rpc-url <url>', 'your own node, on which answers are verified')
  .option('--account <name>', 'a keystore of foundry’s folder; ETH_KEYSTORE_ACCOUNT')
  .option('--json', 'data for programs')
  .showHelpAfterError('(--help says more)')
  .addCommand(keyCommand(deps))
  .addCommand(loginCommand(deps))
  .addCommand(configCommand(deps))
  .addCommand(tokenCommand(deps))
  .addCommand(quoteCommand(deps))
  .addCommand(tradeCommand(deps))
  .addCommand(portfolioCommand(deps))
  .addCommand(tradesCommand(deps))
  .addCommand(mcpCommand(deps))
  .addCommand(backtestCommand(openBacktestDeps(env)))
  .addCommand(leagueCommand(openVerifyDeps(env)))

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommandRefused) {
    terminal.say(error.message)
    process.exitCode = 1
  } else {
    const { exit, code, message, fix } = failureOf(error)
    if (program.opts<{ json?: boolean }>().json)
      terminal.data(JSON.stringify({ error: { code, message, fix } }))
    terminal.say(`${code}: ${message}`)
    if (fix) terminal.say(`What to do: ${fix}`)
    process.exitCode = exit
  }
}
