import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@pit/protocol'
import { decimalText } from '@pit/protocol'
import { Command } from 'commander'
import { InputNeeded, UsageRefused } from '../client/exit.ts'
import { type CommandDeps, type Opened, openSignedIn } from '../client/openClient.ts'
import { duration, positive, whole } from '../client/parse.ts'
import { agree, needWord } from '../client/show.ts'
import { ether, gasFor, sendEther } from '../session/ether.ts'
import { grant, termsOf, withConsent } from '../session/terms.ts'
import { showAgent } from './showAgent.ts'

interface LiveFlags {
  off?: boolean
  session?: string
  for?: number
  maxTrades?: number
  setupBudgetUsd?: number
  allow7702?: boolean
  setup: boolean
  gasEth?: bigint
  yes?: boolean
}

/** As a session has them where none are named. */
const MAX_TRADES = 50

/** `pit agent live ID`: gas for its executor, a session that fits the agent, attached and switched on. */
export const liveCommand = (deps: CommandDeps): Command =>
  withConsent(
    new Command('live')
      .description('Let a live agent trade: gas for its executor, a session inside its limits, and on.')
      .argument('<id>')
      .option('--session <id>', 'a session you granted to its executor already')
      .option('--for <time>', 'how long the session lasts; 24h otherwise', duration)
      .option('--max-trades <n>', 'how often it may trade', whole)
      .option('--setup-budget-usd <dollars>', 'what may be approved of each token', positive)
      .option('--gas-eth <ether>', 'what its executor gets to pay gas with; what it lacks otherwise', ether)
      .option('--off', 'switch it off instead; its session stays'),
  ).action(async (id: string, flags: LiveFlags, command: Command) => {
    if (!flags.off) needWord(deps, flags.yes)
    const opened = await openSignedIn(deps, command)
    const { api } = opened.client
    const body = { live: !flags.off }
    if (!flags.off) await makeReady(deps, opened, await api['hosted.get']({ params: { id } }), flags)
    showAgent(deps, opened, await api['hosted.update']({ params: { id }, body }))
  })

async function makeReady(
  deps: CommandDeps,
  opened: Opened,
  agent: Answer<'hosted.get'>,
  flags: LiveFlags,
): Promise<void> {
  const { client } = opened
  if (agent.mode !== 'live' || agent.executor === null)
    throw new UsageRefused('It is a paper agent: create one with --live.')
  const { executor_attestation } = await client.api['hosted.executor']({ params: { id: agent.id } })
  await client.hosted.checkExecutor({ ...agent, executor_attestation })
  await topUp(deps, opened, agent, flags)
  const session_id = flags.session ?? (await grantFor(deps, opened, agent, flags))
  await client.api['hosted.session']({ params: { id: agent.id }, body: { session_id } })
}

/** The executor pays gas and nothing else. The service says how much it lacks, within the client's own estimate. */
async function topUp(deps: CommandDeps, opened: Opened, agent: Answer<'hosted.get'>, flags: LiveFlags) {
  const { account, rpc, target, client } = opened
  const { top_up } = await client.api['hosted.executor']({ params: { id: agent.id } })
  const valueWei = flags.gasEth ?? BigInt(top_up?.amount_wei ?? 0)
  if (valueWei === 0n) return
  const eth = `${decimalText(valueWei, 18)} ETH`
  if (flags.gasEth === undefined && valueWei > (await gasFor(rpc, flags.maxTrades ?? MAX_TRADES)))
    throw new InputNeeded(`Its executor is to get ${eth}, more than its gas should cost: give --gas-eth.`)
  await agree(deps, `Send ${eth} to ${agent.executor} for gas?`, flags.yes)
  const from = { account, rpc, chainId: target.profile.chain_id, sleep: (ms: number) => sleep(ms) }
  await sendEther(from, { to: agent.executor as `0x${string}`, valueWei })
}

/** A session for exactly what the agent may do. */
async function grantFor(
  deps: CommandDeps,
  opened: Opened,
  { executor, pairs, limits, terms }: Answer<'hosted.get'>,
  flags: LiveFlags,
): Promise<string> {
  const tokens = [...new Set(pairs.flatMap((pair) => pair.split('/')))]
  const ask = {
    ...termsOf(flags),
    executor: executor as `0x${string}`,
    tokens,
    max_trade_usd: limits.max_trade_usd,
    max_day_usd: limits.max_day_usd,
    accept_risks: terms.accept_risks as never,
    shield: terms.shield,
  }
  const { active } = await grant(deps, opened, ask, flags)
  return active.session_id
}
