import { Command } from 'commander'
import { type CommandDeps, openSignedIn } from './openClient.ts'
import { address, given } from './parse.ts'
import { agree, show } from './show.ts'
import { plain, table } from './terminal.ts'

/** `pit revoke USDG`: takes token approvals back, by transactions that can do nothing else. */
export const revokeCommand = (deps: CommandDeps): Command =>
  new Command('revoke')
    .description('Take token approvals back: Permit2’s, and what the router may move by it.')
    .argument('[tokens...]', 'core symbols or addresses; USDG otherwise')
    .option('--spender <address>', 'who was approved; Permit2 otherwise', address)
    .option('-y, --yes', 'sign without asking')
    .action(
      async (names: string[], options: { spender?: `0x${string}`; yes?: boolean }, command: Command) => {
        const opened = await openSignedIn(deps, command)
        const { client } = opened
        const ask = given({ tokens: names.length > 0 ? names : undefined, spender: options.spender })
        const { steps, nothing_to_revoke } = await client.api['live.revoke']({
          body: { ...ask, wallet: client.address },
        })
        if (nothing_to_revoke) {
          show(deps, opened, { nothing_to_revoke, transactions: [] }, () => 'There is nothing to take back.')
          return
        }
        for (const { why } of steps) deps.terminal.say(plain(why))
        await agree(deps, `Sign ${steps.length} transactions?`, options.yes)
        const done = deps.terminal.progress('Signing and waiting for blocks')
        const receipts = await client.revokeApprovals(ask).finally(() => done())
        const transactions = receipts.map(({ hash, block }) => ({ tx_hash: hash, block }))
        show(deps, opened, { nothing_to_revoke, transactions }, () =>
          table([['transaction', 'block'], ...transactions.map(({ tx_hash, block }) => [tx_hash, block])]),
        )
      },
    )
