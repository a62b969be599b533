import { type Address, type Hex, type HopPath, NATIVE, v4QuoterAbi } from '@pit/chain'
import { createClient, fromViem, isRefusal, type PitClient, rpcAt } from '@pit/client'
import { RISK_CODES } from '@pit/protocol'
import { decodeFunctionResult, encodeFunctionData } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { readStoryTokens, type StoryTokens } from '../trading/tokens.ts'
import { MNEMONIC } from '../trading/trader.ts'
import { type PlanJson, swapIn, through, v4Hop } from './badRoutes.ts'
import { makeSkewedPair } from './skewedPair.ts'

// A proxy that changes requests and plans: other pools, hidden risks, other sizes, no shield.

type Json = Record<string, unknown>
interface Lie {
  request?(body: Json): Json
  plan?(plan: PlanJson): Promise<PlanJson> | PlanJson
}
type TradeRequest = Parameters<PitClient['plan']>[0]

const DOMAIN = 'pit.test'
const ALL_RISKS = [...RISK_CODES]
const account = mnemonicToAccount(MNEMONIC, { addressIndex: 4 })

let world: SessionWorld
let tokens: StoryTokens
let lie: Lie = {}
let client: PitClient
beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN } })
  tokens = await readStoryTokens(world.devnet)
  client = createClient({
    url: world.server.url,
    domain: DOMAIN,
    profile: world.profile,
    account: fromViem(account),
    rpc: rpcAt(world.devnet.url),
    fetch: lyingFetch,
    sleep: async () => {},
  })
  await client.signIn()
})
afterAll(() => world?.close())

const lyingFetch: typeof fetch = async (url, init) => {
  if (!String(url).endsWith('/live/prepare')) return fetch(url, init)
  const body = JSON.parse(String(init?.body)) as Json
  const response = await fetch(url, { ...init, body: JSON.stringify(lie.request?.(body) ?? body) })
  const plan = (await response.json()) as PlanJson
  if (!response.ok || !lie.plan) return Response.json(plan, { status: response.status })
  return Response.json(await lie.plan(plan))
}

/** The rule that the plan broke; `verified` if it would be signed; the server's code if it refused. */
async function planned(input: TradeRequest, next: Lie = {}): Promise<string> {
  lie = next
  try {
    const { checks } = await client.plan(input)
    expect(checks.map(({ rule }) => rule)).toContain('QUOTE_OWN')
    return 'verified'
  } catch (error) {
    if (!isRefusal(error)) throw error
    return error.rule ?? error.code
  } finally {
    lie = {}
  }
}

