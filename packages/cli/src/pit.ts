import { Command } from 'commander'
import { backtestCommand } from './backtest/backtestCommand.ts'
import { openBacktestPlace } from './backtest/place.ts'
import { CommandRefused } from './backtest/refused.ts'
import { environment } from './config.ts'
import { leagueCommand, openVerifyPlace } from './leagueVerify.ts'

// What a person or an agent runs beside a Pit. Each command is a file of its own.

const program = new Command('pit')
  .description('Works with a Pit: rehearse a brain before it runs, recompute a season of the league.')
  .showHelpAfterError('(--help says more)')
  .addCommand(backtestCommand(openBacktestPlace(environment())))
  .addCommand(leagueCommand(openVerifyPlace(environment())))

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommandRefused) console.error(error.message)
  else console.error(error)
  process.exitCode = 1
}
