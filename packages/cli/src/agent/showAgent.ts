import type { Answer } from '@pit/protocol'
import type { CommandDeps, Opened } from '../client/openClient.ts'
import { show } from '../client/show.ts'
import { table } from '../client/terminal.ts'

type Agent = Answer<'hosted.list'>['agents'][number]

/** An agent as every command of it shows it. */
export function showAgent(
  deps: CommandDeps,
  opened: Opened,
  agent: Agent,
  more: readonly (readonly (string | number | null)[])[] = [],
): void {
  const holds = agent.watch?.holds.map(({ code, message }) => `${code}: ${message}`) ?? []
  show(
    deps,
    opened,
    agent,
    () =>
      table([
        ['agent', agent.id],
        ['name', agent.name],
        ['brain', agent.brain],
        ['mode', agent.mode],
        ['status', `${agent.status}${agent.pause_reason ? ` (${agent.pause_reason.code})` : ''}`],
        ['pairs', agent.pairs.join(' ')],
        ['per trade', `$${agent.limits.max_trade_usd}`],
        ['in 24 hours', `$${agent.limits.max_day_usd}`],
        ['executor', agent.executor],
        ['session', agent.session_id],
        ['equity', agent.pnl === null ? null : `$${agent.pnl.equity_usd}`],
        ['held by', holds.join('; ') || 'nothing'],
        ...more,
      ]),
    agent.mode,
  )
}