async function quoteV4(hop: Extract<HopPath, { version: 'v4' }>, amount: bigint): Promise<bigint> {
  const params = {
    poolKey: hop.key,
    zeroForOne: hop.key.currency0 === hop.tokenIn,
    exactAmount: amount,
    hookData: '0x' as Hex,
  }
  const data = encodeFunctionData({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', args: [params] })
  const to = world.profile.contracts.v4_quoter
  const answer = await world.devnet.rpc<Hex>('eth_call', [{ to, data }, 'latest'])
  return decodeFunctionResult({ abi: v4QuoterAbi, functionName: 'quoteExactInputSingle', data: answer })[0]
}

/** The plan through these pools, with their real quote and minimum. */
const routed =
  (hops: readonly HopPath[], quote: (amount: bigint) => Promise<bigint>): NonNullable<Lie['plan']> =>
  async (plan) => {
    const out = await quote(swapIn(world.profile, plan))
    return through(world.profile, plan, { hops, out, amountOutMin: (out * 98n) / 100n })
  }

/** Accepts every risk in the request, and hides the disclosed risks in the answer. */
const hidingRisks: Lie = {
  request: (body) => ({ ...body, accept_risks: RISK_CODES }),
  plan: (plan) => ({ ...plan, risks: [] }),
}

describe('a route chosen by the liar', () => {
  const buy = (token: Address): TradeRequest => ({
    token_in: 'ETH',
    token_out: token,
    notional_usd: 25,
    accept_risks: ALL_RISKS,
  })
  it('through a pool that keeps 90% is refused', async () => {
    const token = tokens.specimen('fee_trap')
    expect(await planned(buy(token))).toBe('verified')
    const hop = v4Hop(token, 900_000)
    expect(await planned(buy(token), { plan: routed([hop], (amount) => quoteV4(hop, amount)) })).toBe('PRICE')
  })
  it('through an ordinary pair at a tenth of the price is refused, and an honest route still passes', async () => {
    const token = tokens.specimen('good')
    await client.trade({ token_in: 'ETH', token_out: token, notional_usd: 100, accept_risks: ALL_RISKS })
    const { usdg, quote } = await makeSkewedPair(world, client, token)
    const first: HopPath = {
      version: 'v4',
      tokenIn: NATIVE,
      tokenOut: usdg,
      key: { currency0: NATIVE, currency1: usdg, fee: 500, tickSpacing: 10, hooks: NATIVE },
    }
    const second: HopPath = { version: 'v2', tokenIn: usdg, tokenOut: token }
    const route = routed([first, second], async (amount) => quote(await quoteV4(first, amount)))
    expect(await planned(buy(token), { plan: route })).toBe('PRICE')
    expect(await planned(buy(token))).toBe('verified')
  })
})

describe('hidden risks', () => {
  const buy = (name: string, accept_risks: TradeRequest['accept_risks'] = []): TradeRequest => ({
    token_in: 'ETH',
    token_out: tokens.specimen(name),
    notional_usd: 15,
    accept_risks,
  })
  it.each(['honeypot', 'sell_taxed', 'transfer_blocked'])('of %s are found by the client', async (name) => {
    expect(await planned(buy(name), hidingRisks)).toBe('RISK_NOT_ACCEPTED')
  })
  it('can be accepted by the owner', async () => {
    expect(await planned(buy('honeypot', ['HONEYPOT', 'TRANSFER_BLOCKED']), hidingRisks)).toBe('verified')
    expect(await planned(buy('sell_taxed', ['SELL_TAX']), hidingRisks)).toBe('verified')
  })
  it.each(['good', 'fee_on_transfer', 'buy_taxed', 'rebasing'])('are not reported for %s', async (name) => {
    expect(await planned(buy(name), hidingRisks)).toBe('verified')
  })
})

describe('another size than requested', () => {
  beforeAll(async () => {
    const bought = { token_out: tokens.specimen('mintable'), notional_usd: 60, accept_risks: ALL_RISKS }
    await client.trade({ token_in: 'ETH', ...bought })
  })
  const sized = (notional_usd: number): Lie => ({ request: (body) => ({ ...body, notional_usd }) })
  const input = { token_in: 'ETH', token_out: 'USDG', notional_usd: 200 } as const
  it('is refused, smaller or larger', async () => {
    expect(await planned(input)).toBe('verified')
    expect(await planned(input, sized(2))).toBe('PRICE')
    expect(await planned(input, sized(1_800))).toBe('PRICE')
  })
  it('is refused for a token that only pools price', async () => {
    const token = tokens.specimen('mintable')
    const sale: TradeRequest = {
      token_in: token,
      token_out: 'USDG',
      notional_usd: 4,
      accept_risks: ALL_RISKS,
      permit_mode: 'transaction',
      approval_mode: 'exact',
    }
    expect(await planned(sale)).toBe('verified')
    expect(await planned(sale, sized(30))).toBe('PRICE')
    expect(await planned(sale, sized(1))).toBe('PRICE')
  })
  it('is refused as an approval of nearly everything under a budget', async () => {
    const sale: TradeRequest = {
      token_in: tokens.specimen('mintable'),
      token_out: tokens.specimen('upgradeable'),
      amount_in: `${20n * 10n ** 18n}`,
      accept_risks: ALL_RISKS,
      permit_mode: 'transaction',
    }
    expect(await planned(sale)).toBe('verified')
    const most = ((1n << 160n) - 2n).toString(16).padStart(64, '0')
    const approving: Lie['plan'] = (plan) => ({
      ...plan,
      steps: plan.steps.map((step) =>
        step.tx && /^0x095ea7b3/.test(step.tx.data)
          ? { ...step, tx: { ...step.tx, data: `${step.tx.data.slice(0, 74)}${most}` as Hex } }
          : step,
      ),
    })
    expect(await planned(sale, { plan: approving })).toBe('RECIPIENT')
  })
})

describe('a dropped shield', () => {
  const without: Lie['request'] = ({ shield: _, ...body }) => body
  const input = { token_in: 'ETH', token_out: 'USDG', notional_usd: 25, shield: true } as const
  it('is refused because the answer shows it', async () => {
    expect(await planned(input)).toBe('verified')
    // The plain rate of one tier is the shielded rate of another.
    expect(await planned(input, { request: without, plan: (plan) => ({ ...plan, fee_bps: 25 }) })).toBe(
      'FEE_CLASS',
    )
  })
  it('is refused by the rate if the answer hides it', async () => {
    const other = { ...input, token_out: tokens.specimen('good'), accept_risks: ALL_RISKS }
    expect(await planned(other)).toBe('verified')
    const denied: Lie = { request: without, plan: (plan) => ({ ...plan, shield: true, audit: null }) }
    expect(await planned(other, denied)).toBe('FEE_BPS')
  })
})
