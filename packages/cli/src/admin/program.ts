import { TREASURY_BUCKETS } from '@pit/protocol'
import type { Ask } from '@pit/server/operator'
import type { LostByRestore } from '@pit/signer-wire'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Transfer, transfers, txHash, whole } from './arguments.ts'
import { addLeague } from './leagueCommands.ts'
import { type Print, printActions, printClosing, printJson, printStatus, printTransfer } from './print.ts'
import { sanctionsCommand } from './sanctionsCommand.ts'

/** Connections to the server's operator API and to the signer. */
export interface AdminDeps {
  /** Default of --operator. */
  user: string
  act(request: Ask): Promise<unknown>
  freezeSigner(request: { frozen: boolean; operator: string; reason: string }): Promise<{ frozen: boolean }>
  acceptLedger(request: { lost: LostByRestore; operator: string; reason: string }): Promise<{
    sessions_ended: number
  }>
  /** SANCTIONS_FILE, if set. */
  sanctionsFile?: string | undefined
  print: Print
}

/** The commands of pit-admin. Each sends one request. */
export function createAdminProgram(deps: AdminDeps): Command {
  const program = new Command('pit-admin')
    .description('Operate a Pit server: switches, signer freeze, treasury weeks and transfers, league.')
    .option('--operator <name>', 'Operator name, recorded with the action', deps.user)
    .option('--json', 'Print responses as JSON')
    .showHelpAfterError('(use --help for more information)')
    .configureHelp({ showGlobalOptions: true })
  const settings = () => program.opts<{ operator: string; json?: boolean }>()

  async function ask<T>(
    name: string,
    input: Record<string, unknown>,
    show: (print: Print, answer: T) => void,
    reason: string | null = null,
  ): Promise<void> {
    const { operator, json } = settings()
    const answer = (await deps.act({ name, operator, reason, input })) as T
    if (json) printJson(deps.print, answer)
    else show(deps.print, answer)
  }
  const reasonOption = () =>
    new Option('--reason <text>', 'Reason, recorded with the action').makeOptionMandatory()

  program
    .command('status')
    .description('Show the state of switches, signer and treasury.')
    .action(() => ask('status', {}, printStatus))

  const throwSwitch = (name: 'kill' | 'live', description: string) =>
    program
      .command(`${name} <on|off>`)
      .description(description)
      .addOption(reasonOption())
      .action((word: string, { reason }: { reason: string }) =>
        ask<{ on: boolean; changed: boolean }>(
          'switch',
          { name, on: isOn(word) },
          (print, { on, changed }) =>
            print(`${name} is ${on ? 'on' : 'off'}${changed ? '' : ' (unchanged)'}`),
          reason,
        ),
      )
  throwSwitch('kill', 'Kill switch: while it is on, no hosted agent trades.')
  throwSwitch('live', 'Allow or forbid live trading by hosted agents.')

  const signer = program.command('signer').description('Freeze of the signer: while frozen it signs nothing.')
  for (const frozen of [true, false]) {
    signer
      .command(frozen ? 'freeze' : 'thaw')
      .description(frozen ? 'Stop all signatures, for sessions and executors.' : 'Resume signing.')
      .addOption(reasonOption())
      .action(async ({ reason }: { reason: string }) => {
        const { operator, json } = settings()
        const answer = await deps.freezeSigner({ frozen, operator, reason })
        if (json) printJson(deps.print, answer)
        else deps.print(answer.frozen ? 'Signer frozen.' : 'Signer resumed.')
      })
  }

  signer
    .command('restored')
    .description(
      'Accept a ledger restored from a backup. With unknown loss every session ends, because its spending ' +
        'since the backup is not known; owners grant new ones.',
    )
    .addOption(
      new Option('--lost <what>', 'Data lost; "nothing" only if the signer was stopped before the backup')
        .choices(['nothing', 'unknown'])
        .makeOptionMandatory(),
    )
    .addOption(reasonOption())
    .action(async ({ lost, reason }: { lost: LostByRestore; reason: string }) => {
      const { operator, json } = settings()
      const answer = await deps.acceptLedger({ lost, operator, reason })
      if (json) printJson(deps.print, answer)
      else deps.print(`Signer resumed; ${answer.sessions_ended} sessions ended.`)
    })

  program
    .command('week')
    .description('Treasury weeks.')
    .command('close')
    .description('Record the oldest ended week. A job does this automatically when ledger and chain agree.')
    .option('--early', 'End the running week now (devnet only)', false)
    .option('--accept <reason>', 'Record it although ledger and chain differ, for this reason')
    .option(
      '--transfer <bucket:hash>',
      'Mined transfer of the week’s shares, recorded with it (repeatable)',
      transfers,
      [],
    )
    .action(({ early, accept, transfer }: { early: boolean; accept?: string; transfer: Transfer[] }) =>
      ask(
        'week.close',
        { early, accept: accept ?? null, ...(transfer.length > 0 && { transfers: transfer }) },
        printClosing,
      ),
    )

  program
    .command('transfer')
    .description('Transfers to the buckets.')
    .command('record')
    .description(
      'Record a mined transfer from the platform wallet to a bucket; amounts are read from the chain.',
    )
    .addOption(new Option('--bucket <name>', 'Bucket').choices([...TREASURY_BUCKETS]).makeOptionMandatory())
    .requiredOption('--tx <hash>', 'Transaction hash', txHash)
    .option('--reason <text>', 'Reason, required if more was sent than is owed')
    .action(({ bucket, tx, reason }: { bucket: string; tx: string; reason?: string }) =>
      ask('transfer.record', { bucket, tx_hash: tx }, printTransfer, reason ?? null),
    )

  addLeague(program, ask, reasonOption)
  program.addCommand(sanctionsCommand(ask, deps.sanctionsFile))

  program
    .command('audit')
    .description('Operator actions.')
    .command('list')
    .description('List actions, newest first.')
    .option('--limit <n>', 'Maximum number of rows', whole, 50)
    .option('--before <id>', 'Only actions older than this id', whole)
    .action(({ limit, before }: { limit: number; before?: number }) =>
      ask('audit.list', { limit, before: before ?? null }, printActions),
    )
  return program
}

function isOn(word: string): boolean {
  if (word === 'on' || word === 'off') return word === 'on'
  throw new InvalidArgumentError('Must be on or off.')
}
