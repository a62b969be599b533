import type { PitClient } from '@pit/client'
import type { Command } from 'commander'
import type { CommandDeps, Opened } from '../client/openClient.ts'
import { duration, given, positive, whole } from '../client/parse.ts'
import { agree, headingOf, timeText } from '../client/show.ts'
import { plain, table } from '../client/terminal.ts'

type GrantAsk = Parameters<PitClient['grantSession']>[0]
type Granted = Awaited<ReturnType<PitClient['grantSession']>>
type Pending = Granted['pending']

/** The options of whatever grants a session. */
export interface TermFlags {
  tokens?: string[]
  maxTradeUsd?: number
  maxTrades?: number
  for?: number
  setupBudgetUsd?: number
  accept?: string[]
  shield?: boolean
  allow7702?: boolean
  setup: boolean
  yes?: boolean
}

export const withTerms = (command: Command, lasts: string): Command =>
  command
    .option('--tokens <names...>', 'what it may trade; ETH and USDG otherwise')
    .option('--max-trades <n>', 'how often it may trade', whole)
    .option('--for <time>', `how long it lasts, such as 30m; ${lasts} otherwise`, duration)
    .option('--setup-budget-usd <dollars>', 'what may be approved of each token', positive)
    .option('--accept <codes...>', 'severe risks it accepts, by their codes')
    .option('--shield', 'every trade asks the audit')

export const withConsent = (command: Command): Command =>
  command
    .option('--allow-7702', 'your wallet may take the delegator’s code, which a session needs')
    .option('--no-setup', 'send no token approvals; the session can then sell ETH alone')
    .option('-y, --yes', 'sign without asking')

export const termsOf = (flags: TermFlags): Omit<GrantAsk, 'executor'> =>
  given({
    tokens: flags.tokens,
    max_trade_usd: flags.maxTradeUsd,
    max_trades: flags.maxTrades,
    expires_in_s: flags.for,
    setup_budget_usd: flags.setupBudgetUsd,
    accept_risks: flags.accept,
    shield: flags.shield,
  })

/** Grants once a person saw what it bounds; the approvals it needs are sent first. */
export async function grant(
  deps: CommandDeps,
  { client, target }: Opened,
  ask: GrantAsk,
  { allow7702 = false, setup, yes }: Pick<TermFlags, 'allow7702' | 'setup' | 'yes'>,
  signal?: AbortSignal,
): Promise<Granted> {
  const { terminal } = deps
  const granted = await client.grantSession(ask, {
    allow7702,
    sendSetup: setup,
    signal,
    async confirm(pending) {
      terminal.say(headingOf(target, 'live'))
      terminal.say(table(rowsOf(pending, ask)))
      for (const line of pending.exposure.in_words) terminal.say(plain(line))
      const approvals = setup && pending.setup.length > 0 ? ` and send ${pending.setup.length} approvals` : ''
      await agree(deps, `Sign this session${approvals}?`, yes)
      return true
    },
  })
  terminal.say(`Session ${granted.active.session_id} is active.`)
  return granted
}

const rowsOf = (pending: Pending, { tokens = ['ETH', 'USDG'] }: GrantAsk) => [
  ['executor', pending.executor],
  ['tokens', tokens.join(', ')],
  ['per trade', `$${pending.limits.max_trade_usd}`],
  ['in 24 hours', `$${pending.limits.max_day_usd}`],
  ['trades', pending.limits.max_trades],
  ['until', timeText(pending.expires)],
  ['your wallet', pending.sign.authorization === null ? 'has its code' : 'takes the delegator’s code'],
]

/** A granted session for programs. */
export const sessionJson = ({ active, pending }: Granted) => ({
  session_id: active.session_id,
  status: active.status,
  wallet: pending.wallet,
  executor: pending.executor,
  expires: pending.expires,
  limits: active.limits,
  delegation_hash: active.delegation_hash,
})
