import { DIVISIONS } from '@pit/league/rules'
import { type Command, Option } from 'commander'
import { txHash, walletAddress, whole } from './arguments.ts'
import { type Print, printDivision, printJson, printPayouts } from './print.ts'

const season = () => new Option('--season <n>', 'Season number').argParser(whole).makeOptionMandatory()

/** Sends one request and prints its response. */
export type AskFor = (
  name: string,
  input: Record<string, unknown>,
  show: (print: Print, answer: unknown) => void,
  reason?: string | null,
) => Promise<void>

/** League decisions of the operator: reviews, ledgers, prizes, divisions. */
export function addLeague(program: Command, request: AskFor, reasonOption: () => Option): void {
  const league = program.command('league').description('League decisions: reviews, settlement, divisions.')
  league
    .command('review')
    .description('Override one rule for one entry. The status and its reason are published with the entry.')
    .addOption(season())
    .requiredOption('--entry <id>', 'Entry id', whole)
    .requiredOption('--rule <RULE>', 'Rule code')
    .addOption(
      new Option('--status <status>', 'New status of the rule')
        .choices(['pass', 'fail'])
        .makeOptionMandatory(),
    )
    .addOption(reasonOption())
    .action((given: { season: number; entry: number; rule: string; status: string; reason: string }) =>
      request(
        'league.review',
        { season: given.season, entry_id: given.entry, rule: given.rule, status: given.status },
        (print) => print(`Entry ${given.entry}: ${given.rule} set to ${given.status}.`),
        given.reason,
      ),
    )
  league
    .command('admit')
    .description('Let a practice entry play the running season instead of the next one.')
    .requiredOption('--entry <id>', 'Entry id', whole)
    .addOption(reasonOption())
    .action((given: { entry: number; reason: string }) =>
      request(
        'league.admit',
        { entry_id: given.entry },
        (print, answer) =>
          print(`Entry ${given.entry} plays season ${(answer as { season: number }).season}.`),
        given.reason,
      ),
    )
  league
    .command('settle')
    .description('Settle a decided season: fixes its budget, shares and reserve.')
    .addOption(season())
    .option('--gain <atoms>', 'Gain of the stake in atoms, if it could not be read')
    .option('--partner-price <e18>', 'Price of one token in USD times 10^18, if no mark was read')
    .option('--reason <text>', 'Source of the gain or price')
    .action((given: { season: number; gain?: string; partnerPrice?: string; reason?: string }) =>
      request(
        'league.settle',
        {
          season: given.season,
          gain: given.gain ?? null,
          partner_price_e18: given.partnerPrice ?? null,
        },
        (print, answer) => {
          print(`Season ${given.season} settled.`)
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
    .description('Set the division of an account. The practice board accepts one division only.')
    .requiredOption('--wallet <address>', 'Wallet of the account', walletAddress)
    .addOption(new Option('--division <name>', 'Division').choices([...DIVISIONS]).makeOptionMandatory())
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
  const payout = program.command('payout').description('Prize payouts.')
  payout
    .command('list')
    .description('List unpaid prizes, with the reason if one is held back.')
    .action(() =>
      request('league.payouts', {}, (print, answer) =>
        printPayouts(print, answer as Parameters<typeof printPayouts>[1]),
      ),
    )
  payout
    .command('recipient')
    .description('Redirect an unpaid prize to the agent’s current wallet in the registry.')
    .addOption(season())
    .requiredOption('--place <n>', 'Place, 1 to 3', whole)
    .addOption(reasonOption())
    .action((given: { season: number; place: number; reason: string }) =>
      request(
        'league.recipient',
        { season: given.season, place: given.place },
        (print, answer) => {
          const { from, to } = answer as { from: string; to: string }
          print(`Place ${given.place} of season ${given.season} is now paid to ${to} instead of ${from}.`)
        },
        given.reason,
      ),
    )
  payout
    .command('record')
    .description(
      'Record the transaction that pays a winner. It counts once the chain shows exactly that transfer.',
    )
    .addOption(season())
    .requiredOption('--place <n>', 'Place, 1 to 3', whole)
    .requiredOption('--tx <hash>', 'Transaction hash', txHash)
    .action((given: { season: number; place: number; tx: string }) =>
      request('league.payout', { season: given.season, place: given.place, tx_hash: given.tx }, (print) =>
        print(
          `Place ${given.place} of season ${given.season}: payment ${given.tx} recorded, waiting for the chain to confirm it.`,
        ),
      ),
    )
  payout
    .command('withdrawal')
    .description('Record the withdrawal from the stake for a season’s prizes.')
    .addOption(season())
    .requiredOption('--amount <atoms>', 'Amount in atoms')
    .option('--tx <hash>', 'Transaction hash', txHash)
    .option('--reason <text>', 'Note; required if nothing was withdrawn')
    .action((given: { season: number; amount: string; tx?: string; reason?: string }) =>
      request(
        'league.withdrawal',
        { season: given.season, tx_hash: given.tx ?? null, amount: given.amount },
        (print) => print(`Withdrawal for season ${given.season} recorded.`),
        given.reason ?? null,
      ),
    )
}
