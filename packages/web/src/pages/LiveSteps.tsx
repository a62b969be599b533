import { type Answer, DAY_S } from '@pit/protocol'
import {
  Button,
  Card,
  Code,
  Copied,
  duration,
  ether,
  Facts,
  Failure,
  Loaded,
  Notice,
  ServerFigure,
  toast,
  usd,
  words,
} from '@pit/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queries, useRead } from '../data/api.ts'
import {
  type ControlsText,
  controlsFault,
  controlsFlags,
  controlsRequest,
  NO_CONTROLS,
} from '../data/controls.ts'
import { openClient } from '../wallet/connect.ts'
import { ControlsFields } from './ControlsFields.tsx'
import { SignSession } from './SignSession.tsx'
import { TradingWalletOffer } from './TradingWalletOffer.tsx'

const LASTS_S = DAY_S
const NATIVE = `0x${'0'.repeat(40)}` as const

/** Steps to start a live agent: gas, a session for its executor, attach it, switch on. */
export function LiveSteps({ agent }: { agent: Answer<'hosted.get'> }) {
  const params = { id: agent.id }
  const executor = useRead('hosted.executor', { params }, { everyMs: 10_000 })
  const mine = useRead('me.sessions', {}, { everyMs: 10_000 })
  const attestation = executor.data?.executor_attestation
  // Send gas and grant sessions only to an executor attested by the pinned co-signer.
  const attested = useQuery({
    queryKey: ['attested executor', agent.id, agent.executor, attestation?.signature],
    queryFn: async () =>
      (await openClient()).client.hosted.checkExecutor({ ...agent, executor_attestation: attestation }),
    enabled: attestation !== undefined,
  })
  const session = mine.data?.sessions.find(
    (one) => one.status === 'active' && one.executor.toLowerCase() === attested.data,
  )
  const refresh = () => queries.invalidateQueries({ queryKey: ['hosted.get'] })
  const attaching = useMutation({
    mutationFn: async (sessionId: string) =>
      (await openClient()).client.hosted.grantLive(agent.id, {}, { sessionId }),
    onSuccess: () => toast('Session attached. The agent trades within it.'),
    onSettled: refresh,
  })
  const switching = useMutation({
    mutationFn: (live: boolean) => api['hosted.update']({ params, body: { live } }),
    onSuccess: ({ live }) => toast(live ? 'The agent is switched on.' : 'The agent is switched off.'),
    onSettled: refresh,
  })
  const held = useQuery({
    queryKey: ['executor balance', attested.data],
    queryFn: async () => (await openClient()).client.holdings([], { holder: attested.data! }),
    enabled: attested.data !== undefined,
    refetchInterval: 10_000,
  })
  const balance = held.data?.balances.get(NATIVE)
  const hasGas = executor.data?.enough ?? false
  const topUp = executor.data?.top_up
  const error = attested.error ?? attaching.error ?? switching.error
  return (
    <>
      <Card title="Start trading">
        <ol className="steps">
          <li className={hasGas ? 'done' : 'now'}>
            <strong>Gas for its executor</strong>
            {executor.data && attested.data && (
              <span className="small">
                {`Balance: ${balance === undefined ? '…' : ether(balance)}${topUp ? '; send ' : ' '}`}
                <ServerFigure>
                  {topUp ? `${ether(topUp.amount_wei)} (${usd(topUp.amount_usd)}) to` : '(enough).'}
                </ServerFigure>
                {topUp && <Copied text={attested.data} />}
              </span>
            )}
          </li>
          <li className={session || agent.session_id ? 'done' : 'now'}>
            <strong>A session for its executor</strong>
          </li>
          <li className={agent.session_id ? 'done' : 'waits'}>
            <strong>The session attached</strong>
            {session && !agent.session_id && (
              <Button tight busy={attaching.isPending} onClick={() => attaching.mutate(session.session_id)}>
                Attach session
              </Button>
            )}
          </li>
          <li className={agent.live ? 'done' : 'waits'}>
            <strong>Switched on</strong>
            {agent.session_id && (
              <Button tight busy={switching.isPending} onClick={() => switching.mutate(!agent.live)}>
                {agent.live ? 'Switch off' : 'Switch on'}
              </Button>
            )}
          </li>
        </ol>
        {error && <Failure error={error} />}
      </Card>
      {attested.data && !session && !agent.session_id && (
        <GrantToAgent id={agent.id} takesOrders={agent.brain === 'orders'} onGranted={refresh} />
      )}
    </>
  )
}

/** Grants a session for the limits recorded in this browser at creation, never for the server's response. */
function GrantToAgent(props: {
  id: string
  /** Signed orders need a session with controls; by default nothing is traded without one. */
  takesOrders: boolean
  onGranted(): void
}) {
  const { id, takesOrders, onGranted } = props
  const [typed, setTyped] = useState<ControlsText>(
    takesOrders ? { ...NO_CONTROLS, isOn: true, signatureAboveUsd: '0' } : NO_CONTROLS,
  )
  const controls = controlsRequest(typed)
  const fault = controlsFault(typed)
  const opened = useQuery({
    queryKey: ['agent record', id],
    queryFn: async () => {
      const { client, hands } = await openClient()
      return { record: await client.hosted.record(id), hands }
    },
  })
  return (
    <Loaded of={opened}>
      {({ record, hands }) =>
        record && hands.grantsSessions ? (
          <>
            <Card title="Limits you set">
              <Facts
                rows={[
                  ['Pairs', record.pairs.join(', ')],
                  ['Max per trade', usd(record.limits.max_trade_usd)],
                  ['Max in 24 hours', usd(record.limits.max_day_usd)],
                  ['Accepted risks', record.terms.accept_risks.map(words).join(', ') || 'none'],
                  ['Shield', record.terms.shield ? 'on' : 'off'],
                  ['Lasts', duration(LASTS_S)],
                ]}
              />
              <ControlsFields value={typed} onChange={setTyped} isRequired={takesOrders} />
            </Card>
            <SignSession
              isReady={fault === null}
              missing={fault ?? ''}
              grant={async (options) => {
                const intent = { expires_in_s: LASTS_S, ...(controls && { controls }) }
                return (await openClient()).client.hosted.grantLive(id, intent, options)
              }}
              onGranted={onGranted}
            />
          </>
        ) : (
          <Card title="Grant on the command line">
            <Notice tone="warn" title="Nothing was signed.">
              {record
                ? 'Browser wallets do not let a page sign a session.'
                : 'This agent was not created in this browser, so its limits cannot be verified here.'}
            </Notice>
            <Code
              text={`pit agent live ${id} \\\n  --pairs <PAIRS> --max-trade-usd <USD> --max-day-usd <USD> --allow-7702 ${controlsFlags(typed)}`.trim()}
              label="Fill in your limits."
            />
            {!hands.grantsSessions && <TradingWalletOffer />}
          </Card>
        )
      }
    </Loaded>
  )
}
