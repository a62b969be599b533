import type { Answer } from '@pit/protocol'
import { amount, bps, Card, Copied, duration, Facts, Loaded, Table, usd, words } from '@pit/ui'
import { useRead } from '../data/api.ts'
import { symbolOf } from '../data/tokens.ts'

type AgentDetail = Answer<'hosted.get'>

/** How the agent is set up, and what it holds on paper. */
export function AgentSetup({ agent }: { agent: AgentDetail }) {
  return (
    <Card title="Setup">
      <Facts
        rows={[
          ['Brain', words(agent.brain)],
          ['Pairs', agent.pairs.join(', ')],
          ['Interval', duration(agent.interval_s)],
          ['Max per trade', usd(agent.limits.max_trade_usd)],
          ['Max in 24 hours', usd(agent.limits.max_day_usd)],
          ['Max position', usd(agent.limits.max_position_usd)],
          ...Object.entries((agent.params ?? {}) as object).map(([name, value]) => {
            const [label, text] = paramWords(name, value)
            return [
              label,
              <span key={name} className="break">
                {text}
              </span>,
            ] as const
          }),
          ...(agent.executor ? [['Executor', <Copied key="executor" text={agent.executor} />] as const] : []),
        ]}
      />
      {agent.pnl?.basis === 'paper_book' && agent.pnl.positions.length > 0 && (
        <Table
          caption="Positions"
          columns={[
            { head: 'Token', cell: (held) => symbolOf(held) },
            {
              head: 'Amount',
              right: true,
              cell: ({ amount_atoms, token }) =>
                amount(amount_atoms, agent.tokens.find(({ address }) => address === token)?.decimals ?? null),
            },
            { head: 'Value', right: true, cell: ({ value_usd }) => usd(value_usd) },
          ]}
          rows={agent.pnl.positions}
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
    <Card title="Model costs">
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
