import type { Checked, PitClient, Plan, TradeParams, TradeStage } from '@pit/client'
import type { Answer } from '@pit/protocol'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { queries } from '../data/api.ts'
import { bps, duration, shortHex, usd } from '../data/format.ts'
import { useNowS } from '../data/now.ts'
import { amountOf, namesIn } from '../data/tokens.ts'
import { Badge, Button, Card, Facts } from '../design/parts.tsx'
import { Failure, Notice } from '../design/states.tsx'
import { toast } from '../design/toast.tsx'
import { openClient } from '../wallet/connect.ts'
import { TxLink } from '../wallet/TxLink.tsx'
import { VerifiedBy } from '../wallet/VerifiedBy.tsx'

type Verified = Awaited<ReturnType<PitClient['plan']>>
type Result = Awaited<ReturnType<PitClient['send']>>
type Following = Extract<TradeStage, { stage: 'following' }>
type StageName = Exclude<TradeStage, Following>['stage']

const STAGES: readonly { name: StageName; says: string }[] = [
  { name: 'planned', says: 'Planned by the server' },
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
}: {
  request: TradeParams
  config: Answer<'config'>
  isQuoted: boolean
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
  return (
    <>
      <Card title="Order">
        <Stages reached={reached} isBusy={isBusy} isBroken={error !== null} />
        {following && sending.isPending && <Waiting following={following} />}
        {error && <Failure error={error} />}
        {!sending.data && (
          <div className="row">
            <Button
              kind={planning.data ? 'plain' : 'primary'}
              busy={planning.isPending}
              disabled={isBusy}
              onClick={() => {
                sending.reset()
                planning.mutate()
              }}
            >
              {planning.data || error ? 'Review again' : 'Review trade'}
            </Button>
            {planning.data && (
              <Button kind="primary" busy={sending.isPending} onClick={() => sending.mutate(planning.data)}>
                Sign and send
              </Button>
            )}
          </div>
        )}
        {!isQuoted && reached === null && (
          <p className="small faint">Get a quote first to see routes and risks.</p>
        )}
        {sending.data && <Mined result={sending.data} config={config} />}
      </Card>
      {planning.data && <PlanCard verified={planning.data} config={config} />}
      {planning.data && <Checks checks={planning.data.checks} />}
    </>
  )
}

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
    <Notice tone="warn" title={`The server refused the transaction (${code}).`}>
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
          ['Worth', usd(plan.notional_usd)],
          ['Fee', feeText(plan)],
          ['Route', plan.route.label],
          ['Transactions', plan.steps.filter(({ tx }) => tx !== null).length],
          ['Gas', usd(plan.quote.gas_usd)],
        ]}
      />
      <Approval plan={plan} shown={(atoms) => amountOf(names, atoms, reading.tokenIn)} />
      <VerifiedBy what="trade" />
      <ol className="stack">
        {plan.steps.map(({ kind, why }, i) => (
          <li key={kind} className="row">
            <Badge>{`${i + 1}. ${kind.replaceAll('_', ' ')}`}</Badge>
            <span>{why}</span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

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
    <Card title="Checks" actions={<Badge tone="up">{`${checks.length} passed`}</Badge>}>
      <ul className="stack">
        {checks.map(({ rule, says }) => (
          <li key={rule}>
            <Badge tone="up">{rule}</Badge> <span>{says}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Mined({ result, config }: { result: Result; config: Answer<'config'> }) {
  const names = namesIn(config, result.plan.tokens)
  const { receipt, amountOut, reading } = result
  return (
    <Notice tone="up" title={`Mined in block ${receipt.block}`}>
      <Facts
        rows={[
          [
            'Received',
            amountOut === null ? 'unknown; check your balance' : amountOf(names, amountOut, reading.tokenOut),
          ],
          ['Transaction', <TxLink key="hash" hash={receipt.hash} />],
          ['Gas used', receipt.gasUsed.toString()],
        ]}
      />
    </Notice>
  )
}
