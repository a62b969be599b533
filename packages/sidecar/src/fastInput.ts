import type { PitClient } from '@pit/client'
import { type Static, Type } from '@sinclair/typebox'
import { InputOf, Maybe, Text, Whole, Yes } from './inputs.ts'

type Request = Parameters<PitClient['fastTrade']>[0]
/** The client's request with the size as the API names it, and the option to fall back. */
type Fields = Omit<Request, 'usd'> & { notionalUsd?: number; fallback?: boolean }

const Atoms = (description: string) => Type.String({ pattern: '^[1-9]\\d{0,77}$', description })

export const FastIn = InputOf<Fields>()({
  token_in: Text('core symbol'),
  token_out: Text('core symbol'),
  notional_usd: Maybe(Type.Number({ exclusiveMinimum: 0, description: 'dollars to sell; or amount_in' })),
  amount_in: Maybe(Atoms('atoms to sell')),
  min_amount_out: Maybe(Atoms('atoms that must arrive at least')),
  slippage_bps: Maybe(Whole(0, 1_000)),
  shield: Maybe(Yes('with the fee of shield')),
  owner_attests_non_us: Maybe(Yes('the owner is not a US person (stock tokens)')),
  simulate: Maybe(Yes('the service simulates it too')),
  fallback: Maybe(Yes('plan an ordinary trade if fast mode cannot take it (default)')),
})

const atoms = (text: string | undefined): bigint | undefined =>
  text === undefined ? undefined : BigInt(text)

/** Every field is used: one that is left in `rest` does not compile. */
export function fastRequest({
  token_in,
  token_out,
  notional_usd,
  amount_in,
  min_amount_out,
  slippage_bps,
  shield,
  owner_attests_non_us,
  simulate,
  ...rest
}: Omit<Static<typeof FastIn>, 'fallback'>): Request {
  rest satisfies Record<string, never>
  const request: { [Key in keyof Required<Request>]: Request[Key] | undefined } = {
    token_in,
    token_out,
    usd: notional_usd,
    amountIn: atoms(amount_in),
    minAmountOut: atoms(min_amount_out),
    slippageBps: slippage_bps,
    shield,
    owner_attests_non_us,
    simulate,
  }
  return request as Request
}
