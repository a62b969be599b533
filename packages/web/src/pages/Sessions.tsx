import type { RecordedSession } from '@pit/client'
import { type Answer, controlsJson } from '@pit/protocol'
import {
  Badge,
  Button,
  Card,
  ConfirmButton,
  dateTime,
  Empty,
  Failure,
  Loaded,
  many,
  Notice,
  Page,
  shortHex,
  Table,
  Tabs,
  toast,
  usd,
  words,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queries, useRead } from '../data/api.ts'
import { useRecordedSessions } from '../data/own.ts'
import { useLocation } from '../router.tsx'
import { openClient } from '../wallet/connect.ts'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { termsOf } from './AgentLimits.tsx'
import { nameOf } from './Agents.tsx'
import { GrantForm } from './GrantForm.tsx'
import { SessionBounds } from './SessionBounds.tsx'
import { CHAIN_TONES, type Session, SessionCard, STATUS_TONES } from './SessionCard.tsx'
import { WantedSignatures } from './WantedSignatures.tsx'

type Listed = Answer<'me.sessions'>['sessions'][number]

/**
 * Sessions of the server's list and of this browser's records. Terms of a session that was signed here are the
 * signed ones; its status and what was used are the server's.
 */
function merge(listed: readonly Listed[], recorded: readonly RecordedSession[]): Session[] {
  const byId = new Map(recorded.map((one) => [one.session_id, one]))
  const rows = listed.map((one): Session => {
    const own = byId.get(one.session_id)
    const served = { ...one, levels: one.controls?.levels ?? null, onChain: null }
    return own ? { ...served, ...signedParts(own) } : served
  })
  const ids = new Set(listed.map(({ session_id }) => session_id))
  const hidden = recorded
    .filter(({ session_id }) => !ids.has(session_id))
    .map((own): Session => ({ ...signedParts(own), status: 'not_listed', used: null, levels: null }))
  return [...rows, ...hidden]
}

const signedParts = (own: RecordedSession) => ({
  ...{ session_id: own.session_id, executor: own.executor, role: 'owner' as const, onChain: own.state },
  ...termsOf(own),
  tokens: own.binding.tokens,
  controls: controlsJson(own.binding),
})

const TABS = [
  { id: 'list', label: 'Your sessions' },
  { id: 'grant', label: 'New session' },
  { id: 'bounds', label: 'How it is enforced' },
]

/** Grant, list and end sessions. */
export default function Sessions() {
  const { searchParams } = useLocation()
  const [tab, setTab] = useState(searchParams.has('executor') ? 'grant' : 'list')
  return (
    <Page
      title="Sessions"
      lead="A session lets one executor trade for your wallet within limits that you sign. It never gets your key."
    >
      <NeedsWallet why="Sign in to see and grant sessions." instead={<SessionBounds />}>
        <Tabs label="Sections" tabs={TABS} chosen={tab} onChoose={setTab} />
        {tab === 'list' && <List onGrant={() => setTab('grant')} />}
        {tab === 'grant' && (
          <GrantForm executor={searchParams.get('executor') ?? ''} onGranted={() => setTab('list')} />
        )}
        {tab === 'bounds' && <SessionBounds />}
      </NeedsWallet>
    </Page>
  )
}

/** Whether it still trades, by the server or on chain. */
const isOpen = ({ status, onChain }: Session): boolean =>
  onChain === 'alive' || (onChain === null && (status === 'active' || status === 'pending'))

