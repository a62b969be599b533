import { checkWith } from '@pit/protocol'
import { expect, it } from 'vitest'
import { FastIn, fastRequest } from './fastInput.ts'
import { InputOf, Text } from './inputs.ts'

it('reads every field of a fast trade under its name in the client', () => {
  const input = {
    token_in: 'ETH',
    token_out: 'USDG',
    notional_usd: 20,
    amount_in: '5',
    min_amount_out: '7',
    slippage_bps: 40,
    shield: true,
    owner_attests_non_us: true,
    simulate: true,
  }
  expect(checkWith(FastIn, { ...input, fallback: false })).toMatchObject({ ok: true })
  expect(fastRequest(input)).toEqual({
    token_in: 'ETH',
    token_out: 'USDG',
    usd: 20,
    amountIn: 5n,
    minAmountOut: 7n,
    slippageBps: 40,
    shield: true,
    owner_attests_non_us: true,
    simulate: true,
  })
})

it.each([{ usd: 20 }, { min_out: '1' }, { amount_in: '0x5' }, { route_id: 'x' }])('refuses %j', (field) => {
  expect(checkWith(FastIn, { token_in: 'ETH', token_out: 'USDG', ...field })).toMatchObject({ ok: false })
})

it('does not compile with a misnamed, unused or absent field', () => {
  interface Params {
    agentId: string
    minAmount?: string
  }
  const text = Text('x')
  InputOf<Params>()({ agent_id: text, min_amount: text })
  // @ts-expect-error the client names it minAmount
  InputOf<Params>()({ agent_id: text, min_amount_out: text })
  // @ts-expect-error it is left out
  InputOf<Params>()({ agent_id: text })
  // @ts-expect-error the client has no such field
  InputOf<Params>()({ agent_id: text, min_amount: text, usd: text })
})
