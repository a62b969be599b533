import type { PitClient } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { Badge, Button, ConfirmButton, Failure, Notice, toast, words } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queries } from '../data/api.ts'
import { navigate } from '../router.tsx'
import { openClient } from '../wallet/connect.ts'
import { STATUS_TONES } from './Agents.tsx'

type AgentDetail = Answer<'hosted.get'>

const aliveIn = ({ sessions }: Awaited<ReturnType<PitClient['hosted']['stop']>>): string[] =>
  sessions.flatMap(({ session_id, state }) => (state === 'alive' ? [session_id] : []))

/** Sessions of a stopped agent that are still active on chain, according to the verifying node. */
function AliveSessions({ ids, onEnded }: { ids: readonly string[]; onEnded(): void }) {
  const ending = useMutation({
    mutationFn: async () => {
      const { client } = await openClient()
      for (const sessionId of ids) await client.revokeSession({ sessionId })
    },
    onSuccess: () => {
      toast('Sessions ended on chain.')
      onEnded()
    },
  })
  return (
    <Notice tone="warn" title="Sessions still active on chain">
      <p className="mono break">{ids.join(', ')}</p>
      <Button kind="danger" busy={ending.isPending} onClick={() => ending.mutate()}>
        End them on chain
      </Button>
      {ending.error && <Failure error={ending.error} />}
    </Notice>
  )
}

const DONE = {
  pause: 'Agent paused.',
  resume: 'Agent resumed.',
  stop: 'Agent stopped.',
  delete: 'Agent deleted.',
} as const

/** Pause, resume, stop and delete. */
export function AgentSwitches({ agent }: { agent: AgentDetail }) {
  const { id, status } = agent
  const [left, setLeft] = useState<readonly string[]>([])
  const acting = useMutation({
    mutationFn: async (what: 'pause' | 'resume' | 'stop' | 'delete') => {
      if (what !== 'stop') await api[`hosted.${what}`]({ params: { id } })
      else setLeft(aliveIn(await (await openClient()).client.hosted.stop(id)))
      return what
    },
    onSuccess: (what) => {
      toast(DONE[what])
      if (what === 'delete') navigate('/agents')
      void queries.invalidateQueries({ queryKey: ['hosted.get'] })
      void queries.invalidateQueries({ queryKey: ['hosted.list'] })
    },
  })
  return (
    <>
      <div className="row">
        <Badge tone={STATUS_TONES[status]}>{words(status)}</Badge>
        {agent.pause_reason && <Badge tone="warn">{words(agent.pause_reason.code)}</Badge>}
        {status === 'active' && <Button onClick={() => acting.mutate('pause')}>Pause</Button>}
        {status === 'paused' && <Button onClick={() => acting.mutate('resume')}>Resume</Button>}
        {status !== 'stopped' && (
          <ConfirmButton
            label="Stop permanently"
            question="A stopped agent cannot be resumed, and its session ends. Continue?"
            busy={acting.isPending && acting.variables === 'stop'}
            onConfirm={() => acting.mutate('stop')}
          />
        )}
        {status === 'stopped' && (
          <ConfirmButton
            label="Delete"
            question="Delete this agent with its log?"
            busy={acting.isPending && acting.variables === 'delete'}
            onConfirm={() => acting.mutate('delete')}
          />
        )}
      </div>
      {acting.error && <Failure error={acting.error} />}
      {left.length > 0 && <AliveSessions ids={left} onEnded={() => setLeft([])} />}
    </>
  )
}
