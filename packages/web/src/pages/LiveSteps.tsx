import type { Answer } from '@pit/protocol'
import { useMutation } from '@tanstack/react-query'
import { api, queries, useRead } from '../data/api.ts'
import { amount, usd } from '../data/format.ts'
import { Button, Card, Copied } from '../design/parts.tsx'
import { Failure } from '../design/states.tsx'
import { toast } from '../design/toast.tsx'
import { Link } from '../router.tsx'
import { openClient } from '../wallet/connect.ts'

/** What a live agent still needs, in order: gas, a session for its executor, the session attached, the switch. */
export function LiveSteps({ agent }: { agent: Answer<'hosted.get'> }) {
  const params = { id: agent.id }
  const executor = useRead('hosted.executor', { params }, { everyMs: 10_000 })
  const mine = useRead('me.sessions', {}, { everyMs: 10_000 })
  const session = mine.data?.sessions.find(
    (one) => one.status === 'active' && one.executor.toLowerCase() === agent.executor?.toLowerCase(),
  )
  const refresh = () => queries.invalidateQueries({ queryKey: ['hosted.get'] })
  const attaching = useMutation({
    mutationFn: async (session_id: string) => {
      // Only an executor whose key the pinned co-signer attests gets a session.
      await (await openClient()).client.hosted.checkExecutor(agent)
      return api['hosted.session']({ params, body: { session_id } })
    },
    onSuccess: () => toast('The session is attached.'),
    onSettled: refresh,
  })
  const switching = useMutation({
    mutationFn: (live: boolean) => api['hosted.update']({ params, body: { live } }),
    onSuccess: ({ live }) => toast(live ? 'It trades for real now.' : 'It no longer trades.'),
    onSettled: refresh,
  })
  const hasGas = executor.data?.enough ?? false
  const topUp = executor.data?.top_up
  const error = attaching.error ?? switching.error
  return (
    <Card title="To trade for real">
      <ol className="steps">
        <li className={hasGas ? 'done' : 'now'}>
          <strong>Gas for its executor</strong>
          {executor.data && (
            <span className="small">
              {`It has ${amount(executor.data.balance_wei, 18)} ETH${topUp ? `; send ${amount(topUp.amount_wei, 18)} ETH (${usd(topUp.amount_usd)}) to` : ', which is enough.'}`}
              {topUp && <Copied text={topUp.to} />}
            </span>
          )}
        </li>
        <li className={session || agent.session_id ? 'done' : 'now'}>
          <strong>A session for its executor</strong>
          {!session && !agent.session_id && (
            <Link href={`/sessions?executor=${agent.executor ?? ''}`}>Grant one inside its limits</Link>
          )}
        </li>
        <li className={agent.session_id ? 'done' : 'waits'}>
          <strong>The session attached</strong>
          {session && !agent.session_id && (
            <Button tight busy={attaching.isPending} onClick={() => attaching.mutate(session.session_id)}>
              Attach it
            </Button>
          )}
        </li>
        <li className={agent.live ? 'done' : 'waits'}>
          <strong>Switched on</strong>
          {agent.session_id && (
            <Button tight busy={switching.isPending} onClick={() => switching.mutate(!agent.live)}>
              {agent.live ? 'Switch it off' : 'Let it trade for real'}
            </Button>
          )}
        </li>
      </ol>
      {error && <Failure error={error} />}
    </Card>
  )
}
