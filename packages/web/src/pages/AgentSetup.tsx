import type { Answer } from '@pit/protocol'
import { bps, Card, Copied, duration, Facts, Loaded, Table, usd, words } from '@pit/ui'
import { useRead } from '../data/api.ts'
import { useAgentRecord, useNamedTokens } from '../data/own.ts'

type AgentDetail = Answer<'hosted.get'>

/** How the agent is set up, and what it holds on paper. */
export function AgentSetup({ agent }: { agent: AgentDetail }) {
  const positions = agent.pnl?.basis === 'paper_book' ? agent.pnl.positions : []
  const named = useNamedTokens(positions.map(({ token }) => token))
  const record = useAgentRecord(agent.id)
  const executor = record?.executor ?? agent.executor
  const { pairs, interval_s, limits, brain, params } = record ?? agent
  return (
    <Card title="Setup" {...(record === null && { source: 'server' })}>
      <Facts
        rows={[
          ['Brain', words(brain)],
          ['Pairs', pairs.join(', ')],
          ['Interval', duration(interval_s)],
          ['Max per trade', usd(limits.max_trade_usd)],
          ['Max in 24 hours', usd(limits.max_day_usd)],
          ['Max position', usd(limits.max_position_usd)],
          ...Object.entries((params ?? {}) as object).map(([name, value]) => {
            const [label, text] = paramWords(name, value)
            return [
              label,
              <span key={name} className="break">
                {text}
              </span>,
            ] as const
          }),
          ...(executor ? [['Executor', <Copied key="executor" text={executor} />] as const] : []),
        ]}
      />
      {positions.length > 0 && (
        <Table
          caption="Positions"
          columns={[
            { head: 'Token', cell: ({ token }) => named.label(token) },
            {
              head: 'Amount',
              right: true,
              cell: ({ amount_atoms, token }) => named.amount(amount_atoms, token),
            },
            { head: 'Value', right: true, cell: ({ value_usd }) => usd(value_usd) },
          ]}
          rows={positions}
          keyOf={({ token }) => token}
        />
      )}
    </Card>
  )
}

/** A param with its unit, which its name ends with. */
function paramWords(name: string, value: unknown): [label: string, text: string] {
  if (typeof value === 'number') {
    if (name === 'usd') return ['Dollars per order', usd(value)]
    const [, what = '', unit] = /^(.*)_(bps|usd|s)$/.exec(name) ?? []
    if (unit === 'bps') return [words(what), bps(value)]
    if (unit === 'usd') return [words(what), usd(value)]
    if (unit === 's') return [words(what), duration(value)]
  }
  if (name === 'weights' && typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).map(([token, percent]) => `${token} ${percent}%`)
    return [words(name), parts.join(', ').slice(0, 300)]
  }
  return [words(name), shown(value)]
}

const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 300)

/** Costs of its model. */
export function AgentSpend({ id }: { id: string }) {
  const spend = useRead('hosted.spend', { params: { id } }, { everyMs: 15_000 })
  return (
    <Card title="Model costs" source="server">
      <Loaded of={spend}>
        {({ ai }) => (
          <Facts
            rows={[
              ['Model', ai.model],
              ['Paid by', words(ai.funding)],
              ['Today', `${usd(ai.today.usd)} in ${ai.today.calls} calls`],
              ['Budget left', usd(ai.budget_left_usd)],
              [
                'Pool',
                ai.pool
                  ? ai.pool.eligible
                    ? `${usd(ai.pool.share_left_usd)} left`
                    : (ai.pool.why_not ?? 'no')
                  : 'none',
              ],
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
