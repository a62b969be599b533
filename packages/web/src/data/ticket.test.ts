import { pastTokenFacts, typedAtoms } from '@pit/client'
import { describe, expect, it } from 'vitest'
import { ETH, factsOf, USDG } from '../../test/facts.ts'
import { askOf, type SoldToken, shareOfBalance, type TicketState } from './ticket.ts'

const TICKET: TicketState = {
  ...{ tokenIn: 'ETH', tokenOut: 'USDG', unit: 'usd', size: '25', slippage: '' },
  ...{ shield: false, nonUs: false, accepted: [] },
}
const sold = (address: typeof ETH | typeof USDG, held: string): SoldToken => ({
  token: factsOf(address),
  balanceAtoms: typedAtoms(held, factsOf(address)),
  isEther: address === ETH,
})
const ETHER = sold(ETH, '1')

describe('a ticket', () => {
  it('in dollars asks for a notional size', () => {
    expect(askOf(TICKET, null)).toEqual({ token_in: 'ETH', token_out: 'USDG', notional_usd: 25 })
  })

  it('in tokens asks for exact atoms', () => {
    expect(askOf({ ...TICKET, unit: 'token', size: '0.1' }, ETHER)).toEqual({
      ...{ token_in: 'ETH', token_out: 'USDG', amount_in: '100000000000000000' },
    })
  })

  it('in tokens is refused for a token whose decimals the node does not show', async () => {
    const address = `0x${'7'.repeat(40)}` as const
    const node = { all: async (calls: readonly unknown[]) => calls.map(() => '0x') }
    const token = (await pastTokenFacts(node, { tokens: new Map() }, [address])).get(address)!
    const ticket = { ...TICKET, unit: 'token', size: '0.1' } as const
    const unreadable = { token, balanceAtoms: null, isEther: false }
    expect(askOf(ticket, unreadable)).toMatch(/decimals/)
    expect(askOf(ticket, null)).toMatch(/decimals/)
    expect(askOf(TICKET, unreadable)).toMatchObject({ notional_usd: 25 })
    expect(shareOfBalance(unreadable, 100n)).toBe('')
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
  expect(shareOfBalance(sold(ETH, '0.000000000000000001'), 100n)).toBe('0')
  expect(shareOfBalance(sold(USDG, '10.000001'), 50n)).toBe('5')
})
