import { describe, expect, it } from 'vitest'
import { askOf, type SoldToken, shareOfBalance, type TicketState } from './ticket.ts'

const TICKET: TicketState = {
  ...{ tokenIn: 'ETH', tokenOut: 'USDG', unit: 'usd', size: '25', slippage: '' },
  ...{ shield: false, nonUs: false, accepted: [] },
}
const ETHER: SoldToken = { decimals: 18, balanceAtoms: 10n ** 18n, isEther: true }

describe('a ticket', () => {
  it('in dollars asks for a notional size', () => {
    expect(askOf(TICKET, null)).toEqual({ token_in: 'ETH', token_out: 'USDG', notional_usd: 25 })
  })

  it('in tokens asks for exact atoms', () => {
    expect(askOf({ ...TICKET, unit: 'token', size: '0.1' }, ETHER)).toEqual({
      ...{ token_in: 'ETH', token_out: 'USDG', amount_in: '100000000000000000' },
    })
  })

  it('turns a slippage in percent into basis points', () => {
    expect(askOf({ ...TICKET, slippage: '0.5' }, null)).toMatchObject({ slippage_bps: 50 })
    expect(askOf({ ...TICKET, slippage: '0.005' }, null)).toMatch(/percentage/)
    expect(askOf({ ...TICKET, slippage: '101' }, null)).toMatch(/percentage/)
  })

  it.each([
    [{ size: '' }, /amount in USD/],
    [{ size: '1e3' }, /amount in USD/],
    [{ size: '-1' }, /amount in USD/],
    [{ tokenOut: 'ETH' }, /different/],
    [{ tokenOut: '' }, /both/],
    [{ unit: 'token', size: '1.1' }, /More than your balance/],
    [{ unit: 'token', size: '0' }, /Enter an amount/],
    [{ unit: 'token', size: '0.0000000000000000001' }, /Enter an amount/],
  ] as const)('says what is wrong with %o', (part, message) => {
    expect(askOf({ ...TICKET, ...part }, ETHER)).toMatch(message)
  })
})

it('leaves ETH for gas, and nothing of other tokens', () => {
  expect(shareOfBalance(ETHER, 100n)).toBe('0.998')
  expect(shareOfBalance({ ...ETHER, balanceAtoms: 1n }, 100n)).toBe('0')
  expect(shareOfBalance({ decimals: 6, balanceAtoms: 10_000_001n, isEther: false }, 50n)).toBe('5')
})
