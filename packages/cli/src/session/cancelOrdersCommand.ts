import { Command } from 'commander'
import { type CommandDeps, openSignedIn } from '../client/openClient.ts'
import { show } from '../client/show.ts'
import { hashes, receiptTable } from '../orders/orderCommands.ts'

/** `pit session cancel-orders`: for orders that no hosted agent carries out. */
export const cancelOrdersCommand = (deps: CommandDeps): Command =>
  new Command('cancel-orders')
    .description('Cancel signed orders of a session that your own executor trades in. Signs nothing.')
    .argument('<session-id>')
    .argument('<orders...>', 'Order ids', hashes)
    .action(async (sessionId: string, ids: `0x${string}`[], _: object, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const done = deps.terminal.progress('Cancelling')
      const receipts = await opened.client.orders.cancelInSession({ sessionId, ids }).finally(done)
      show(deps, opened, { receipts }, () => receiptTable(receipts), { source: 'own' })
    })
