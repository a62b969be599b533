import type { RecordedSession, RootState } from '@pit/client'
import { type Answer, controlsJson } from '@pit/protocol'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { queries, useRead } from '../data/api.ts'
import { controlsWords, type SessionControls } from '../data/controls.ts'
import { count, dateTime, duration, many, shortHex, usd, words } from '../data/format.ts'
import { useNowS } from '../data/now.ts'
import { ConfirmButton } from '../design/ConfirmButton.tsx'
import { Badge, Card, Page, Tabs } from '../design/parts.tsx'
import { Failure, Loaded, Notice } from '../design/states.tsx'
import { Table } from '../design/Table.tsx'
import { toast } from '../design/toast.tsx'
import { useLocation } from '../router.tsx'
import { openClient } from '../wallet/connect.ts'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { GrantForm } from './GrantForm.tsx'
import { SessionBounds } from './SessionBounds.tsx'

type Listed = Answer<'me.sessions'>['sessions'][number]
/** A session as listed by the server, with its on-chain state if it was signed in this browser. */
type Session = Pick<Listed, 'session_id' | 'role' | 'executor' | 'expires'> & {
  status: Listed['status'] | 'not_listed'
  tokens: readonly string[]
  limits: { max_trade_usd: number; max_day_usd: number }
  controls: SessionControls
  used: Listed['used'] | null
  onChain: RootState | null
}

/** Adds sessions signed in this browser that the server does not list. */
function merge(listed: readonly Listed[], recorded: readonly RecordedSession[]): Session[] {
  const byId = new Map(recorded.map((one) => [one.session_id, one]))
  const rows = listed.map((one): Session => ({ ...one, onChain: byId.get(one.session_id)?.state ?? null }))
  const ids = new Set(listed.map(({ session_id }) => session_id))
  const hidden = recorded
    .filter(({ session_id }) => !ids.has(session_id))
    .map(
      ({ session_id, executor, binding, state }): Session => ({
        ...{ session_id, executor, role: 'owner', status: 'not_listed', onChain: state, used: null },
        expires: binding.expires_at,
        tokens: binding.tokens,
        controls: controlsJson(binding),
        limits: {
          max_trade_usd: binding.limits.max_trade_micro_usd / 1e6,
          max_day_usd: binding.limits.max_day_micro_usd / 1e6,
        },
      }),
    )
  return [...rows, ...hidden]
}

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
        {tab === 'list' && <List />}
        {tab === 'grant' && (
          <GrantForm executor={searchParams.get('executor') ?? ''} onGranted={() => setTab('list')} />
        )}
        {tab === 'bounds' && <SessionBounds />}
      </NeedsWallet>
    </Page>
  )
}

const TONES = {
  pending: 'plain',
  active: 'up',
  revoked: 'down',
  expired: 'plain',
  not_listed: 'warn',
} as const
const CHAIN_TONES = { alive: 'up', ended: 'down', expired: 'plain' } as const

function List() {
  const sessions = useRead('me.sessions', {}, { everyMs: 10_000 })
  const recorded = useQuery({
    queryKey: ['recorded sessions', sessions.dataUpdatedAt],
    queryFn: async () => (await openClient()).client.recordedSessions(),
    placeholderData: (before) => before,
  })
  const nowS = useNowS()
  const revoking = useMutation({
    mutationFn: async (sessionId: string) => {
      const { client } = await openClient()
      return client.revokeSession({ sessionId })
    },
    onSuccess: ({ complete }) =>
      toast(
        complete
          ? 'Session ended: every root is disabled on chain.'
          : 'The listed roots are disabled. The session was not signed in this browser, so other roots may still be active.',
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['me.sessions'] }),
  })
  const ending = useMutation({
    mutationFn: async () => (await openClient()).client.revokeAll(),
    onSuccess: ({ ended }) => toast(`${many(ended.length, 'session')} ended on chain.`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['me.sessions'] }),
  })
  const columns = [
    {
      head: 'Session',
      cell: ({ session_id, role }: Session) => (
        <span className="row">
          <span className="mono">{shortHex(session_id)}</span>
          {role === 'executor' && <Badge>You are the executor</Badge>}
        </span>
      ),
    },
    { head: 'State', cell: ({ status }: Session) => <Badge tone={TONES[status]}>{words(status)}</Badge> },
    {
      head: 'On chain',
      cell: ({ onChain }: Session) =>
        onChain ? (
          <Badge tone={CHAIN_TONES[onChain]}>{words(onChain)}</Badge>
        ) : (
          <span className="faint">–</span>
        ),
    },
    { head: 'Executor', cell: ({ executor }: Session) => <span className="mono">{shortHex(executor)}</span> },
    { head: 'Tokens', cell: ({ tokens }: Session) => tokens.map((token) => shortHex(token)).join(', ') },
    { head: 'Max per trade', right: true, cell: ({ limits }: Session) => usd(limits.max_trade_usd) },
    {
      head: 'Left in 24 h',
      right: true,
      cell: ({ used, limits }: Session) => `${usd(used?.remaining_24h_usd)} of ${usd(limits.max_day_usd)}`,
    },
    { head: 'Controls', cell: ({ controls }: Session) => <Controls lines={controlsWords(controls)} /> },
    { head: 'Trades left', right: true, cell: ({ used }: Session) => count(used?.trades_left) },
    {
      head: 'Expires',
      cell: ({ expires }: Session) => (
        <span title={dateTime(expires)}>{expires > nowS ? `in ${duration(expires - nowS)}` : 'expired'}</span>
      ),
    },
    {
      head: 'Action',
      cell: ({ session_id, status, role, onChain }: Session) =>
        role === 'owner' && (status === 'active' || onChain === 'alive') ? (
          <ConfirmButton
            label="Revoke"
            question="End this session permanently?"
            tight
            busy={revoking.isPending && revoking.variables === session_id}
            onConfirm={() => revoking.mutate(session_id)}
          />
        ) : (
          <span className="faint">–</span>
        ),
    },
  ]
  return (
    <>
      {revoking.error && <Failure error={revoking.error} />}
      {recorded.data?.damaged.map((key) => (
        <Notice key={key} tone="warn" title="A record in this browser is damaged">
          {`${key}: its session may still be active.`}
        </Notice>
      ))}
      {ending.error && <Failure error={ending.error} />}
      {ending.data && ending.data.left.length > 0 && (
        <Notice tone="warn" title="Sessions without controls are still active on chain. Revoke each one:">
          <p className="mono break">{ending.data.left.join(', ')}</p>
        </Notice>
      )}
      <Card
        title="Sessions"
        flush
        actions={
          <ConfirmButton
            label="End all sessions with controls"
            question="One transaction ends all of them on chain, with their orders. Continue?"
            tight
            busy={ending.isPending}
            onConfirm={() => ending.mutate()}
          />
        }
      >
        <Loaded of={sessions}>
          {(data) => (
            <Table
              caption="Sessions"
              columns={columns}
              rows={merge([...data.sessions, ...data.as_executor], recorded.data?.sessions ?? [])}
              keyOf={({ session_id }) => session_id}
              empty="No sessions."
            />
          )}
        </Loaded>
      </Card>
      <p className="small faint">
        Revoking stops the server and the co-signer at once; your wallet then ends the session on chain too.
      </p>
    </>
  )
}

const Controls = ({ lines }: { lines: readonly string[] }) =>
  lines.length === 0 ? (
    <span className="faint">none</span>
  ) : (
    <details>
      <summary>Show</summary>
      <ul className="stack small">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  )
