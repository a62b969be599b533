import type { Allowance } from '@pit/client'
import { Command } from 'commander'
import { type CommandDeps, type Opened, openClient } from './openClient.ts'
import { address, defined } from './parse.ts'
import { agree, amountText, show } from './show.ts'
import { table } from './terminal.ts'

/** `pit revoke USDG`: revokes token approvals, by transactions that can do nothing else. */
export const revokeCommand = (deps: CommandDeps): Command =>
  new Command('revoke')
    .description(
      'Revoke token approvals: of Permit2, and of the router through Permit2. Reads your own node.',
    )
    .argument('[tokens...]', 'Core symbols or addresses (default USDG)')
    .option('--spender <address>', 'Approved spender (default Permit2)', address)
    .option('-y, --yes', 'Skip the confirmation')
    .action(
      async (names: string[], options: { spender?: `0x${string}`; yes?: boolean }, command: Command) => {
        const opened = await openClient(deps, command)
        const request = defined({ tokens: names.length > 0 ? names : undefined, spender: options.spender })
        let done = () => {}
        const confirm = async (allowances: readonly Allowance[]) => {
          for (const one of allowances) deps.terminal.say(allowanceText(opened, one))
          await agree(deps, 'Revoke these approvals?', options.yes)
          done = deps.terminal.progress('Signing and waiting for confirmation')
          return true
        }
        const { revoked, receipts } = await opened.client
          .revokeApprovals(request, { confirm })
          .finally(() => done())
        const transactions = receipts.map(({ hash, block }) => ({ tx_hash: hash, block }))
        const shown = {
          nothing_to_revoke: revoked.length === 0,
          revoked: revoked.map(({ amount, ...one }) => ({ ...one, amount: amount.toString() })),
          transactions,
        }
        show(deps, opened, shown, () =>
          revoked.length === 0
            ? 'No approvals left, according to your own node.'
            : table([
                ['transaction', 'block'],
                ...transactions.map(({ tx_hash, block }) => [tx_hash, block]),
              ]),
        )
      },
    )

export const allowanceText = (
  opened: Pick<Opened, 'client'>,
  { by, token, spender, amount }: Allowance,
): string =>
  `${spender} may spend ${amountText(opened, amount, token)}${by === 'permit2' ? ' through Permit2' : ''}`
