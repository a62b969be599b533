import type { Answer } from '@pit/protocol'
import { Button, dateTime, Facts, Failure, many, Notice, toast } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshOrders, useOrders } from '../data/agentOrders.ts'
import { useRead } from '../data/api.ts'
import { amountOf, namesIn } from '../data/tokens.ts'
import { shownWanted } from '../data/wanted.ts'
import { openClient } from '../wallet/connect.ts'
import { useOrderReview } from './ReviewOrders.tsx'

/** Trades that wait for the owner's signature: the three that expire first, and the rest on request. */
export function WantedSignatures(props: {
  agent: Pick<Answer<'hosted.get'>, 'id' | 'tokens'>
  /** Named if the page is not the agent's own. */
  name?: string
}) {
  const { agent, name } = props
  const orders = useOrders(agent.id)
  const config = useRead('config', {})
  const { confirm, dialog } = useOrderReview('live')
  const signing = useMutation({
    mutationFn: async (id: string) => {
      const { client } = await openClient()
      return client.orders.signWanted({ agentId: agent.id, id }, { confirm })
    },
    onSuccess: () => toast('Signed. The agent trades within these bounds.'),
    onSettled: refreshOrders,
  })
  const [isFolded, setFolded] = useState(true)
  if (!config.data) return null
  const names = namesIn(config.data, agent.tokens)
  const signatures = orders.data?.wanted ?? []
  const shown = shownWanted(signatures, isFolded)
  return (
    <>
      {shown.map(({ id, list, valid_until }) => (
        <Notice
          key={id}
          tone="accent"
          title={name ? `${name}: a trade needs your signature` : 'A trade needs your signature'}
        >
          <div className="stack">
            <p>It is above what this session may trade unsigned in an hour.</p>
            {list.orders.map((order) => (
              <Facts
                key={`${order.token_in} ${order.token_out} ${order.amount_in}`}
                rows={[
                  ['Sells at most', amountOf(names, order.amount_in, order.token_in)],
                  ['Receives at least', amountOf(names, order.min_amount_out, order.token_out)],
                  ['Valid until', dateTime(valid_until)],
                ]}
              />
            ))}
            <Button
              kind="primary"
              busy={signing.isPending && signing.variables === id}
              onClick={() => signing.mutate(id)}
            >
              Review and sign
            </Button>
          </div>
        </Notice>
      ))}
      {shown.length < signatures.length && (
        <div className="row">
          <Button onClick={() => setFolded(false)}>
            {`Show ${many(signatures.length - shown.length, 'more wanted signature')}`}
          </Button>
        </div>
      )}
      {signing.error && <Failure error={signing.error} />}
      {dialog}
    </>
  )
}