function List({ onGrant }: { onGrant(): void }) {
  const sessions = useRead('me.sessions', {}, { everyMs: 10_000 })
  const agents = useRead('hosted.list', {}, { everyMs: 30_000 })
  const recorded = useRecordedSessions(sessions.dataUpdatedAt)
  const revoking = useMutation({
    mutationFn: async (sessionId: string) => {
      const { client } = await openClient()
      return client.revokeSession({ sessionId })
    },
    onSuccess: ({ complete }) =>
      toast(
        complete
          ? 'Session ended on chain.'
          : 'The part listed by the server has ended. The session was not signed in this browser, so other parts may still be active.',
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['me.sessions'] }),
  })
  const agentOf = (session: Session) =>
    agents.data?.agents.find(
      ({ session_id, executor }) =>
        session_id === session.session_id || executor?.toLowerCase() === session.executor.toLowerCase(),
    )
  return (
    <>
      {revoking.error && <Failure error={revoking.error} />}
      {recorded.data?.damaged.map((key) => (
        <Notice key={key} tone="warn" title="A record in this browser is damaged">
          {`${key}: its session may still be active.`}
        </Notice>
      ))}
      {agents.data?.agents
        .filter(({ session_id, status }) => session_id !== null && status !== 'stopped')
        .map((agent) => (
          <WantedSignatures key={agent.id} agent={agent} name={nameOf(agent)} />
        ))}
      <Loaded of={sessions} lines={14}>
        {(data) => {
          const all = merge([...data.sessions, ...data.as_executor], recorded.data?.sessions ?? [])
          const open = all.filter(isOpen)
          return (
            <>
              {open.length === 0 && (
                <Empty title="No open sessions. A session lets an agent or another key trade within your limits.">
                  <Button kind="primary" onClick={onGrant}>
                    New session
                  </Button>
                </Empty>
              )}
              {open.map((session) => (
                <SessionCard
                  key={session.session_id}
                  session={session}
                  agent={agentOf(session)}
                  isRevoking={revoking.isPending && revoking.variables === session.session_id}
                  onRevoke={() => revoking.mutate(session.session_id)}
                  onGrant={onGrant}
                />
              ))}
              {open.some(({ controls }) => controls !== null) && <EndAll />}
              <Ended sessions={all.filter((session) => !isOpen(session))} />
            </>
          )
        }}
      </Loaded>
      <p className="small faint">
        Revoking stops the server and the co-signer at once; your wallet then ends the session on chain too.
      </p>
    </>
  )
}

/** One transaction for every session with controls. */
function EndAll() {
  const ending = useMutation({
    mutationFn: async () => (await openClient()).client.revokeAll(),
    onSuccess: ({ ended }) => toast(`${many(ended.length, 'session')} ended on chain.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['me.sessions'] }),
  })
  return (
    <>
      {ending.error && <Failure error={ending.error} />}
      {ending.data && ending.data.left.length > 0 && (
        <Notice tone="warn" title="Sessions without controls are still active on chain. Revoke each one:">
          <p className="mono break">{ending.data.left.join(', ')}</p>
        </Notice>
      )}
      <div className="row">
        <ConfirmButton
          label="End all sessions with controls"
          question="One transaction ends all of them on chain, with their orders. Continue?"
          tight
          busy={ending.isPending}
          onConfirm={() => ending.mutate()}
        />
      </div>
    </>
  )
}

function Ended({ sessions }: { sessions: readonly Session[] }) {
  if (sessions.length === 0) return null
  return (
    <Card title="Ended sessions" flush source="server">
      <Table
        caption="Ended sessions"
        columns={[
          {
            head: 'Session',
            cell: ({ session_id }: Session) => <span className="mono">{shortHex(session_id)}</span>,
          },
          {
            head: 'State',
            cell: ({ status }: Session) => <Badge tone={STATUS_TONES[status]}>{words(status)}</Badge>,
          },
          {
            head: 'On chain',
            cell: ({ onChain }: Session) =>
              onChain ? (
                <Badge tone={CHAIN_TONES[onChain]}>{words(onChain)}</Badge>
              ) : (
                <span className="faint">not signed here</span>
              ),
          },
          {
            head: 'Executor',
            cell: ({ executor }: Session) => <span className="mono">{shortHex(executor)}</span>,
          },
          { head: 'Limit a day', right: true, cell: ({ limits }: Session) => usd(limits.max_day_usd) },
          {
            head: 'Trades',
            right: true,
            cell: ({ used }: Session) => (used === null ? '–' : used.trades),
          },
          { head: 'Expiry', cell: ({ expires }: Session) => dateTime(expires) },
        ]}
        rows={sessions}
        keyOf={({ session_id }) => session_id}
      />
    </Card>
  )
}
