import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cosignerOf, openSessionWorld, type SessionWorld } from '../session/world.ts'
import { type Mcp, type McpHome, openMcpHome } from './mcpWorld.ts'

// A host with elicitation, in both generations of the protocol.

const key = keccak256(stringToHex('mcp confirming trader'))
const wallet = privateKeyToAccount(key).address.toLowerCase() as Hex
const TRADING = ['--allow-trading', '--max-usd-per-trade', '20', '--max-usd-per-day', '60']

let world: SessionWorld
let home: McpHome
const sentOnChain = async (): Promise<number> =>
  Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [wallet, 'latest']))

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: 'pit.test' } })
  home = openMcpHome(world, world.server.url, key, await cosignerOf(world.server.url))
  await world.fund(wallet, { wei: 10n ** 18n })
})
afterAll(async () => {
  home?.remove()
  await world?.close()
})

describe.each(['legacy' as const, { pin: '2026-07-28' }])('a host that asks its user (%o)', (mode) => {
  const id = typeof mode === 'string' ? mode : mode.pin
  const questions: string[] = []
  let decision: 'accept' | 'decline' = 'decline'
  let mcp: Mcp
  beforeAll(async () => {
    mcp = await home.start(TRADING, mode, (message) => {
      questions.push(message)
      return decision
    })
  })
  afterAll(() => mcp.close())
  const trade = (more: object) =>
    mcp.call('place_trade', { token_in: 'ETH', token_out: 'USDG', notional_usd: 5, ...more })

  it('signs nothing when the user declines', async () => {
    const before = await sentOnChain()
    decision = 'decline'
    expect((await trade({ client_id: `declined-${id}` })).answer.code).toBe('NOT_CONFIRMED')
    expect(questions.at(-1)).toBe(`Sell $5 of ETH for USDG, with real funds from ${wallet}?`)
    const { answer } = await mcp.call('look_up_trade', { client_id: `declined-${id}` })
    expect(answer.status).toBe('unknown')
    expect(await sentOnChain()).toBe(before)
  })

  it('trades once when the user accepts, and does not ask again for a retry', async () => {
    const before = await sentOnChain()
    decision = 'accept'
    const first = await trade({ client_id: `accepted-${id}` })
    expect(first.answer).toMatchObject({ status: 'mined', notional_usd: 5 })
    const questionsBefore = questions.length
    expect((await trade({ client_id: `accepted-${id}` })).answer.tx_hash).toBe(first.answer.tx_hash)
    expect(questions.length).toBe(questionsBefore)
    expect(await sentOnChain()).toBe(before + 1)
  })

  it('does not ask about a trade over a ceiling, nor before a read', async () => {
    const questionsBefore = questions.length
    const over = await trade({ notional_usd: 5_000, client_id: `over-${id}` })
    expect(over.answer.code).toBe('OVER_TRADE_CEILING')
    expect((await mcp.call('get_portfolio')).isError).toBe(false)
    expect(questions.length).toBe(questionsBefore)
  })
})

it('does not ask with --no-confirm', async () => {
  const mcp = await home.start([...TRADING, '--no-confirm'], 'legacy', () => {
    throw new Error('asked')
  })
  const request = { token_in: 'ETH', token_out: 'USDG', notional_usd: 5, client_id: 'unasked' }
  expect((await mcp.call('place_trade', request)).answer.status).toBe('mined')
  await mcp.close()
})
