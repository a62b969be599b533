import { randomUUID } from 'node:crypto'
import { isRefusal, PitRefusal } from '@pit/client'
import { BRAINS, etherText, NEW_AGENT } from '@pit/protocol'
import { Argument, Command } from 'commander'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { defined, duration, jsonObject, positive } from '../client/parse.ts'
import { agree, quoted, requireConfirmation, show } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { stateRows } from '../session/endCommands.ts'
import { liveCommand } from './liveCommand.ts'
import { logsCommand } from './logsCommand.ts'
import { showAgent } from './showAgent.ts'

/** `pit agent`: agents hosted by the server. */
export const agentCommand = (deps: CommandDeps): Command =>
  new Command('agent')
    .description('Agents hosted by the server, on paper or live.')
    .addCommand(createCommand(deps))
    .addCommand(listCommand(deps))
    .addCommand(oneAgentCommand(deps, 'show', 'Show an agent: state, holds and book.', 'hosted.get'))
    .addCommand(logsCommand(deps))
    .addCommand(oneAgentCommand(deps, 'pause', 'Pause an agent.', 'hosted.pause'))
    .addCommand(oneAgentCommand(deps, 'resume', 'Resume a paused agent.', 'hosted.resume'))
    .addCommand(stopCommand(deps))
    .addCommand(liveCommand(deps))
    .addCommand(deleteCommand(deps))

interface CreateFlags {
  pairs: string[]
  every: number
  maxTradeUsd: number
  maxDayUsd: number
  maxPositionUsd: number
  params: Record<string, unknown>
  name?: string
  live?: boolean
  paperUsdg?: number
  accept?: string[]
  shield?: boolean
  clientId?: string
}

const createCommand = (deps: CommandDeps): Command =>
  new Command('create')
    .description('Create an agent. A paper agent starts at once; a live one starts with pit agent live.')
    .addArgument(new Argument('<brain>', 'Brain that decides the trades').choices(BRAINS))
    .option('--pairs <pairs...>', 'Pairs it trades, as BASE/QUOTE', [...NEW_AGENT.pairs])
    .option('--every <time>', 'Time between decisions, such as 5m', duration, NEW_AGENT.intervalS)
    .option('--max-trade-usd <dollars>', 'Maximum per trade in USD', positive, NEW_AGENT.maxTradeUsd)
    .option('--max-day-usd <dollars>', 'Maximum in 24 hours in USD', positive, NEW_AGENT.maxDayUsd)
    .option(
      '--max-position-usd <dollars>',
      'Maximum position per asset in USD',
      positive,
      NEW_AGENT.maxPositionUsd,
    )
    .option('--params <json>', 'Parameters of the brain', jsonObject, {})
    .option('--name <text>', 'Display name')
    .option('--live', 'Trade your wallet once a session is attached (default: paper)')
    .option('--paper-usdg <dollars>', 'Starting cash of a paper agent in USDG', positive)
    .option('--accept <codes...>', 'Codes of severe risks it accepts')
    .option('--shield', 'Check every trade against the token audit')
    .option('--client-id <id>', 'Idempotency key; repeat it when you retry')
    .action(async (brain: string, flags: CreateFlags, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const client_id = flags.clientId ?? randomUUID()
      const body = defined({
        brain,
        params: flags.params,
        interval_s: flags.every,
        pairs: flags.pairs,
        limits: {
          max_trade_usd: flags.maxTradeUsd,
          max_day_usd: flags.maxDayUsd,
          max_position_usd: flags.maxPositionUsd,
        },
        mode: flags.live ? 'live' : 'paper',
        name: flags.name,
        paper_book: flags.paperUsdg === undefined ? undefined : { usdg: flags.paperUsdg },
        accept_risks: flags.accept,
        shield: flags.shield,
        client_id,
      })
      const agent = await opened.client.hosted.create(body as never).catch(withId(client_id))
      showAgent(deps, opened, agent, [
        ...(agent.webhook_secret === undefined ? [] : [['webhook secret', agent.webhook_secret]]),
        ...agent.holds.map(({ code, message }) => [code, quoted(message)]),
      ])
      if (agent.mode === 'live') deps.terminal.say(`Start it with: pit agent live ${agent.id}`)
    })

