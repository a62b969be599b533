import { type OwnAtoms, type TokenFacts, type TradeParams, typedAtoms } from '@pit/client'
import { decimalText, parseDecimal, type RiskCode } from '@pit/protocol'

/** The trade form as typed, and what it means. */
export interface TicketState {
  tokenIn: string
  tokenOut: string
  /** Of `size`: dollars, or the token that is sold. */
  unit: 'usd' | 'token'
  size: string
  /** Percent; empty for the pair's default. */
  slippage: string
  shield: boolean
  nonUs: boolean
  accepted: readonly RiskCode[]
}

/** The sold token as the verifying node shows it. */
export interface SoldToken {
  token: TokenFacts
  balanceAtoms: OwnAtoms | null
  isEther: boolean
}

/** The ticket as trade parameters, or an error text. */
export function askOf(ticket: TicketState, sold: SoldToken | null): TradeParams | string {
  if (ticket.tokenIn === '' || ticket.tokenOut === '') return 'Choose both tokens.'
  if (ticket.tokenIn === ticket.tokenOut) return 'Choose two different tokens.'
  const size = sizeOf(ticket, sold)
  if (typeof size === 'string') return size
  const slippageBps = bpsOf(ticket.slippage.trim())
  if (slippageBps === undefined) return 'Maximum slippage is a percentage, such as 0.5.'
  return {
    token_in: ticket.tokenIn,
    token_out: ticket.tokenOut,
    ...size,
    ...(slippageBps !== null && { slippage_bps: slippageBps }),
    ...(ticket.shield && { shield: true }),
    ...(ticket.nonUs && { owner_attests_non_us: true }),
    ...(ticket.accepted.length > 0 && { accept_risks: [...ticket.accepted] }),
  } as TradeParams
}

function sizeOf(
  { unit, size }: TicketState,
  sold: SoldToken | null,
): { notional_usd: number } | { amount_in: string } | string {
  const text = size.trim()
  if (unit === 'usd') {
    const isDollars = /^\d+(\.\d+)?$/.test(text) && Number(text) > 0
    return isDollars ? { notional_usd: Number(text) } : 'Enter an amount in USD.'
  }
  if (sold === null || sold.token.decimals === null)
    return 'Enter the amount in USD: your node does not show the decimals of this token.'
  const atoms = typedAtoms(text, sold.token)
  if (atoms === null) return 'Enter an amount.'
  if (sold.balanceAtoms !== null && atoms > sold.balanceAtoms) return 'More than your balance.'
  return { amount_in: String(atoms) }
}

/** Null for the default; undefined if it cannot be read. */
function bpsOf(percent: string): number | null | undefined {
  if (percent === '') return null
  const bps = parseDecimal(percent, 2)
  return bps === undefined || bps > 10_000n ? undefined : Number(bps)
}

/** ETH that "Max" leaves for the gas of this trade and the next ones. */
const GAS_WEI = 2n * 10n ** 15n

/** A share of the balance as text; ETH keeps enough for gas. */
export function shareOfBalance({ balanceAtoms, token, isEther }: SoldToken, percent: bigint): string {
  const balance = balanceAtoms ?? 0n
  const spendable = isEther ? (balance > GAS_WEI ? balance - GAS_WEI : 0n) : balance
  return token.decimals === null ? '' : decimalText((spendable * percent) / 100n, token.decimals)
}
