import {
  limitOrder,
  type OrderBase,
  type OrderIntent,
  type PlacedList,
  stopOrder,
  takeProfitOrder,
  trailingOrder,
  twapOrder,
} from '@pit/client'
import { Command } from 'commander'
import { UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { decimal, defined, duration, hash, positive, whole } from '../client/parse.ts'
import { requireConfirmation, show } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { confirmList, showPlaced } from './showOrders.ts'

type Hash = `0x${string}`

/** Options of every order. */
interface OrderFlags {
  amount: string
  slippageBps?: number
  for?: number
  startIn?: number
  replaces?: Hash[]
  yes?: boolean
  price?: string
  minPrice?: string
}

/** `pit order`: orders that you sign, carried out by a hosted agent within the co-signer's checks. */
export const orderCommand = (deps: CommandDeps): Command =>
  new Command('order')
    .description('Sign orders that an agent with the brain orders carries out.')
    .addCommand(
      withPrice(orderOf('limit', 'Trade at this price or better, after fees.'), 'Price').action(
        placing(deps, ({ client }, base, { price }) => [limitOrder(client.pins, base, price!)]),
      ),
    )
    .addCommand(
      withTrigger(orderOf('stop', 'Sell once the price is at or below this (buy: at or above).')).action(
        placing(deps, ({ client }, base, { price, minPrice }) => [
          stopOrder(client.pins, base, price!, minPrice),
        ]),
      ),
    )
    .addCommand(
      withTrigger(
        orderOf('take-profit', 'Sell once the price is at or above this (buy: at or below).'),
      ).action(
        placing(deps, ({ client }, base, { price, minPrice }) => [
          takeProfitOrder(client.pins, base, price!, minPrice),
        ]),
      ),
    )
    .addCommand(
      orderOf('trailing', 'Sell once the price fell this far from an earlier one.')
        .requiredOption('--trail <percent>', 'Fall in percent, 1 to 50', positive)
        .action(
          placing<{ trail: number }>(deps, (_, base, { trail }) => [
            trailingOrder(base, Math.round(trail * 100)),
          ]),
        ),
    )
    .addCommand(
      orderOf('twap', 'Trade in equal parts over time.')
        .requiredOption('--parts <n>', 'Number of parts', whole)
        .requiredOption('--every <time>', 'Least time between two parts, such as 10m', duration)
        .option('--price <price>', 'Price or better, after fees', decimal)
        .action(
          placing<{ parts: number; every: number }>(deps, ({ client }, base, { parts, every, price }) => [
            twapOrder(client.pins, base, { slices: parts, everyS: every, price }),
          ]),
        ),
    )
    .addCommand(bracketCommand(deps))
    .addCommand(replaceCommand(deps))
    .addCommand(cancelCommand(deps))

const orderOf = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument('<agent>', 'Agent with the brain orders')
    .argument('<token-in>', 'Token to sell: core symbol (case-sensitive) or address')
    .argument('<token-out>', 'Token to buy')
    .requiredOption('--amount <tokens>', 'Most that it may sell, in whole tokens', decimal)
    .option('--slippage-bps <bps>', 'Maximum slippage in bps (default 100)', whole)
    .option('--for <time>', 'Valid for, such as 7d (default: until the session ends)', duration)
    .option('--start-in <time>', 'Start after, such as 1h (default: at once)', duration)
    .option('--replaces <ids...>', 'Orders that end when this one is registered', hashes)
    .option('-y, --yes', 'Skip the confirmation')

const withPrice = (command: Command, what: string): Command =>
  command.requiredOption(
    '--price <price>',
    `${what} of the token that is not USDG, in USDG (otherwise of the token sold)`,
    decimal,
  )
const withTrigger = (command: Command): Command =>
  command
    .requiredOption('--price <usd>', 'Trigger: price in USD of the token that is not USDG', decimal)
    .option('--min-price <price>', 'Least price after fees; without it, the price of that moment', decimal)

export const hashes = (text: string, earlier: Hash[] = []): Hash[] => [...earlier, hash(text)]

/** Builds the order from the options, shows the list that is signed, and places it. */
const placing =
  <More extends object = object>(
    deps: CommandDeps,
    intentsOf: (opened: Opened, base: OrderBase, flags: OrderFlags & More) => OrderIntent[],
  ) =>
  async (agentId: string, sell: string, buy: string, flags: OrderFlags & More, command: Command) => {
    requireConfirmation(deps, flags.yes)
    const opened = await openSignedIn(deps, command)
    const orders = intentsOf(opened, baseOf(deps, sell, buy, flags), flags)
    const request = { agentId, orders, ...(flags.replaces && { replaces: flags.replaces }) }
    const confirmation = confirmList(deps, opened, flags.yes)
    showPlaced(deps, opened, await opened.client.orders.place(request, confirmation))
  }

function baseOf({ nowMs }: CommandDeps, sell: string, buy: string, flags: OrderFlags): OrderBase {
  const at = (seconds: number | undefined) =>
    seconds === undefined ? undefined : Math.floor(nowMs() / 1000) + seconds
  return defined({
    sell,
    buy,
    amount: flags.amount,
    maxSlippageBps: flags.slippageBps,
    startsAt: at(flags.startIn),
    expiresAt: at(flags.for),
  }) as OrderBase
}

interface BracketFlags extends OrderFlags {
  stop?: string
  stopMin?: string
  takeProfit?: string
  exitAmount?: string
}

const bracketCommand = (deps: CommandDeps): Command =>
  orderOf('bracket', 'Buy, and protect what was bought with a stop, a take-profit or both.')
    .option('--price <price>', 'Price of the entry or better, after fees (default: market)', decimal)
    .option('--stop <usd>', 'Stop of the exit: price in USD', decimal)
    .option('--stop-min <price>', 'Least price of the stop; without it, the price of that moment', decimal)
    .option('--take-profit <usd>', 'Take-profit of the exit: price in USD', decimal)
    .option('--exit-amount <tokens>', 'Most that the exits may sell (default: twice the estimate)', decimal)
    .action(async (agentId: string, sell: string, buy: string, flags: BracketFlags, command: Command) => {
      if (flags.stop === undefined && flags.takeProfit === undefined)
        throw new UsageRefused('Give --stop, --take-profit or both.')
      requireConfirmation(deps, flags.yes)
      const opened = await openSignedIn(deps, command)
      const base = baseOf(deps, sell, buy, flags)
      const entry = flags.price === undefined ? base : limitOrder(opened.client.pins, base, flags.price)
      const exits = defined({
        stopUsd: flags.stop,
        stopLeast: flags.stopMin,
        profitUsd: flags.takeProfit,
        amount: flags.exitAmount,
      })
      const request = { agentId, entry, exits, ...(flags.replaces && { replaces: flags.replaces }) }
      const confirmation = confirmList(deps, opened, flags.yes)
      showPlaced(deps, opened, await opened.client.orders.placeBracket(request, confirmation))
    })

interface ReplaceFlags {
  amount?: string
  price?: string
  least?: string
  trail?: number
  slippageBps?: number
  for?: number
  yes?: boolean
}

const replaceCommand = (deps: CommandDeps): Command =>
  new Command('replace')
    .description('Change an order: the new one sells what is left, and the old one ends at the same moment.')
    .argument('<agent>')
    .argument('<order>', 'Order id', hash)
    .option(
      '--amount <tokens>',
      'Most to sell in all, with what was sold before (default: as before)',
      decimal,
    )
    .option('--price <usd>', 'New price of its trigger in USD', decimal)
    .option('--least <tokens>', 'Least received for all of that, in whole tokens', decimal)
    .option('--trail <percent>', 'New fall of a trailing order in percent', positive)
    .option('--slippage-bps <bps>', 'Maximum slippage in bps', whole)
    .option('--for <time>', 'Valid for, from now', duration)
    .option('-y, --yes', 'Skip the confirmation')
    .action(async (agentId: string, id: Hash, flags: ReplaceFlags, command: Command) => {
      requireConfirmation(deps, flags.yes)
      const opened = await openSignedIn(deps, command)
      const signed = (await opened.client.orders.signed()).get(id)
      const { kind } = (signed ?? (await listedOrder(opened, agentId, id))).trigger
      const change = defined({
        amount: flags.amount,
        least: flags.least,
        maxSlippageBps: flags.slippageBps,
        expiresAt: flags.for === undefined ? undefined : Math.floor(deps.nowMs() / 1000) + flags.for,
        trigger: triggerOf(kind, flags),
      })
      const confirmation = confirmList(deps, opened, flags.yes)
      showPlaced(deps, opened, await opened.client.orders.replace({ agentId, id, change }, confirmation))
    })

async function listedOrder({ client }: Opened, agentId: string, id: Hash) {
  const row = (await client.orders.list(agentId)).orders.find((one) => one.id.toLowerCase() === id)
  if (!row) throw new UsageRefused(`No order ${id} of this agent is listed.`)
  return row.order
}

function triggerOf(kind: string, { price, trail }: ReplaceFlags): OrderIntent['trigger'] {
  if (price !== undefined) {
    if (kind !== 'at_or_below' && kind !== 'at_or_above')
      throw new UsageRefused('This order has no price to trigger at. Change its minimum with --least.')
    return { kind, priceUsd: price }
  }
  if (trail === undefined) return undefined
  if (kind !== 'trailing') throw new UsageRefused('This is not a trailing order.')
  return { kind, trailBps: Math.round(trail * 100) }
}

/** States of orders by the co-signer's receipts, with the input that may still be sent. */
export const receiptTable = (receipts: readonly NonNullable<PlacedList['receipt']>[]): string =>
  table([
    ['order', 'state', 'since', 'may still be sent', 'until'],
    ...receipts.map(({ id, after, at, outstanding, until }) => [
      id,
      after === 'blocked' ? 'not registered, blocked' : after,
      new Date(at * 1000).toISOString(),
      outstanding === '0' ? 'nothing' : `${outstanding} atoms`,
      outstanding === '0' ? null : new Date(until * 1000).toISOString(),
    ]),
  ])

const cancelCommand = (deps: CommandDeps): Command =>
  new Command('cancel')
    .description('Cancel orders; the co-signer confirms each one. Signs nothing.')
    .argument('<agent>')
    .argument('[orders...]', 'Order ids', hashes)
    .option('--all', 'Cancel every open order of the agent')
    .action(async (agentId: string, ids: Hash[], { all = false }: { all?: boolean }, command: Command) => {
      if (all === ids.length > 0) throw new UsageRefused('Give order ids, or --all for every open order.')
      const opened = await openSignedIn(deps, command)
      const done = deps.terminal.progress('Cancelling')
      const cancelled = await opened.client.orders.cancel({ agentId, ...(!all && { ids }) }).finally(done)
      show(deps, opened, cancelled, () =>
        cancelled.receipts.length === 0
          ? `${cancelled.onPaper.length} orders cancelled${cancelled.onPaper.length > 0 ? ' on paper' : ''}.`
          : receiptTable(cancelled.receipts),
      )
    })
