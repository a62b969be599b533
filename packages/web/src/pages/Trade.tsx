import type { TradeParams } from '@pit/client'
import { type Answer, CORE_SYMBOLS, RISKS, type RiskCode } from '@pit/protocol'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useAccount } from '../data/account.ts'
import { api, useRead } from '../data/api.ts'
import { CheckField, SelectField, TextField } from '../design/Field.tsx'
import { Button, Card, Page } from '../design/parts.tsx'
import { Failure, Notice } from '../design/states.tsx'
import { navigate, useLocation } from '../router.tsx'
import { NeedsWallet } from '../wallet/NeedsWallet.tsx'
import { Order } from './Order.tsx'
import { Quoted } from './Quoted.tsx'

const STOCKS: readonly string[] = ['NVDA', 'SPY']
const OTHER = 'other'

/** Compare routes, verify a plan, sign it, follow it to its block. */
export default function Trade() {
  return (
    <Page
      title="Trade"
      lead="Every route is compared; the plan is verified in your browser before your wallet is asked; the review names the node."
    >
      <NeedsWallet why="Quotes and trades need a key.">
        <Ticket />
      </NeedsWallet>
    </Page>
  )
}

export interface TicketState {
  tokenIn: string
  tokenOut: string
  usd: string
  slippage: string
  shield: boolean
  nonUs: boolean
  accepted: readonly RiskCode[]
}

/** The ticket as the client takes it; a text where something is missing. */
export function askOf(ticket: TicketState): TradeParams | string {
  const usd = Number(ticket.usd)
  if (!(usd > 0)) return 'Give a size in dollars.'
  if (ticket.tokenIn === ticket.tokenOut) return 'Choose two different tokens.'
  if (ticket.tokenIn === '' || ticket.tokenOut === '') return 'Choose both tokens.'
  const slippage = ticket.slippage.trim()
  if (slippage !== '' && !/^\d{1,4}$/.test(slippage)) return 'Slippage is a whole number of basis points.'
  return {
    token_in: ticket.tokenIn,
    token_out: ticket.tokenOut,
    notional_usd: usd,
    ...(slippage !== '' && { slippage_bps: Number(slippage) }),
    ...(ticket.shield && { shield: true }),
    ...(ticket.nonUs && { owner_attests_non_us: true }),
    ...(ticket.accepted.length > 0 && { accept_risks: [...ticket.accepted] }),
  } as TradeParams
}

