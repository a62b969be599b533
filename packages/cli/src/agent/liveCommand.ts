import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusal, type LiveIntent, type PitClient } from '@pit/client'
import { decimalText } from '@pit/protocol'
import { Command } from 'commander'
import { InputNeeded, UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { duration, given, positive, whole } from '../client/parse.ts'
import { agree, needWord } from '../client/show.ts'
import { ether, gasFor, sendEther } from '../session/ether.ts'
import { grantOptions, withConsent } from '../session/terms.ts'
import { sayHolds, showAgent } from './showAgent.ts'

interface LiveFlags {
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

/** As a session has them if none are named. */
const MAX_TRADES = 50

/** `pit agent live ID`: gas for its executor, a session inside the owner's intent, attached and switched on. */
export const liveCommand = (deps: CommandDeps): Command =>
  withConsent(
    new Command('live')
      .description('Let a live agent trade: gas for its executor, a session inside your limits, and on.')
      .argument('<id>')
      .option('--session <id>', 'a session you granted to its executor already')
      .option('--pairs <pairs...>', 'pairs it may trade (default: as created on this machine)')
      .option(
        '--max-trade-usd <dollars>',
        'maximum per trade (default: as created on this machine)',
        positive,
      )
      .option(
        '--max-day-usd <dollars>',
        'maximum in 24 hours (default: as created on this machine)',
        positive,
      )
      .option('--accept <codes...>', 'severe risks it accepts (default: as created on this machine)')
      .option('--shield', 'every trade asks the audit (default: as created on this machine)')
      .option('--for <time>', 'how long the session lasts; 24h otherwise', duration)
      .option('--max-trades <n>', 'how often it may trade', whole)
      .option('--setup-budget-usd <dollars>', 'what may be approved of each token', positive)
      .option('--gas-eth <ether>', 'what its executor gets to pay gas with; what it lacks otherwise', ether)
      .option('--off', 'switch it off instead; its session stays'),
  ).action(async (id: string, flags: LiveFlags, command: Command) => {
    if (!flags.off) needWord(deps, flags.yes)
    const opened = await openSignedIn(deps, command)
    const params = { id }
    const { api } = opened.client
    if (!flags.off) sayHolds(deps, await api['hosted.get']({ params }))
    const agent = flags.off
      ? await api['hosted.update']({ params, body: { live: false } })
      : await goLive(deps, opened, id, flags)
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
  given({
    pairs: flags.pairs,
    max_trade_usd: flags.maxTradeUsd,
    max_day_usd: flags.maxDayUsd,
    accept_risks: flags.accept,
    shield: flags.shield,
    expires_in_s: flags.for,
    max_trades: flags.maxTrades,
    setup_budget_usd: flags.setupBudgetUsd,
  }) as LiveIntent

function asUsage(error: unknown): never {
  if (isRefusal(error, 'INTENT_NEEDED'))
    throw new InputNeeded(
      'This agent was not created on this machine, so its limits cannot be verified. ' +
        'Give --pairs, --max-trade-usd and --max-day-usd (and --accept and --shield if it needs them).',
    )
  if (isRefusal(error, 'NOT_LIVE'))
    throw new UsageRefused('It is a paper agent: create one with pit agent create --live.')
  throw error
}

/** Gas goes to the attested executor alone. The service's amount counts only within the client's own estimate. */
async function topUp(
  deps: CommandDeps,
  { account, rpc, target, client }: Opened,
  { id, executor }: { id: string; executor: `0x${string}` },
  flags: LiveFlags,
): Promise<void> {
  const { top_up } = await client.api['hosted.executor']({ params: { id } })
  const valueWei = flags.gasEth ?? BigInt(top_up?.amount_wei ?? 0)
  if (valueWei === 0n) return
  const eth = `${decimalText(valueWei, 18)} ETH`
  if (flags.gasEth === undefined && valueWei > (await gasFor(rpc, flags.maxTrades ?? MAX_TRADES)))
    throw new InputNeeded(`The server asks for ${eth} of gas, more than your own estimate: give --gas-eth.`)
  await agree(deps, `Send ${eth} to ${executor} for gas?`, flags.yes)
  const from = { account, rpc, chainId: target.profile.chain_id, sleep: (ms: number) => sleep(ms) }
  await sendEther(from, { to: executor, valueWei })
}
