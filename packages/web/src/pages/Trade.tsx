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

/** Quote, verify, sign and follow a trade. */
export default function Trade() {
  return (
    <Page
      title="Trade"
      lead="All routes are compared. The plan is verified in your browser before you sign it; the review names the node used."
    >
      <NeedsWallet why="Sign in to quote and trade.">
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

/** The ticket as trade parameters, or an error text. */
export function askOf(ticket: TicketState): TradeParams | string {
  const usd = Number(ticket.usd)
  if (!(usd > 0)) return 'Enter a size in USD.'
  if (ticket.tokenIn === ticket.tokenOut) return 'Choose two different tokens.'
  if (ticket.tokenIn === '' || ticket.tokenOut === '') return 'Choose both tokens.'
  const slippage = ticket.slippage.trim()
  if (slippage !== '' && !/^\d{1,4}$/.test(slippage)) return 'Slippage must be a whole number of bps.'
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
              label="Size in USD"
              kind="decimal"
              value={ticket.usd}
              onChange={(usd) => change({ usd })}
              hint="Includes the fee."
            />
            <TextField
              label="Maximum slippage in bps"
              kind="decimal"
              value={ticket.slippage}
              placeholder="default"
              onChange={(slippage) => change({ slippage })}
              hint="Default: depends on the pair."
            />
          </div>
          <CheckField
            label="Shield: check the token audit too (adds 10 bps to the fee)."
            checked={ticket.shield}
            onChange={(shield) => change({ shield })}
          />
          {hasStock && (
            <CheckField
              label="I am not a US person (required by the issuer of stock tokens)."
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
              Get quote
            </Button>
            <Button onClick={() => change({ tokenIn: ticket.tokenOut, tokenOut: ticket.tokenIn })}>
              Swap direction
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

/** Aggregators are for comparison only; trades never use them. */
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
          { value: OTHER, label: 'Other (by address)' },
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
              : 'Must be 0x and 40 hex digits.'
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
  if (risks.length === 0) return <Notice tone="up" title="No known risks." />
  return (
    <Card title="Risks">
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
      <p className="small faint">A trade with a severe risk is signed only if you accept that risk here.</p>
    </Card>
  )
}
