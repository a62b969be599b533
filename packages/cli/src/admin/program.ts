import type { Ask } from '@pit/server/operator'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Print, printActions, printClosing, printJson, printStatus, printTransfer } from './print.ts'

/** How commands reach the operator's face, and the signer. */
export interface AdminPlace {
  /** Who runs this, unless --operator says otherwise. */
  user: string
  act(ask: Ask): Promise<unknown>
  freezeSigner(ask: { frozen: boolean; operator: string; reason: string }): Promise<{ frozen: boolean }>
  print: Print
}

const TX = /^0x[0-9a-fA-F]{64}$/

/** The commands of pit-admin. Each is one ask. */
export function createAdminProgram(place: AdminPlace): Command {
  const program = new Command('pit-admin')
    .description(
      'Operates a Pit: switches, the signer’s freeze, the treasury’s weeks and transfers, the league.',
    )
    .option('--operator <name>', 'who does this; kept with what was done', place.user)
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
    const answer = (await place.act({ name, operator, reason, input })) as T
    if (json) printJson(place.print, answer)
    else show(place.print, answer)
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
        const answer = await place.freezeSigner({ frozen, operator, reason })
        if (json) printJson(place.print, answer)
        else place.print(answer.frozen ? 'the signer is frozen' : 'the signer signs again')
      })
  }

  program
    .command('week')
    .description('The treasury’s weeks.')
    .command('close')
    .description(
      'Records the oldest week that has ended; the job does it by itself when ledger and chain agree.',
    )
    .option('--early', 'end the running week now (devnet only)', false)
    .option('--accept <reason>', 'record it although ledger and chain differ, and say why')
    .action(({ early, accept }: { early: boolean; accept?: string }) =>
      ask('week.close', { early, accept: accept ?? null }, printClosing),
    )

  program
    .command('transfer')
    .description('What was sent to the buckets.')
    .command('record')
    .description(
      'Records a mined transfer from the platform wallet to a bucket’s; amounts are read from the chain.',
    )
    .addOption(
      new Option('--bucket <name>', 'whose share it is')
        .choices(['operations', 'buybacks', 'treasury'])
        .makeOptionMandatory(),
    )
    .requiredOption('--tx <hash>', 'its transaction', txHash)
    .option('--reason <text>', 'why, when more was sent than is owed')
    .action(({ bucket, tx, reason }: { bucket: string; tx: string; reason?: string }) =>
      ask('transfer.record', { bucket, tx_hash: tx }, printTransfer, reason ?? null),
    )

  addLeague(program, ask, reasonOption)

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

type AskFor = (
  name: string,
  input: Record<string, unknown>,
  show: (print: Print, answer: unknown) => void,
  reason?: string | null,
) => Promise<void>

function addLeague(program: Command, ask: AskFor, reasonOption: () => Option): void {
  const season = () => new Option('--season <n>', 'which season').argParser(whole).makeOptionMandatory()
  const league = program.command('league').description('What a person decides in the league.')
  league
    .command('review')
    .description('Judges one rule of one entry; the judgement and its reason are shown beside it.')
    .addOption(season())
    .requiredOption('--entry <id>', 'the entry', whole)
    .requiredOption('--rule <RULE>', 'the rule’s code')
    .addOption(
      new Option('--status <status>', 'how it is judged').choices(['pass', 'fail']).makeOptionMandatory(),
    )
    .addOption(reasonOption())
    .action((given: { season: number; entry: number; rule: string; status: string; reason: string }) =>
      ask(
        'league.review',
        { season: given.season, entry_id: given.entry, rule: given.rule, status: given.status },
        (print) => print(`entry ${given.entry}: ${given.rule} is ${given.status}`),
        given.reason,
      ),
    )
  league
    .command('settle')
    .description('Fixes a decided season’s ledger: budget, shares, reserve.')
    .addOption(season())
    .option('--gain <atoms>', 'the stake’s gain, where it could not be read')
    .option('--partner-price <e18>', 'dollars for a whole token times 10^18, where no mark was read')
    .option('--reason <text>', 'where gain or price are from')
    .action((given: { season: number; gain?: string; partnerPrice?: string; reason?: string }) =>
      ask(
        'league.settle',
        {
          season: given.season,
          gain: given.gain ?? null,
          partner_price_e18: given.partnerPrice ?? null,
        },
        (print, answer) => {
          print(`season ${given.season} is settled`)
          printJson(print, answer)
        },
        given.reason ?? null,
      ),
    )
  const payout = program.command('payout').description('Prizes that were sent.')
  payout
    .command('record')
    .description(
      'Names the transaction that pays a winner; it counts once the chain shows exactly that transfer.',
    )
    .addOption(season())
    .requiredOption('--place <n>', 'which place, 1 to 3', whole)
    .requiredOption('--tx <hash>', 'its transaction', txHash)
    .action((given: { season: number; place: number; tx: string }) =>
      ask('league.payout', { season: given.season, place: given.place, tx_hash: given.tx }, (print) =>
        print(
          `place ${given.place} of season ${given.season} is paid by ${given.tx}, once the chain shows it`,
        ),
      ),
    )
  payout
    .command('withdrawal')
    .description('Keeps what was taken out of the stake for a season’s prizes.')
    .addOption(season())
    .requiredOption('--amount <atoms>', 'how much')
    .option('--tx <hash>', 'its transaction', txHash)
    .option('--reason <text>', 'a note; why, where nothing was moved')
    .action((given: { season: number; amount: string; tx?: string; reason?: string }) =>
      ask(
        'league.withdrawal',
        { season: given.season, tx_hash: given.tx ?? null, amount: given.amount },
        (print) => print(`the withdrawal for season ${given.season} is recorded`),
        given.reason ?? null,
      ),
    )
}

function isOn(word: string): boolean {
  if (word === 'on' || word === 'off') return word === 'on'
  throw new InvalidArgumentError('say on or off')
}
function txHash(text: string): string {
  if (!TX.test(text)) throw new InvalidArgumentError('a transaction hash is 0x and 64 hex digits')
  return text.toLowerCase()
}
function whole(text: string): number {
  const value = Number(text)
  if (!/^[0-9]{1,12}$/.test(text) || value < 1) throw new InvalidArgumentError('a whole number from 1 on')
  return value
}
