import { ago, Badge, Button, Card, dateTime, Empty, Loaded, Page, Tabs, toast } from '@pit/ui'
import { useState } from 'react'
import { switchNotifications, useActivity, useNotifications } from '../data/activity.ts'
import type { Activity as Event } from '../data/activityFeed.ts'
import { Link } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { TxLink } from '../wallet/TxLink.tsx'

/** One feed of trades, blocked orders, wanted signatures and sessions. */
export default function Activity() {
  return (
    <Page title="Activity" lead="Trades, blocked orders, signatures your agents wait for, and sessions.">
      <NeedsWallet why="Sign in to see your activity.">
        <Feed />
      </NeedsWallet>
    </Page>
  )
}

const KINDS = [
  { id: 'all', label: 'All' },
  { id: 'trade', label: 'Trades' },
  { id: 'hold', label: 'Blocked' },
  { id: 'approval', label: 'Signatures' },
  { id: 'session', label: 'Sessions' },
] as const

function Feed() {
  const activity = useActivity()
  const [kind, setKind] = useState('all')
  return (
    <Card title="Newest first" flush source="server" actions={<NotificationSwitch />}>
      <div className="pad">
        <Tabs label="Kind" look="segments" tabs={KINDS} chosen={kind} onChoose={setKind} />
      </div>
      <Loaded of={activity} lines={8}>
        {(events) => <Events events={events.filter((event) => kind === 'all' || event.kind === kind)} />}
      </Loaded>
    </Card>
  )
}

const KIND_WORDS = { trade: 'Trade', hold: 'Blocked', approval: 'Signature', session: 'Session' } as const

function Events({ events }: { events: readonly Event[] }) {
  if (events.length === 0)
    return (
      <Empty title="Nothing here yet.">
        <Link href="/trade">Make a trade</Link>
      </Empty>
    )
  return (
    <ol className="feed">
      {events.map(({ id, atS, kind, title, detail, tone, href, txHash, times }) => (
        <li key={id}>
          <Badge tone={tone}>{KIND_WORDS[kind]}</Badge>
          <div>
            <strong>{href && !txHash ? <Link href={href}>{title}</Link> : title}</strong>
            {times > 1 && <span className="faint">{` ${times} times`}</span>}
            <div className="small faint break">{detail}</div>
          </div>
          <div className="small faint right">
            {kind === 'approval' ? 'now' : <time title={dateTime(atS)}>{ago(atS)}</time>}
            {txHash && (
              <div>
                <TxLink hash={txHash} />
              </div>
            )}
          </div>
        </li>
      ))}
    </ol>
  )
}

function NotificationSwitch() {
  const isOn = useNotifications()
  const change = async () => {
    if (!(await switchNotifications(!isOn)))
      toast('Your browser does not allow notifications of this site. Change that in its settings.')
  }
  return (
    <Button tight aria-pressed={isOn} onClick={() => void change()}>
      {isOn ? 'Notifications on' : 'Turn on notifications'}
    </Button>
  )
}
