import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal, type LiveIntent, type PitClient } from '@pit/client'
import { etherText } from '@pit/protocol'
import { Command } from 'commander'
import { InputNeeded, UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { defined, duration, positive, whole } from '../client/parse.ts'
import { agree, requireConfirmation } from '../client/show.ts'
import { type ControlFlags, controlsOf, withControls } from '../session/controls.ts'
import { ether, gasFor, sendEther } from '../session/ether.ts'
import { grantOptions, withConsent } from '../session/terms.ts'
import { sayHolds, showAgent } from './showAgent.ts'

interface LiveFlags extends ControlFlags {
  off?: boolean
  session?: string
  pairs?: string[]
  maxTradeUsd?: number
  maxDayUsd?: number
  accept?: string[]
  shield?: boolean
  for?: number
  maxTrades?: number
  setupBudgetUsd?: number
  allow7702?: boolean
  setup: boolean
  gasEth?: bigint
  yes?: boolean
}

const ORDERS: string = 'orders'
/** The default of a session. */
const MAX_TRADES = 50

/** `pit agent live ID`: funds the executor's gas, grants and attaches a session, switches the agent on. */
export const liveCommand = (deps: CommandDeps): Command =>
  withConsent(
    withControls(new Command('live'))
      .description('Start a live agent: fund its executor, grant a session within your limits, switch it on.')
      .argument('<id>')
      .option('--session <id>', 'Use a session already granted to its executor')
      .option('--pairs <pairs...>', 'Pairs it may trade (default: as created on this machine)')
      .option(
        '--max-trade-usd <dollars>',
        'Maximum per trade in USD (default: as created on this machine)',
        positive,
      )
      .option(
        '--max-day-usd <dollars>',
        'Maximum in 24 hours in USD (default: as created on this machine)',
        positive,
      )
      .option('--accept <codes...>', 'Codes of severe risks it accepts (default: as created on this machine)')
      .option('--shield', 'Check every trade against the token audit (default: as created on this machine)')
      .option('--for <time>', 'Duration of the session (default 24h)', duration)
      .option('--max-trades <n>', 'Maximum number of trades (default 50)', whole)
      .option('--setup-budget-usd <dollars>', 'Maximum approval per token in USD', positive)
      .option(
        '--gas-eth <ether>',
        'ETH to send to its executor for gas (default: as much as it needs)',
        ether,
      )
      .option('--off', 'Switch it off; its session stays active'),
  ).action(async (id: string, flags: LiveFlags, command: Command) => {
    if (!flags.off) requireConfirmation(deps, flags.yes)
    const opened = await openSignedIn(deps, command)
    const params = { id }
    const { api } = opened.client
    if (flags.off)
      return showAgent(deps, opened, await api['hosted.update']({ params, body: { live: false } }))
    const before = await api['hosted.get']({ params })
    sayHolds(deps, before)
    // An agent that only carries out signed orders needs a session that admits nothing else.
    const signatureAbove = flags.signatureAbove ?? (before.brain === ORDERS ? 0 : undefined)
    const agent = await goLive(deps, opened, id, {
      ...flags,
      ...(signatureAbove !== undefined && { signatureAbove }),
    })
    showAgent(deps, opened, agent)
  })

async function goLive(deps: CommandDeps, opened: Opened, id: string, flags: LiveFlags) {
  const options: NonNullable<Parameters<PitClient['hosted']['grantLive']>[2]> = {
    ...grantOptions(deps, opened, flags),
    ...(flags.session !== undefined && { sessionId: flags.session }),
    beforeGrant: (executor) => topUp(deps, opened, { id, executor }, flags),
  }
  const { agent } = await opened.client.hosted.grantLive(id, intentOf(flags), options).catch(asUsage)
  return agent
}

const intentOf = (flags: LiveFlags): LiveIntent =>
  defined({
    pairs: flags.pairs,
    max_trade_usd: flags.maxTradeUsd,
    max_day_usd: flags.maxDayUsd,
    accept_risks: flags.accept,
    shield: flags.shield,
    expires_in_s: flags.for,
    max_trades: flags.maxTrades,
    setup_budget_usd: flags.setupBudgetUsd,
    controls: controlsOf(flags),
  }) as LiveIntent

function asUsage(error: unknown): never {
  if (isRefusal(error, 'INTENT_NEEDED'))
    throw new InputNeeded(
      'This agent was not created on this machine, so its limits cannot be verified. ' +
        'Give --pairs, --max-trade-usd and --max-day-usd (and --accept and --shield if it needs them).',
    )
  if (isRefusal(error, 'NOT_LIVE'))
    throw new UsageRefused('This is a paper agent. Create a live one with pit agent create --live.')
  throw error
}

/** Sends gas to the attested executor only, and at most the client's own estimate. */
async function topUp(
  deps: CommandDeps,
  { account, rpc, target, client }: Opened,
  { id, executor }: { id: string; executor: `0x${string}` },
  flags: LiveFlags,
): Promise<void> {
  const { top_up } = await client.api['hosted.executor']({ params: { id } })
  const valueWei = flags.gasEth ?? BigInt(top_up?.amount_wei ?? 0)
  if (valueWei === 0n) return
  const eth = etherText(valueWei)
  if (flags.gasEth === undefined && valueWei > (await gasFor(rpc, flags.maxTrades ?? MAX_TRADES)))
    throw new InputNeeded(
      `The server requests ${eth} for gas, more than the local estimate. Set the amount with --gas-eth.`,
    )
  await agree(deps, `Send ${eth} to ${executor} for gas?`, flags.yes)
  const from = { account, rpc, chainId: target.profile.chain_id, sleep: (ms: number) => sleep(ms) }
  await sendEther(from, { to: executor, valueWei })
}
