import type { Answer } from '@pit/protocol'
import { Button, ByServer, dateTime, Facts, Failure, many, Notice, toast } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshOrders, useOrders } from '../data/agentOrders.ts'
import { useTokenFacts } from '../data/own.ts'
import { amountOf } from '../data/tokens.ts'
import { shownWanted } from '../data/wanted.ts'
import { openClient } from '../wallet/connect.ts'
import { useOrderReview } from './ReviewOrders.tsx'

/** Trades that wait for the owner's signature: the three that expire first, and the rest on request. */
export function WantedSignatures(props: {
  agent: Pick<Answer<'hosted.get'>, 'id'>
  /** Named if the page is not the agent's own. */
  name?: string
}) {
  const { agent, name } = props
  const orders = useOrders(agent.id)
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
  const signatures = orders.data?.wanted ?? []
  const shown = shownWanted(signatures, isFolded)
  const facts = useTokenFacts(
    shown.flatMap(({ list }) => list.orders.flatMap(({ token_in, token_out }) => [token_in, token_out])),
  )
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
            <ByServer what="Until you review it" />
            {list.orders.map((order) => (
              <Facts
                key={`${order.token_in} ${order.token_out} ${order.amount_in}`}
                rows={[
                  ['Sells at most', amountOf(facts, order.amount_in, order.token_in)],
                  ['Receives at least', amountOf(facts, order.min_amount_out, order.token_out)],
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
