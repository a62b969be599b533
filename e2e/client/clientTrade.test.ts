import { createClient, fromViem, isRefusal, type PitClient, rpcAt, type TradeStage } from '@pit/client'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MNEMONIC } from '../trading/trader.ts'
import { openTradingWorld, type TradingWorld } from '../trading/world.ts'

const DOMAIN = 'pit.test'

let world: TradingWorld
let client: PitClient

beforeAll(async () => {
  world = await openTradingWorld({ server: { AUTH_DOMAIN: DOMAIN } })
  client = open(3)
  await client.signIn()
})
afterAll(() => world?.close())

function open(addressIndex: number, send?: typeof fetch): PitClient {
  return createClient({
    url: world.server.url,
    domain: DOMAIN,
    profile: world.profile,
    account: fromViem(mnemonicToAccount(MNEMONIC, { addressIndex })),
    rpc: rpcAt(world.devnet.url),
    ...(send && { fetch: send }),
  })
}

describe('honest trades are verified, signed and mined', () => {
  it.each([
    ['ETH to USDG', { token_in: 'ETH', token_out: 'USDG', notional_usd: 20 }],
    ['USDG to ETH with an approval and a permit', { token_in: 'USDG', token_out: 'ETH', notional_usd: 20 }],
    ['USDG to cbBTC', { token_in: 'USDG', token_out: 'cbBTC', notional_usd: 15 }],
    ['cbBTC to PARTNER', { token_in: 'cbBTC', token_out: 'PARTNER', notional_usd: 15 }],
    [
      'WETH to ETH’s partner by transaction',
      { token_in: 'WETH', token_out: 'PARTNER', notional_usd: 12, permit_mode: 'transaction' as const },
    ],
  ])('%s', async (_, ask) => {
    const stages: TradeStage['stage'][] = []
    const result = await client.trade(ask, { onStage: ({ stage }) => stages.push(stage) })
    expect(stages).toEqual(['quoted', 'planned', 'verified', 'signed', 'relayed', 'mined'])
    expect(result.amountOut).toBeGreaterThanOrEqual(BigInt(result.plan.amount_out_min))
  })
})

it('says what it refuses by a code', async () => {
  const error = await client
    .trade({ token_in: 'eth', token_out: 'USDG', notional_usd: 5 })
    .catch((e: unknown) => e)
  expect(isRefusal(error, 'UNKNOWN_TOKEN')).toBe(true)
})
