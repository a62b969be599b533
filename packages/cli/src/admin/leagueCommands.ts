import { DIVISIONS } from '@pit/league/rules'
import { type Command, Option } from 'commander'
import { txHash, walletAddress, whole } from './arguments.ts'
import { type Print, printDivision, printJson, printPayouts } from './print.ts'

const season = () => new Option('--season <n>', 'which season').argParser(whole).makeOptionMandatory()

/** One ask, and how its answer is shown. */
export type AskFor = (
  name: string,
  input: Record<string, unknown>,
  show: (print: Print, answer: unknown) => void,
  reason?: string | null,
) => Promise<void>

/** What a person decides in the league: reviews, ledgers, prizes, divisions. */
export function addLeague(program: Command, request: AskFor, reasonOption: () => Option): void {
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
      request(
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
      request(
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
  addPayouts(program, request, reasonOption)
  program
    .command('account')
    .description('Accounts.')
    .command('division')
    .description('What an account trades; the practice board takes one division only.')
    .requiredOption('--wallet <address>', 'the account’s wallet', walletAddress)
    .addOption(
      new Option('--division <name>', 'what it trades').choices([...DIVISIONS]).makeOptionMandatory(),
    )
    .addOption(reasonOption())
    .action((given: { wallet: string; division: string; reason: string }) =>
      request(
        'account.division',
        { wallet: given.wallet, division: given.division },
        (print, answer) => printDivision(print, answer as Parameters<typeof printDivision>[1]),
        given.reason,
      ),
    )
}

function addPayouts(program: Command, request: AskFor, reasonOption: () => Option): void {
  const payout = program.command('payout').description('Prizes that are owed and were sent.')
  payout
    .command('list')
    .description('What is planned and not paid yet, and why it is held back where it is.')
    .action(() =>
      request('league.payouts', {}, (print, answer) =>
        printPayouts(print, answer as Parameters<typeof printPayouts>[1]),
      ),
    )
  payout
    .command('recipient')
    .description('Sends a prize that was not paid to the agent’s wallet as the registry records it now.')
    .addOption(season())
    .requiredOption('--place <n>', 'which place, 1 to 3', whole)
    .addOption(reasonOption())
    .action((given: { season: number; place: number; reason: string }) =>
      request(
        'league.recipient',
        { season: given.season, place: given.place },
        (print, answer) => {
          const { from, to } = answer as { from: string; to: string }
          print(`place ${given.place} of season ${given.season} goes to ${to}, not ${from}`)
        },
        given.reason,
      ),
    )
  payout
    .command('record')
    .description(
      'Names the transaction that pays a winner; it counts once the chain shows exactly that transfer.',
    )
    .addOption(season())
    .requiredOption('--place <n>', 'which place, 1 to 3', whole)
    .requiredOption('--tx <hash>', 'its transaction', txHash)
    .action((given: { season: number; place: number; tx: string }) =>
      request('league.payout', { season: given.season, place: given.place, tx_hash: given.tx }, (print) =>
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
      request(
        'league.withdrawal',
        { season: given.season, tx_hash: given.tx ?? null, amount: given.amount },
        (print) => print(`the withdrawal for season ${given.season} is recorded`),
        given.reason ?? null,
      ),
    )
}
