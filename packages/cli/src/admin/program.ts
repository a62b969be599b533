import type { LostByRestore } from '@pit/platform/signerCalls'
import { TREASURY_BUCKETS } from '@pit/protocol'
import type { Ask } from '@pit/server/operator'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Transfer, transfers, txHash, whole } from './arguments.ts'
import { addLeague } from './leagueCommands.ts'
import { type Print, printActions, printClosing, printJson, printStatus, printTransfer } from './print.ts'
import { sanctionsCommand } from './sanctionsCommand.ts'

/** How commands reach the operator's face, and the signer. */
export interface AdminDeps {
  /** Who runs this, unless --operator says otherwise. */
  user: string
  act(request: Ask): Promise<unknown>
  freezeSigner(request: { frozen: boolean; operator: string; reason: string }): Promise<{ frozen: boolean }>
  acceptLedger(request: { lost: LostByRestore; operator: string; reason: string }): Promise<{
    sessions_ended: number
  }>
  /** Where the list is read from, by the settings. */
  sanctionsFile?: string | undefined
  print: Print
}

/** The commands of pit-admin. Each is one ask. */
export function createAdminProgram(deps: AdminDeps): Command {
  const program = new Command('pit-admin')
    .description(
      'Operates a Pit: switches, the signer’s freeze, the treasury’s weeks and transfers, the league.',
    )
    .option('--operator <name>', 'who does this; kept with what was done', deps.user)
    .option('--json', 'print answers as JSON')
    .showHelpAfterError('(--help says more)')
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
  const reasonOption = () => new Option('--reason <text>', 'why; kept and shown').makeOptionMandatory()

  program
    .command('status')
    .description('How switches, signer and treasury stand.')
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
            print(`${name} is ${on ? 'on' : 'off'}${changed ? '' : ' (it was already)'}`),
          reason,
        ),
      )
  throwSwitch('kill', 'The kill switch: on, and no hosted agent trades.')
  throwSwitch('live', 'Whether hosted agents may trade live.')

  const signer = program.command('signer').description('The signer’s freeze: while frozen it signs nothing.')
  for (const frozen of [true, false]) {
    signer
      .command(frozen ? 'freeze' : 'thaw')
      .description(frozen ? 'Nothing is signed any more, sessions and executors alike.' : 'Signs again.')
      .addOption(reasonOption())
      .action(async ({ reason }: { reason: string }) => {
        const { operator, json } = settings()
        const answer = await deps.freezeSigner({ frozen, operator, reason })
        if (json) printJson(deps.print, answer)
        else deps.print(answer.frozen ? 'the signer is frozen' : 'the signer signs again')
      })
  }

  signer
    .command('restored')
    .description(
      'Opens a ledger that came back from a backup. Unknown loss ends every session: what they spent since ' +
        'is not known, and their owners grant again.',
    )
    .addOption(
      new Option('--lost <what>', 'nothing: the signer was stopped before the backup was taken')
        .choices(['nothing', 'unknown'])
        .makeOptionMandatory(),
    )
    .addOption(reasonOption())
    .action(async ({ lost, reason }: { lost: LostByRestore; reason: string }) => {
      const { operator, json } = settings()
      const answer = await deps.acceptLedger({ lost, operator, reason })
      if (json) printJson(deps.print, answer)
      else deps.print(`the signer signs again; ${answer.sessions_ended} sessions were ended`)
    })

  program
    .command('week')
    .description('The treasury’s weeks.')
    .command('close')
    .description(
      'Records the oldest week that has ended; the job does it by itself when ledger and chain agree.',
    )
    .option('--early', 'end the running week now (devnet only)', false)
    .option('--accept <reason>', 'record it although ledger and chain differ, and say why')
    .option(
      '--transfer <bucket:hash>',
      'a mined transfer of its shares, recorded with the week; may be given several times',
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
    .description('What was sent to the buckets.')
    .command('record')
    .description(
      'Records a mined transfer from the platform wallet to a bucket’s; amounts are read from the chain.',
    )
    .addOption(
      new Option('--bucket <name>', 'whose share it is').choices([...TREASURY_BUCKETS]).makeOptionMandatory(),
    )
    .requiredOption('--tx <hash>', 'its transaction', txHash)
    .option('--reason <text>', 'why, when more was sent than is owed')
    .action(({ bucket, tx, reason }: { bucket: string; tx: string; reason?: string }) =>
      ask('transfer.record', { bucket, tx_hash: tx }, printTransfer, reason ?? null),
    )

  addLeague(program, ask, reasonOption)
  program.addCommand(sanctionsCommand(ask, deps.sanctionsFile))

  program
    .command('audit')
    .description('What operators did.')
    .command('list')
    .description('Newest first.')
    .option('--limit <n>', 'how many', whole, 50)
    .option('--before <id>', 'only older than this one', whole)
    .action(({ limit, before }: { limit: number; before?: number }) =>
      ask('audit.list', { limit, before: before ?? null }, printActions),
    )
  return program
}

function isOn(word: string): boolean {
  if (word === 'on' || word === 'off') return word === 'on'
  throw new InvalidArgumentError('say on or off')
}
