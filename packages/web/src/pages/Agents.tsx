import type { Answer } from '@pit/protocol'
import {
  ago,
  Badge,
  Button,
  Card,
  centsUsd,
  count,
  duration,
  Empty,
  Loaded,
  Page,
  Table,
  Tabs,
  words,
} from '@pit/ui'
import { useState } from 'react'
import { useRead } from '../data/api.ts'
import { Link, navigate } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { AgentForm } from './AgentForm.tsx'
import { toneOf } from './AssetList.tsx'

export type ListedAgent = Answer<'hosted.list'>['agents'][number]

const TABS = [
  { id: 'list', label: 'Your agents' },
  { id: 'create', label: 'New agent' },
]

/** Agents that the server runs for the wallet. */
export default function Agents() {
  const [tab, setTab] = useState('list')
  return (
    <Page
      title="Agents"
      lead="Agents run on the server: on paper without risk, or live within a session that you sign."
    >
      <NeedsWallet why="Sign in to see and create agents.">
        <Tabs label="Sections" tabs={TABS} chosen={tab} onChoose={setTab} />
        {tab === 'list' ? (
          <List onCreate={() => setTab('create')} />
        ) : (
          <AgentForm onCreated={(id) => navigate(`/agents/${id}`)} />
        )}
      </NeedsWallet>
    </Page>
  )
}

/** Display name. */
export const nameOf = ({ name, brain }: Pick<ListedAgent, 'name' | 'brain'>): string =>
  name?.slice(0, 40) || `${words(brain)} agent`

export const STATUS_TONES = { active: 'up', paused: 'warn', stopped: 'plain' } as const

const Profit = ({ usd }: { usd: number | null }) => <span className={toneOf(usd)}>{centsUsd(usd)}</span>

function List({ onCreate }: { onCreate(): void }) {
  const agents = useRead('hosted.list', {}, { everyMs: 10_000 })
  return (
    <Card title="Agents" flush source="server">
      <Loaded of={agents}>
        {(data) =>
          data.agents.length === 0 ? (
            <Empty title="No agents yet. A paper agent trades without risk.">
              <Button kind="primary" onClick={onCreate}>
                New agent
              </Button>
            </Empty>
          ) : (
            <Table
              caption="Your agents"
              columns={[
                {
                  head: 'Agent',
                  cell: (agent: ListedAgent) => (
                    <Link className="agent-name" href={`/agents/${agent.id}`}>
                      {nameOf(agent)}
                    </Link>
                  ),
                },
                {
                  head: 'State',
                  cell: ({ status }) => <Badge tone={STATUS_TONES[status]}>{words(status)}</Badge>,
                },
                {
                  head: 'Blocked by',
                  cell: ({ watch }) => watch?.holds.map(({ code }) => words(code)).join(', ') || '–',
                },
                {
                  head: 'Mode',
                  cell: ({ mode }) => (
                    <Badge tone={mode === 'live' ? 'accent' : 'plain'}>{words(mode)}</Badge>
                  ),
                },
                { head: 'Brain', cell: ({ brain }) => words(brain) },
                { head: 'Pairs', cell: ({ pairs }) => pairs.join(', ') },
                { head: 'Interval', right: true, cell: ({ interval_s }) => duration(interval_s) },
                { head: 'Profit', right: true, cell: ({ pnl }) => <Profit usd={pnl?.profit_usd ?? null} /> },
                { head: 'Decisions', right: true, cell: ({ watch }) => count(watch?.ticks ?? null) },
                {
                  head: 'Last decision',
                  cell: ({ last_decision }) => (last_decision ? ago(last_decision.at) : 'none yet'),
                },
              ]}
              rows={data.agents}
              keyOf={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Card>
  )
}
