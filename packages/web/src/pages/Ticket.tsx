import { Button, CheckField, TextField } from '@pit/ui'
import { useHoldings, useNamedToken } from '../data/own.ts'
import { type SoldToken, shareOfBalance, type TicketState } from '../data/ticket.ts'
import { shownAmount } from '../data/tokens.ts'
import { TokenField } from './TokenField.tsx'

const SHARES = [
  { label: '25%', percent: 25n },
  { label: '50%', percent: 50n },
  { label: '75%', percent: 75n },
  { label: 'Max', percent: 100n },
]
const STOCKS: readonly string[] = ['NVDA', 'SPY']

/** A token by symbol or address, with the wallet's balance by the verifying node. */
export function useSoldToken(named: string): SoldToken | null {
  const token = useNamedToken(named)
  const { data } = useHoldings(token && !token.isPinned ? [token.address] : [])
  if (token === null) return null
  return {
    token,
    balanceAtoms: data?.balances.get(token.address) ?? null,
    isEther: /^0x0{40}$/.test(token.address),
  }
}

/** Fields for tokens, amount and terms of a trade. */
export function TicketFields(props: {
  ticket: TicketState
  sold: SoldToken | null
  onChange(part: Partial<TicketState>): void
}) {
  const { ticket, sold, onChange } = props
  const hasStock = [ticket.tokenIn, ticket.tokenOut].some((token) => STOCKS.includes(token))
  const symbol = ticket.tokenIn.startsWith('0x') ? 'token' : ticket.tokenIn
  return (
    <>
      <TokenField
        label="Sell"
        value={ticket.tokenIn}
        onChange={(tokenIn) => onChange({ tokenIn })}
        hint={
          sold?.balanceAtoms == null ? undefined : `Balance: ${shownAmount(sold.token, sold.balanceAtoms)}`
        }
      />
      <div className="swap-row">
        <Button tight onClick={() => onChange({ tokenIn: ticket.tokenOut, tokenOut: ticket.tokenIn })}>
          Swap direction
        </Button>
      </div>
      <TokenField label="Buy" value={ticket.tokenOut} onChange={(tokenOut) => onChange({ tokenOut })} />
      <div className="stack">
        <div className="size-row">
          <TextField
            label={ticket.unit === 'usd' ? 'Amount in USD' : `Amount in ${symbol}`}
            kind="decimal"
            value={ticket.size}
            onChange={(size) => onChange({ size })}
            hint="Includes the fee."
          />
          <Button onClick={() => onChange({ unit: ticket.unit === 'usd' ? 'token' : 'usd', size: '' })}>
            {ticket.unit === 'usd' ? `Use ${symbol}` : 'Use USD'}
          </Button>
        </div>
        <fieldset className="shares" disabled={!sold?.balanceAtoms}>
          <legend className="hidden-text">Part of your balance</legend>
          {SHARES.map(({ label, percent }) => (
            <Button
              key={label}
              tight
              onClick={() => sold && onChange({ unit: 'token', size: shareOfBalance(sold, percent) })}
            >
              {label}
            </Button>
          ))}
        </fieldset>
      </div>
      <details>
        <summary>{`Maximum slippage: ${ticket.slippage.trim() === '' ? 'automatic' : `${ticket.slippage} %`}`}</summary>
        <div className="stack">
          <TextField
            label="Maximum slippage in percent"
            kind="decimal"
            value={ticket.slippage}
            placeholder="automatic"
            onChange={(slippage) => onChange({ slippage })}
            hint="Automatic: by pair and size."
          />
          <CheckField
            label="Shield: check the token audit too (adds 10 bps to the fee)."
            checked={ticket.shield}
            onChange={(shield) => onChange({ shield })}
          />
        </div>
      </details>
      {hasStock && (
        <CheckField
          label="I am not a US person (required by the issuer of stock tokens)."
          checked={ticket.nonUs}
          onChange={(nonUs) => onChange({ nonUs })}
        />
      )}
    </>
  )
}
