import { randomUUID } from 'node:crypto'
import { isRefusal, PitRefusal } from '@pit/client'
import { BRAINS, NEW_AGENT } from '@pit/protocol'
import { Argument, Command } from 'commander'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { duration, given, jsonObject, positive } from '../client/parse.ts'
import { agree, needWord, show } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { stateRows } from '../session/endCommands.ts'
import { liveCommand } from './liveCommand.ts'
import { logsCommand } from './logsCommand.ts'
import { showAgent } from './showAgent.ts'

/** `pit agent`: agents that the service runs for you. */
export const agentCommand = (deps: CommandDeps): Command =>
  new Command('agent')
    .description('Agents that the service runs for you, on paper or live.')
    .addCommand(createCommand(deps))
    .addCommand(listCommand(deps))
    .addCommand(oneAgentCommand(deps, 'show', 'One agent: its state, what holds it, its book.', 'hosted.get'))
    .addCommand(logsCommand(deps))
    .addCommand(
      oneAgentCommand(deps, 'pause', 'Keep an agent from trading until it is resumed.', 'hosted.pause'),
    )
    .addCommand(oneAgentCommand(deps, 'resume', 'Let a paused agent go on.', 'hosted.resume'))
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
    .description('Create an agent: on paper it starts at once; live it waits for pit agent live.')
    .addArgument(new Argument('<brain>', 'what decides').choices(BRAINS))
    .option('--pairs <pairs...>', 'BASE/QUOTE', [...NEW_AGENT.pairs])
    .option('--every <time>', 'between ticks', duration, NEW_AGENT.intervalS)
    .option('--max-trade-usd <dollars>', 'most for one trade', positive, NEW_AGENT.maxTradeUsd)
    .option('--max-day-usd <dollars>', 'most in 24 hours', positive, NEW_AGENT.maxDayUsd)
    .option('--max-position-usd <dollars>', 'most held in one asset', positive, NEW_AGENT.maxPositionUsd)
    .option('--params <json>', 'what the brain takes', jsonObject, {})
    .option('--name <text>', 'for people')
    .option('--live', 'trades your wallet, once a session is attached')
    .option('--paper-usdg <dollars>', 'what its book starts with', positive)
    .option('--accept <codes...>', 'severe risks it accepts, by their codes')
    .option('--shield', 'every trade asks the audit')
    .option('--client-id <id>', 'one per agent you intend; give it again when you retry')
    .action(async (brain: string, flags: CreateFlags, command: Command) => {
      const opened = await openSignedIn(deps, command)
      const client_id = flags.clientId ?? randomUUID()
      const body = given({
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
        ...agent.holds.map(({ code, message }) => [code, message]),
      ])
      if (agent.mode === 'live') deps.terminal.say(`It waits for its session: pit agent live ${agent.id}`)
    })

/** A lost answer is asked for again under the same id, which makes no second agent. */
const withId =
  (clientId: string) =>
  (error: unknown): never => {
    if (!isRefusal(error) || error.retry !== 'look_first') throw error
    throw new PitRefusal(error.code, error.message, {
      retry: error.retry,
      hint: `Run it again with --client-id ${clientId}: it makes no second agent.`,
      cause: error,
    })
  }

const listCommand = (deps: CommandDeps): Command =>
  new Command('list').description('Your agents.').action(async (_options: object, command: Command) => {
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
      book,
    )
  })

/** A command that names an agent, asks one route and shows the agent as it stands then. */
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
    .description('Stop an agent permanently; a live one’s sessions end on chain too, and its gas comes home.')
    .argument('<id>')
    .option('--no-on-chain', 'end its sessions at the co-signer only; signs nothing')
    .option('-y, --yes', 'without asking')
    .action(async (id: string, { onChain, yes }: { onChain: boolean; yes?: boolean }, command: Command) => {
      needWord(deps, yes)
      const opened = await openSignedIn(deps, command)
      await agree(deps, `Stop agent ${id} for good?`, yes)
      const { agent, sessions, revoked } = await opened.client.hosted.stop(id, { onChain })
      const ended = revoked.flatMap(({ roots }) =>
        roots.map(({ hash, state }) => ['root', `${hash} ${state}`]),
      )
      const left = onChain ? [] : stateRows(sessions)
      const home = agent.mode === 'live' && onChain ? await gasHome(deps, opened, id) : []
      showAgent(deps, opened, agent, [...ended, ...left, ...home])
    })

/** What is left of a live agent's gas; nothing to bring home is no failure. */
async function gasHome({ terminal }: CommandDeps, { client }: Opened, id: string): Promise<string[][]> {
  const { refund } = await client.api['hosted.executor']({ params: { id } })
  if (!refund.available) {
    terminal.say(`Its gas stays: ${refund.why_not ?? 'there is none'}`)
    return []
  }
  const { value_wei, tx_hash } = await client.hosted.refundGas(id)
  return [['gas home', `${value_wei} wei by ${tx_hash}`]]
}

const deleteCommand = (deps: CommandDeps): Command =>
  new Command('delete')
    .description('Delete a stopped agent, or a paper one.')
    .argument('<id>')
    .option('-y, --yes', 'without asking')
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      needWord(deps, yes)
      const opened = await openSignedIn(deps, command)
      await agree(deps, `Delete agent ${id}?`, yes)
      const deleted = await opened.client.api['hosted.delete']({ params: { id } })
      show(deps, opened, deleted, () => table([[deleted.id, 'deleted']]))
    })
