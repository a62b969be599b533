import { fromWireOrders } from '@pit/chain'
import { describeOrder, isOpenOrder, type ListTerms, type PlacedList, pinnedTokens } from '@pit/client'
import { grouped } from '@pit/protocol'
import { Command } from 'commander'
import { UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { hash } from '../client/parse.ts'
import { agree, headingOf, quoted, requireConfirmation, show, timeText } from '../client/show.ts'
import { table } from '../client/terminal.ts'

/** Shows the list in words, from the data that is signed, and asks before signing. */
export const confirmList = (deps: CommandDeps, { target }: Opened, yes?: boolean) => ({
  async confirm({ lines, warnings }: ListTerms): Promise<boolean> {
    deps.terminal.say(headingOf(target, 'live'))
    for (const line of lines) deps.terminal.say(line)
    for (const warning of warnings) deps.terminal.say(`Note: ${warning}`)
    await agree(deps, lines.length > 1 ? 'Sign these orders?' : 'Sign this order?', yes)
    return true
  },
})

export function showPlaced(deps: CommandDeps, opened: Opened, placed: PlacedList): void {
  const { agentId, list, ids, receipt, orders, terms } = placed
  const value = { agent_id: agentId, list, ids, receipt, orders, warnings: terms.warnings }
  show(
    deps,
    opened,
    value,
    () =>
      table([
        ...ids.map((id, i) => [`order ${i + 1}`, id]),
        ['confirmed', receipt ? `by the co-signer at ${timeText(receipt.at)}` : 'on paper'],
      ]),
    { book: receipt ? 'live' : 'paper', source: 'own' },
  )
}

/** `pit orders AGENT`: its signed orders, and the signatures it waits for. */
export const ordersCommand = (deps: CommandDeps): Command =>
  new Command('orders')
    .description('List an agent’s signed orders and the signatures it waits for.')
    .argument('<agent>')
    .option('--open', 'Only orders that have not ended')
    .action(async (agentId: string, { open = false }: { open?: boolean }, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const { orders: all, wanted, ...rest } = await opened.client.orders.list(agentId)
      const orders = open ? all.filter(isOpenOrder) : all
      const tokens = pinnedTokens(opened.client.pins)
      show(deps, opened, { ...rest, orders, wanted }, () =>
        table([
          ['order', 'state', 'reason', 'average', 'terms'],
          ...orders.map(({ id, state, why, average_price_usd: price, order }) => [
            id,
            state,
            why,
            price === null ? null : `$${grouped(price)}`,
            describeOrder(tokens, orderIn(order)),
          ]),
        ]),
      )
      for (const { id, why, valid_until } of wanted)
        deps.terminal.say(
          `Signature wanted until ${timeText(valid_until)}: ${quoted(why)} Sign it with: ` +
            `pit sign ${id} --agent ${agentId}`,
        )
    })

const NONE = `0x${'0'.repeat(64)}` as const
const orderIn = (order: object) =>
  fromWireOrders({ session: NONE, nonce: NONE, replaces: [], orders: [order as never] }).orders[0]!

/** `pit sign ID`: signs a trade that an agent waits for, once its list was checked. */
export const signCommand = (deps: CommandDeps): Command =>
  new Command('sign')
    .description('Sign a trade that an agent waits for, after checking it on your own node.')
    .argument('<id>', 'Id of the wanted signature, see pit orders', hash)
    .option('--agent <id>', 'Its agent (default: searched among your live agents)')
    .option('-y, --yes', 'Skip the confirmation')
    .action(async (id: string, { agent, yes }: { agent?: string; yes?: boolean }, command: Command) => {
      requireConfirmation(deps, yes)
      const opened = await openSignedIn(deps, command)
      const agentId = agent ?? (await agentWaitingFor(opened, id))
      const confirmation = confirmList(deps, opened, yes)
      showPlaced(deps, opened, await opened.client.orders.signWanted({ agentId, id }, confirmation))
    })

async function agentWaitingFor({ client }: Opened, id: string): Promise<string> {
  const { agents } = await client.api['hosted.list']()
  for (const agent of agents.filter(({ mode }) => mode === 'live')) {
    const { wanted } = await client.orders.list(agent.id)
    if (wanted.some((one) => one.id.toLowerCase() === id)) return agent.id
  }
  throw new UsageRefused(`None of your live agents waits for the signature ${id}.`)
}
