import { keepFilesPrivate } from '@pit/platform/ownFiles'
import { Command } from 'commander'
import { backtestCommand } from './backtest/backtestCommand.ts'
import { openBacktestDeps } from './backtest/openDeps.ts'
import { CommandRefused } from './backtest/refused.ts'
import { environment } from './config.ts'
import { leagueCommand, openVerifyDeps } from './leagueVerify.ts'

// What a person or an agent runs beside a Pit. Each command is a file of its own.

keepFilesPrivate()
const program = new Command('pit')
  .description('Works with a Pit: rehearse a brain before it runs, recompute a season of the league.')
  .showHelpAfterError('(--help says more)')
  .addCommand(backtestCommand(openBacktestDeps(environment())))
  .addCommand(leagueCommand(openVerifyDeps(environment())))

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommandRefused) console.error(error.message)
  else console.error(error)
  process.exitCode = 1
}
