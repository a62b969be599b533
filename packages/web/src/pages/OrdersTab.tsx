import { Card, Empty, Loaded, SelectField } from '@pit/ui'
import { useRead } from '../data/api.ts'
import { Link, navigate, useLocation } from '../router.tsx'
import { OrderForm } from './OrderForm.tsx'

/** Limit and stop orders: signed by the owner, carried out by an agent for orders. */
export function OrdersTab({ kind }: { kind: 'limit' | 'stop' }) {
  const sessions = useRead('me.sessions', {})
  return (
    <Loaded of={sessions}>
      {({ hosted }) => {
        const agents = hosted.filter(({ strategy, status }) => strategy === 'orders' && status !== 'stopped')
        return agents.length === 0 ? <NoAgent kind={kind} /> : <Placing kind={kind} agents={agents} />
      }}
    </Loaded>
  )
}

const NoAgent = ({ kind }: { kind: 'limit' | 'stop' }) => (
  <Card title={kind === 'limit' ? 'Limit order' : 'Stop order'}>
    <Empty title="An agent carries out your orders.">
      <span>
        You sign each order with its price, and the co-signer holds the agent to it. Create an agent with the
        brain “Orders” once, on paper or for real.
      </span>
      <Link className="button primary" href="/agents">
        Go to agents
      </Link>
    </Empty>
  </Card>
)

function Placing(props: {
  kind: 'limit' | 'stop'
  agents: readonly { id: string; name: string | null; mode: string }[]
}) {
  const { searchParams } = useLocation()
  const { agents, kind } = props
  const named = searchParams.get('agent')
  const id = agents.find((agent) => agent.id === named)?.id ?? agents[0]!.id
  const agent = useRead('hosted.get', { params: { id } })
  return (
    <div className="stack">
      {agents.length > 1 && (
        <SelectField
          label="Agent"
          value={id}
          choices={agents.map(({ id, name, mode }) => ({
            value: id,
            label: `${name?.slice(0, 40) || `Agent ${id}`} (${mode})`,
          }))}
          onChange={(next) => {
            const link = new URLSearchParams(searchParams)
            link.set('agent', next)
            navigate(`/trade?${link}`, 'replace')
          }}
        />
      )}
      <Loaded of={agent}>
        {(detail) => (
          <>
            <OrderForm key={`${kind} ${id}`} agent={detail} firstKind={kind} />
            <p className="small">
              <Link href={`/agents/${id}`}>All orders of this agent</Link>
            </p>
          </>
        )}
      </Loaded>
    </div>
  )
}
