import type { Checked, PitClient, Plan, TradeParams, TradeStage } from '@pit/client'
import type { Answer } from '@pit/protocol'
import {
  Badge,
  Button,
  bps,
  Card,
  duration,
  Facts,
  Failure,
  Notice,
  shortHex,
  toast,
  usd,
  words,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { queries } from '../data/api.ts'
import { useNowS } from '../data/now.ts'
import { amountOf, namesIn } from '../data/tokens.ts'
import { openClient } from '../wallet/connect.ts'
import { VerifiedBy } from '../wallet/VerifiedBy.tsx'
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
  config,
  isQuoted,
  onAgain,
  onPhase,
}: {
  request: TradeParams
  config: Answer<'config'>
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
      void queries.invalidateQueries({ queryKey: ['me.portfolio'] })
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
          config={config}
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
      {planning.data && <PlanCard verified={planning.data} config={config} />}
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

function PlanCard({ verified: { plan, reading }, config }: { verified: Verified; config: Answer<'config'> }) {
  const nowS = useNowS()
  const names = namesIn(config, plan.tokens)
  const leftS = plan.deadline - nowS
  return (
    <Card
      title="Review before signing"
      actions={
        <Badge tone={leftS > 0 ? 'accent' : 'down'}>
          {leftS > 0 ? `${duration(leftS)} left` : 'expired; review again'}
        </Badge>
      }
    >
      <Facts
        rows={[
          ['You sell', amountOf(names, reading.amountIn, reading.tokenIn)],
          ['Minimum received', amountOf(names, plan.amount_out_min, reading.tokenOut)],
          ['Expected', amountOf(names, plan.amount_out_expected, reading.tokenOut)],
          ['Value', usd(plan.notional_usd)],
          ['Fee', feeText(plan)],
          ['Route', plan.route.label],
          ['Gas', usd(plan.quote.gas_usd)],
        ]}
      />
      <Approval plan={plan} shown={(atoms) => amountOf(names, atoms, reading.tokenIn)} />
      <VerifiedBy what="trade" />
      <ol className="stack small" aria-label="Transactions to sign">
        {plan.steps.map(({ kind, why }, i) => (
          <li key={kind} className="row">
            <Badge>{`${i + 1}. ${words(kind)}`}</Badge>
            <span>{kind === 'sign_permit' ? SIGN_PERMIT : why}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

const SIGN_PERMIT = 'Your wallet signs a permit for this trade: no transaction, no gas.'

const feeText = ({ fee_bps, fee_side, fee_class, fee }: Plan): string =>
  `${bps(fee_bps)} of the amount you ${fee_side === 'input' ? 'sell' : 'receive'} (${fee_class} class), to ${shortHex(fee.recipient)}`

function Approval(props: { plan: Plan; shown(atoms: string): string }) {
  const { approve, after, spender, reason, needed } = props.plan.approval
  if (spender === null) return <Notice title="No approval needed for ETH." />
  return (
    <Notice
      tone={approve === null ? 'plain' : 'accent'}
      title={
        approve === null ? 'No new approval needed' : `Approval of ${props.shown(approve)} required first`
      }
    >
      <p>{reason}</p>
      <p className="small faint">
        {`This trade needs ${props.shown(needed)}${after === null ? '' : `; ${props.shown(after)} remain approved afterwards`}.`}
      </p>
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
