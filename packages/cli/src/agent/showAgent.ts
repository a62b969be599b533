import type { Address } from '@pit/chain'
import { type Answer, grouped } from '@pit/protocol'
import type { CommandDeps, Opened } from '../client/openClient.ts'
import { amountText, quoted, show } from '../client/show.ts'
import { table } from '../client/terminal.ts'

type Agent = Answer<'hosted.list'>['agents'][number]
type Pins = Parameters<typeof amountText>[0]
type Row = readonly (string | number | null)[]
/** Lists omit the holds of the next tick. */
type Held = Pick<Agent, 'watch'> & Partial<Pick<Answer<'hosted.get'>, 'next_tick_holds'>>

/** Prints an agent the same way for every command. */
export function showAgent(
  deps: CommandDeps,
  opened: Opened,
  agent: Agent & Held,
  more: readonly Row[] = [],
): void {
  show(deps, opened, agent, () => table([...agentRows(agent, opened), ...more]), { book: agent.mode })
}

export function agentRows(agent: Agent & Held, opened: Pins): Row[] {
  const { limits } = agent
  return [
    ['agent', agent.id],
    ['name', agent.name && quoted(agent.name)],
    ['brain', agent.brain],
    ['params', paramsText(agent.params)],
    ['mode', agent.mode],
    ['status', `${agent.status}${agent.pause_reason ? ` (${agent.pause_reason.code})` : ''}`],
    ['pairs', agent.pairs.join(' ')],
    ['interval', `every ${agent.interval_s} s`],
    ['max per trade', `$${grouped(limits.max_trade_usd)}`],
    ['max in 24 hours', `$${grouped(limits.max_day_usd)}`],
    ['max position', `$${grouped(limits.max_position_usd)} of one asset`],
    ['executor', agent.executor],
    ['session', agent.session_id],
    ...profitRows(agent, opened),
    ...holdRows(agent),
  ]
}

const holdRows = (agent: Held): Row[] => listed('blocked by', holdTexts(agent))

/** Warns about holds before anything is paid for or signed. */
export function sayHolds({ terminal }: Pick<CommandDeps, 'terminal'>, agent: Held): void {
  for (const text of holdTexts(agent)) terminal.say(`The agent would not trade now. ${text}`)
}

const holdTexts = ({ watch, next_tick_holds }: Held): string[] => [
  ...(watch?.holds ?? []).map(({ code, message }) => `${code}: ${quoted(message)}`),
  ...(next_tick_holds ?? []).map(({ code, message, pair, side }) => {
    const what = [side, pair].filter((one) => one !== undefined).join(' ')
    return `${code}${what === '' ? '' : ` (${what})`}: ${quoted(message)}`
  }),
]

const paramsText = (params: unknown): string | null => {
  const entries = Object.entries((params ?? {}) as Record<string, unknown>)
  if (entries.length === 0) return null
  return entries.map(([name, value]) => `${name}=${shown(value)}`).join(' ')
}
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function profitRows(agent: Agent, opened: Pins): Row[] {
  const { pnl, live_stats: live } = agent
  if (pnl === null) return [['profit', null]]
  if (pnl.basis === 'mined_trades')
    return [
      ['profit', usd(pnl.profit_usd)],
      ['trades', live && `${live.mined} mined, ${live.pending} pending, ${live.reverted} reverted`],
      ['volume', live && usd(live.volume_usd)],
      ...listed(
        'book since start',
        pnl.flows.map((flow) => heldText(opened, flow)),
      ),
    ]
  return [
    ['equity', `${usd(pnl.equity_usd) ?? 'unknown'} from ${usd(pnl.start_usd)}`],
    ['profit', usd(pnl.profit_usd)],
    ['return', pnl.return_pct === null ? null : `${pnl.return_pct} %`],
    ...listed(
      'book',
      pnl.positions.map((held) => `${heldText(opened, held)} (${usd(held.value_usd) ?? 'no price'})`),
    ),
  ]
}

/** The name is shown on the first line only. */
const listed = (name: string, lines: readonly string[]): Row[] =>
  lines.length === 0 ? [[name, null]] : lines.map((line, i) => [i === 0 ? name : '', line])

/** Decimals come from the pins, so that a server cannot scale an amount. */
const heldText = (opened: Pins, { token, amount_atoms }: { token: string; amount_atoms: string }): string =>
  amountText(opened, BigInt(amount_atoms), token.toLowerCase() as Address)

const usd = (value: number | null): string | null =>
  value === null ? null : `${value < 0 ? '-' : ''}$${grouped(Math.abs(value))}`
