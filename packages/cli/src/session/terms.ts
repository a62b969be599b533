import type { PitClient, SignedTerms } from '@pit/client'
import { etherText, grouped, groupedText } from '@pit/protocol'
import type { Command } from 'commander'
import type { CommandDeps, Opened } from '../client/openClient.ts'
import { defined, duration, positive, whole } from '../client/parse.ts'
import { headingOf, timeText } from '../client/show.ts'
import { table } from '../client/terminal.ts'
import { type ControlFlags, controlsOf, withControls } from './controls.ts'

type GrantParams = Parameters<PitClient['grantSession']>[0]
type GrantOptions = NonNullable<Parameters<PitClient['grantSession']>[1]>
type Granted = Awaited<ReturnType<PitClient['grantSession']>>

/** Options of commands that grant a session. */
export interface TermFlags extends ControlFlags {
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
  withControls(command)
    .option('--tokens <names...>', 'Tokens it may trade (default: ETH and USDG)')
    .option('--max-trades <n>', 'Maximum number of trades (default 50)', whole)
    .option('--for <time>', `Duration, such as 30m (default ${lasts})`, duration)
    .option('--setup-budget-usd <dollars>', 'Maximum approval per token in USD', positive)
    .option('--accept <codes...>', 'Codes of severe risks it accepts')
    .option('--shield', 'Check every trade against the token audit')

export const withConsent = (command: Command): Command =>
  command
    .option('--allow-7702', 'Allow EIP-7702 delegation of your wallet (required for sessions)')
    .option('--no-setup', 'Send no token approvals; the session can then sell ETH only')
    .option('-y, --yes', 'Skip the confirmation')

export const termsOf = (flags: TermFlags): Omit<GrantParams, 'executor'> =>
  defined({
    tokens: flags.tokens,
    max_trade_usd: flags.maxTradeUsd,
    max_trades: flags.maxTrades,
    expires_in_s: flags.for,
    setup_budget_usd: flags.setupBudgetUsd,
    accept_risks: flags.accept,
    shield: flags.shield,
    controls: controlsOf(flags),
  })

/** Shows the terms decoded from the bytes to sign, and asks for confirmation before signing or sending. */
export const grantOptions = (
  deps: CommandDeps,
  opened: Pick<Opened, 'client' | 'target'>,
  { allow7702 = false, setup, yes }: Pick<TermFlags, 'allow7702' | 'setup' | 'yes'>,
  signal?: AbortSignal,
): GrantOptions => ({
  allow7702,
  sendSetup: setup,
  signal,
  async confirm(terms) {
    deps.terminal.say(headingOf(opened.target, 'live'))
    deps.terminal.say(table(rowsOf(terms)))
    const sends = terms.approvals.length === 0 ? '' : ' and send the approvals above'
    const question = `Sign this session${sends}?`
    return yes === true || deps.terminal.confirm(question)
  },
})

export async function grant(
  deps: CommandDeps,
  opened: Opened,
  request: GrantParams,
  flags: Pick<TermFlags, 'allow7702' | 'setup' | 'yes'>,
  signal?: AbortSignal,
): Promise<Granted> {
  const granted = await opened.client.grantSession(request, grantOptions(deps, opened, flags, signal))
  deps.terminal.say(`Session ${granted.terms.sessionId} is active.`)
  return granted
}

/** Everything the signature binds, decoded from the bytes to sign. */
function rowsOf(terms: SignedTerms): [string, string | number][] {
  const { limits, eth, marks } = terms
  const nameOf = (address: string) =>
    terms.tokens.find((token) => token.address === address)?.symbol ?? address
  return [
    ['executor', terms.executor],
    ['tokens', terms.tokens.map(({ address, symbol }) => symbol ?? address).join(', ')],
    ['per trade', `$${grouped(limits.maxTradeUsd)}`],
    ['in 24 hours', `$${grouped(limits.maxDayUsd)}`],
    ['trades', limits.maxTrades],
    ['until', timeText(terms.expiresS)],
    ['accepted risks', terms.acceptRisks.join(', ') || 'none'],
    ...terms.controlsInWords.map((text): [string, string] => ['control', text]),
    ['shield', terms.shield ? `on: ${terms.policies.join(', ') || 'no policies'}` : 'off'],
    ...marks.map(({ token, priceE18 }): [string, string] => [
      `price of ${nameOf(token)}`,
      `$${groupedText(priceE18, 18)}, signed by you`,
    ]),
    [
      'your wallet',
      terms.takesCode === null ? 'already delegated' : `delegates to ${terms.takesCode} (EIP-7702)`,
    ],
    ...terms.approvalsInWords.map((text): [string, string] => ['approval', text]),
    [
      'if both keys are stolen',
      `${eth === null ? 'no ETH' : `up to ${etherText(eth.dayWei)} a day per root`}, and all approved tokens`,
    ],
    ...terms.roots.map(({ kind, hash }): [string, string] => [`${kind} root`, hash]),
  ]
}

/** A granted session as JSON, from the signed terms. */
export const sessionJson = ({ active, terms }: Granted) => ({
  session_id: terms.sessionId,
  status: active.status,
  wallet: terms.wallet,
  executor: terms.executor,
  expires: terms.expiresS,
  limits: {
    max_trade_usd: terms.limits.maxTradeUsd,
    max_day_usd: terms.limits.maxDayUsd,
    max_trades: terms.limits.maxTrades,
  },
  tokens: terms.tokens.map(({ address }) => address),
  accept_risks: terms.acceptRisks,
  shield: terms.shield,
  controls: terms.controls,
  delegation_hash: terms.roots[0]!.hash,
  roots: terms.roots,
})