/** Retrying with the same id does not create a second agent. */
const withId =
  (clientId: string) =>
  (error: unknown): never => {
    if (!isRefusal(error) || error.retry !== 'look_first') throw error
    throw new PitRefusal(error.code, error.message, {
      retry: error.retry,
      hint: `Run it again with --client-id ${clientId}; that does not create a second agent.`,
      cause: error,
    })
  }

const listCommand = (deps: CommandDeps): Command =>
  new Command('list').description('List your agents.').action(async (_options: object, command: Command) => {
    const opened = await openSignedIn(deps, command)
    const { agents } = await opened.client.api['hosted.list']()
    const book = agents.some(({ mode }) => mode === 'live') ? 'live' : 'paper'
    show(
      deps,
      opened,
      agents,
      () =>
        table([
          ['agent', 'name', 'brain', 'mode', 'status', 'trading', 'pairs', 'profit $'],
          ...agents.map((one) => [
            one.id,
            one.name,
            one.brain,
            one.mode,
            one.status,
            one.trading ? 'yes' : (one.watch?.holds[0]?.code ?? 'no'),
            one.pairs.join(' '),
            one.pnl?.profit_usd ?? null,
          ]),
        ]),
      { book },
    )
  })

/** A command that calls one route of an agent and shows the result. */
const oneAgentCommand = (
  deps: CommandDeps,
  name: string,
  description: string,
  route: 'hosted.get' | 'hosted.pause' | 'hosted.resume',
): Command =>
  new Command(name)
    .description(description)
    .argument('<id>')
    .action(async (id: string, _options: object, command: Command) => {
      const opened = await openSignedIn(deps, command)
      showAgent(deps, opened, await opened.client.api[route]({ params: { id } }))
    })

const stopCommand = (deps: CommandDeps): Command =>
  new Command('stop')
    .description('Stop an agent permanently. Ends a live agent’s sessions on chain and refunds its gas.')
    .argument('<id>')
    .option('--no-on-chain', 'End its sessions at the co-signer only; signs nothing')
    .option('-y, --yes', 'Skip the confirmation')
    .action(async (id: string, { onChain, yes }: { onChain: boolean; yes?: boolean }, command: Command) => {
      requireConfirmation(deps, yes)
      const opened = await openSignedIn(deps, command)
      await agree(deps, `Stop agent ${id} permanently?`, yes)
      const { agent, sessions, revoked } = await opened.client.hosted.stop(id, { onChain })
      const ended = revoked.flatMap(({ roots }) =>
        roots.map(({ hash, state }) => ['root', `${hash} ${state}`]),
      )
      const left = onChain ? [] : stateRows(sessions)
      const home = agent.mode === 'live' && onChain ? await gasHome(deps, opened, id) : []
      showAgent(deps, opened, agent, [...ended, ...left, ...home])
    })

/** Refunds the rest of a live agent's gas, if any. */
async function gasHome({ terminal }: CommandDeps, { client }: Opened, id: string): Promise<string[][]> {
  const { refund } = await client.api['hosted.executor']({ params: { id } })
  if (!refund.available) {
    terminal.say(
      `No gas refunded. ${refund.why_not ? `The server said: ${quoted(refund.why_not)}` : 'The executor has none.'}`,
    )
    return []
  }
  const { value_wei, tx_hash } = await client.hosted.refundGas(id)
  return [['gas refund', `${etherText(BigInt(value_wei))} in ${tx_hash}`]]
}

const deleteCommand = (deps: CommandDeps): Command =>
  new Command('delete')
    .description('Delete a paper agent or a stopped live agent.')
    .argument('<id>')
    .option('-y, --yes', 'Skip the confirmation')
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      requireConfirmation(deps, yes)
      const opened = await openSignedIn(deps, command)
      await agree(deps, `Delete agent ${id}?`, yes)
      const deleted = await opened.client.api['hosted.delete']({ params: { id } })
      show(deps, opened, deleted, () => table([[deleted.id, 'deleted']]))
    })