function Ticket() {
  const { searchParams } = useLocation()
  const signedIn = useAccount()
  const config = useRead('config', {})
  const [ticket, setTicket] = useState<TicketState>({
    tokenIn: searchParams.get('in') ?? (searchParams.get('out') === 'ETH' ? 'USDG' : 'ETH'),
    tokenOut: searchParams.get('out') ?? 'USDG',
    usd: searchParams.get('usd') ?? '25',
    slippage: '',
    shield: false,
    nonUs: false,
    accepted: [],
  })
  const quoting = useMutation({ mutationFn: quote })
  const change = (part: Partial<TicketState>) => {
    const next = { ...ticket, ...part }
    setTicket(next)
    const link = new URLSearchParams({ in: next.tokenIn, out: next.tokenOut, usd: next.usd })
    navigate(`/trade?${link}`, 'replace')
    if ('accepted' in part) return
    quoting.reset()
  }
  const request = askOf(ticket)
  const hasStock = [ticket.tokenIn, ticket.tokenOut].some((token) => STOCKS.includes(token))
  return (
    <div className="grid wide-first">
      <div className="stack">
        <Card title="Ticket">
          <div className="grid fields">
            <TokenField label="Sell" value={ticket.tokenIn} onChange={(tokenIn) => change({ tokenIn })} />
            <TokenField label="Buy" value={ticket.tokenOut} onChange={(tokenOut) => change({ tokenOut })} />
            <TextField
              label="Size in dollars"
              kind="decimal"
              value={ticket.usd}
              onChange={(usd) => change({ usd })}
              hint="The fee is part of it."
            />
            <TextField
              label="Slippage in basis points"
              kind="decimal"
              value={ticket.slippage}
              placeholder="the pair’s default"
              onChange={(slippage) => change({ slippage })}
              hint="How much less than quoted you would still take."
            />
          </div>
          <CheckField
            label="Shield: ask the audit too. It adds 10 bps to the fee."
            checked={ticket.shield}
            onChange={(shield) => change({ shield })}
          />
          {hasStock && (
            <CheckField
              label="I am not a US person. The issuer of stock tokens asks for it."
              checked={ticket.nonUs}
              onChange={(nonUs) => change({ nonUs })}
            />
          )}
          <div className="row">
            <Button
              kind="primary"
              busy={quoting.isPending}
              disabled={typeof request === 'string'}
              onClick={() => typeof request !== 'string' && quoting.mutate(request)}
            >
              Compare routes
            </Button>
            <Button onClick={() => change({ tokenIn: ticket.tokenOut, tokenOut: ticket.tokenIn })}>
              Turn around
            </Button>
            {typeof request === 'string' && <span className="faint">{request}</span>}
          </div>
        </Card>
        {quoting.error && <Failure error={quoting.error} />}
        {quoting.data && config.data && <Quoted quote={quoting.data} config={config.data} />}
      </div>
      <div className="stack">
        {quoting.data && (
          <RisksToAccept
            risks={quoting.data.risks}
            accepted={ticket.accepted}
            onChange={(accepted) => change({ accepted })}
          />
        )}
        {signedIn && config.data && typeof request !== 'string' && (
          <Order
            key={JSON.stringify(request)}
            request={request}
            config={config.data}
            isQuoted={quoting.data !== undefined}
          />
        )}
      </div>
    </div>
  )
}

/** Aggregators are asked for comparison alone: nothing is ever built on them. */
const quote = ({ owner_attests_non_us: _, ...params }: TradeParams) =>
  api['live.quote']({
    body: {
      ...params,
      venues: ['venue_pool', 'venue_curve', 'aggregator_1', 'aggregator_2', 'aggregator_3'],
    } as never,
  })

function TokenField(props: { label: string; value: string; onChange(value: string): void }) {
  const isCore = (CORE_SYMBOLS as readonly string[]).includes(props.value)
  return (
    <div className="stack">
      <SelectField
        label={props.label}
        value={isCore ? props.value : OTHER}
        choices={[
          ...CORE_SYMBOLS.map((value) => ({ value, label: value })),
          { value: OTHER, label: 'Another, by address' },
        ]}
        onChange={(value) => props.onChange(value === OTHER ? '' : value)}
      />
      {!isCore && (
        <TextField
          label={`${props.label}: address`}
          value={props.value}
          onChange={props.onChange}
          placeholder="0x…"
          fault={
            props.value === '' || /^0x[0-9a-fA-F]{40}$/.test(props.value)
              ? undefined
              : 'An address is 0x and 40 hex digits.'
          }
        />
      )}
    </div>
  )
}

function RisksToAccept(props: {
  risks: Answer<'live.quote'>['risks']
  accepted: readonly RiskCode[]
  onChange(accepted: readonly RiskCode[]): void
}) {
  const { risks, accepted } = props
  if (risks.length === 0) return <Notice tone="up" title="No risk is disclosed for this trade." />
  return (
    <Card title="Risks of this trade">
      {risks.map(({ code, severity }) =>
        severity === 'severe' ? (
          <CheckField
            key={code}
            label={
              <>
                <strong className="down-text">I accept:</strong> {RISKS[code]?.meaning ?? code}
              </>
            }
            checked={accepted.includes(code)}
            onChange={(isAccepted) =>
              props.onChange(isAccepted ? [...accepted, code] : accepted.filter((one) => one !== code))
            }
          />
        ) : (
          <p key={code}>{`Note: ${RISKS[code]?.meaning ?? code}.`}</p>
        ),
      )}
      <p className="small faint">A severe risk that is not accepted here is never signed.</p>
    </Card>
  )
}
