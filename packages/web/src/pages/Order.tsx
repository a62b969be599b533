import {
  type Checked,
  type PitClient,
  say,
  type TradeParams,
  type TradeReview,
  type TradeStage,
} from '@pit/client'
import { Badge, Button, Card, duration, Failure, Notice, toast } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { queries } from '../data/api.ts'
import { useNowS } from '../data/now.ts'
import { openClient } from '../wallet/connect.ts'
import { VerifiedBy } from '../wallet/VerifiedBy.tsx'
import { ConfirmedFacts, ConfirmedList } from './Confirmed.tsx'
import { Receipt } from './Receipt.tsx'

type Verified = Awaited<ReturnType<PitClient['plan']>>
type Following = Extract<TradeStage, { stage: 'following' }>
type StageName = Exclude<TradeStage, Following>['stage']

/** Of an order, for what else the page shows. */
export type Phase = 'start' | 'review' | 'done'

const STAGES: readonly { name: StageName; says: string }[] = [
  { name: 'planned', says: 'Prepared by the server' },
  { name: 'verified', says: 'Verified in this browser' },
  { name: 'permitted', says: 'Permit signed, if needed' },
  { name: 'signed', says: 'Signed by your wallet' },
  { name: 'relayed', says: 'Relayed' },
  { name: 'mined', says: 'Mined' },
]

/** Plans and verifies a trade, then has it signed, relayed and followed, with visible stages. */
export function Order({
  request,
  isQuoted,
  onAgain,
  onPhase,
}: {
  request: TradeParams
  isQuoted: boolean
  /** For a next trade. */
  onAgain(): void
  onPhase(phase: Phase): void
}) {
  const [reached, setReached] = useState<StageName | null>(null)
  const [following, setFollowing] = useState<Following | null>(null)
  const onStage = (stage: TradeStage) => {
    setFollowing(stage.stage === 'following' ? stage : null)
    if (stage.stage !== 'following') setReached(stage.stage)
  }
  const planning = useMutation({
    mutationFn: async () => {
      setReached(null)
      return (await openClient()).client.plan(request, { onStage })
    },
  })
  const sending = useMutation({
    mutationFn: async (verified: Verified) => (await openClient()).client.send(verified, { onStage }),
    onSuccess: () => {
      toast('Trade mined.')
      void queries.invalidateQueries({ queryKey: ['me.trades'] })
      void queries.invalidateQueries({ queryKey: ['holdings'] })
    },
  })
  const error = planning.error ?? sending.error
  const isBusy = planning.isPending || sending.isPending
  const phase: Phase = sending.data ? 'done' : planning.data ? 'review' : 'start'
  useEffect(() => onPhase(phase), [onPhase, phase])
  if (sending.data)
    return (
      <>
        <Receipt
          result={sending.data}
          onAgain={() => {
            sending.reset()
            planning.reset()
            setReached(null)
            onAgain()
          }}
        />
        <Folded title="Stages">
          <Stages reached={reached} isBusy={false} isBroken={false} />
        </Folded>
        <Checks checks={sending.data.checks} />
      </>
    )
  const hasBegun = reached !== null || isBusy || error !== null
  return (
    <>
      {planning.data && <PlanCard review={planning.data.review} />}
      <Card title="Order">
        {error && <Failure error={error} />}
        <div className="row">
          {planning.data && (
            <Button kind="primary" busy={sending.isPending} onClick={() => sending.mutate(planning.data)}>
              Sign and send
            </Button>
          )}
          <Button
            kind={planning.data || !isQuoted ? 'plain' : 'primary'}
            busy={planning.isPending}
            disabled={isBusy}
            onClick={() => {
              sending.reset()
              planning.mutate()
            }}
          >
            {planning.data || error ? 'Review again' : 'Review trade'}
          </Button>
        </div>
        {hasBegun && <Stages reached={reached} isBusy={isBusy} isBroken={error !== null} />}
        {following && sending.isPending && <Waiting following={following} />}
        {!isQuoted && !hasBegun && (
          <p className="small faint">Get a quote first to see price, routes and risks.</p>
        )}
      </Card>
      {planning.data && <Checks checks={planning.data.checks} />}
    </>
  )
}

const Folded = ({ title, children }: { title: string; children: ReactNode }) => (
  <details className="card">
    <summary>{title}</summary>
    <div className="pad">{children}</div>
  </details>
)

function Stages(props: { reached: StageName | null; isBusy: boolean; isBroken: boolean }) {
  const at = STAGES.findIndex(({ name }) => name === props.reached)
  return (
    <ol className="steps" aria-label="Stages of the trade">
      {STAGES.map(({ name, says }, i) => {
        const isNext = i === at + 1
        const state =
          i <= at ? 'done' : isNext && props.isBroken ? 'broken' : isNext && props.isBusy ? 'now' : 'waits'
        return (
          <li key={name} className={state} data-stage={name} data-state={state}>
            {says}
            {state === 'now' && <span className="small faint">in progress…</span>}
          </li>
        )
      })}
    </ol>
  )
}

function Waiting({ following: { code, untilS } }: { following: Following }) {
  const leftS = Math.max(0, untilS - useNowS())
  return (
    <Notice tone="warn" title={`The server did not confirm the transaction (${code}).`}>
      <p>{`Waiting for its deadline to pass, to be sure it was not sent: up to ${duration(leftS)}.`}</p>
    </Notice>
  )
}

/** The confirmation of a trade: every text is derived in this browser. */
function PlanCard({ review }: { review: TradeReview }) {
  const nowS = useNowS()
  const leftS = review.deadlineS === null ? null : review.deadlineS - nowS
  return (
    <Card title="Review before signing" actions={<TimeLeft leftS={leftS} />}>
      <ConfirmedFacts rows={review.rows} />
      <Approvals approvals={review.approvals} isEther={review.sellsEther} />
      <VerifiedBy what="trade" />
      <ol className="stack small" aria-label="Transactions to sign">
        {review.transactions.map((text, i) => (
          <li key={text} className="row">
            <Badge>{`${i + 1}.`}</Badge>
            <span className="break">{text}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

function TimeLeft({ leftS }: { leftS: number | null }) {
  if (leftS === null) return <Badge tone="warn">no deadline</Badge>
  return (
    <Badge tone={leftS > 0 ? 'accent' : 'down'}>
      {leftS > 0 ? `${duration(leftS)} left` : 'expired; review again'}
    </Badge>
  )
}

function Approvals({ approvals, isEther }: { approvals: TradeReview['approvals']; isEther: boolean }) {
  const [first] = approvals
  if (!first) return <Notice title={isEther ? 'No approval needed for ETH.' : 'No new approval needed'} />
  return (
    <Notice tone="accent" title={say`Approval of ${first.amount} required first`}>
      <ConfirmedList lines={approvals.map(({ text }) => text)} />
    </Notice>
  )
}

function Checks({ checks }: { checks: readonly Checked[] }) {
  return (
    <Folded title={`Checks: ${checks.length} passed`}>
      <ul className="stack">
        {checks.map(({ rule, says }) => (
          <li key={rule}>
            <Badge tone="up">{rule}</Badge> <span>{says}</span>
          </li>
        ))}
      </ul>
    </Folded>
  )
}
