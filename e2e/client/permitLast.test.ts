import type { Hex } from '@pit/chain'
import { type Account, createClient, fromViem, isRefusal, type PitClient, rpcAt } from '@pit/client'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { type HttpProxy, openProxy, type ProxyHooks } from './proxy.ts'
import { openPit, type Pit } from './runPit.ts'

// A permit is a signature like any other: nothing is signed before the whole trade is verified and confirmed.

const DOMAIN = 'pit.test'
const KEY = keccak256(stringToHex('permit last'))
const SELL_USDG = { token_in: 'USDG', token_out: 'ETH', notional_usd: 20 }

let world: SessionWorld
let proxy: HttpProxy
let pit: Pit
let client: PitClient
let signed: string[]

function counting(account: Account): Account {
  const count =
    <In, Out>(kind: string, sign: (input: In) => Promise<Out>) =>
    (input: In) => {
      signed.push(kind)
      return sign(input)
    }
  return {
    address: account.address,
    signMessage: count('message', account.signMessage),
    signTypedData: count('typed data', account.signTypedData),
    signTransaction: count('transaction', account.signTransaction),
  }
}

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN } })
  proxy = await openProxy(world.server.url)
  const { session } = (await (await fetch(`${proxy.url}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  const account = privateKeyToAccount(KEY)
  await world.fund(account.address.toLowerCase() as Hex, { wei: 10n ** 18n, usdg: 500_000_000n })
  signed = []
  client = createClient({
    url: proxy.url,
    domain: DOMAIN,
    profile: world.profile,
    account: counting(fromViem(account)),
    rpc: rpcAt(world.devnet.url),
  })
  await client.signIn()
  // Permit2 already has an approval, as for most wallets: only the permit is missing.
  await client.trade({ ...SELL_USDG, approval_mode: 'unlimited', allow_unlimited_approval: true })
  pit = openPit({ ...world, server: { ...world.server, url: proxy.url } }, DOMAIN, session.cosigner)
})
afterAll(async () => {
  pit?.close()
  await proxy?.close()
  await world?.close()
})
beforeEach(() => {
  signed.length = 0
  proxy.calls.length = 0
})
afterEach(() => proxy.use())

const permitsSent = () => proxy.calls.filter(({ body }) => body?.permit_signature !== undefined).length

it('verifies a sale without signing its permit', async () => {
  const { checks, plan, reading } = await client.plan(SELL_USDG)
  expect(plan.permit).not.toBeNull()
  expect(checks.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['RECIPIENT', 'PRICE', 'QUOTE_OWN']))
  expect(reading.amountOutMin).toBe(BigInt(plan.amount_out_min))
  expect([signed, permitsSent()]).toEqual([[], 0])
})

it('signs nothing when the owner declines', async () => {
  const refusal = await client.trade(SELL_USDG, { confirm: () => false }).catch((error: unknown) => error)
  expect(isRefusal(refusal, 'NOT_CONFIRMED')).toBe(true)
  expect([signed, permitsSent()]).toEqual([[], 0])
})

it('signs the permit after the confirmation, then the transaction', async () => {
  const seen: string[] = []
  const { plan, amountOut } = await client.trade(SELL_USDG, {
    onStage: ({ stage }) => seen.push(stage),
    confirm: () => {
      seen.push(`confirmed with ${signed.length} signatures`)
      return true
    },
  })
  expect(seen).toEqual([
    'planned',
    'verified',
    'confirmed with 0 signatures',
    'permitted',
    'signed',
    'relayed',
    'mined',
  ])
  expect(signed).toEqual(['typed data', 'transaction'])
  expect(amountOut).toBeGreaterThanOrEqual(BigInt(plan.amount_out_min))
})

it('signs no permit in a dry run of the command', async () => {
  const env = { PIT_PRIVATE_KEY: KEY }
  const ran = await pit(['trade', 'USDG', 'ETH', '--usd', '20'], { env })
  expect(ran.code, ran.stderr).toBe(0)
  expect(ran.stderr).toContain('Nothing was signed')
  expect(proxy.calls.some(({ path }) => path === 'live/prepare')).toBe(true)
  expect(permitsSent()).toBe(0)
})

type Lie = NonNullable<ProxyHooks['change']>
type Plan = { [field: string]: unknown }
/** Lies about the second plan, the one for a signed permit. */
const secondPlan =
  (change: (plan: Plan) => Plan): Lie =>
  ({ path, body }, honest) =>
    path === 'live/prepare' && body.permit_signature !== undefined
      ? { status: 200, body: change(honest.body) }
      : undefined

it.each<[string, Lie, string]>([
  [
    'a permit without its swap',
    (call, { body }) =>
      call.path === 'live/prepare' ? { status: 200, body: { ...body, preview: null } } : undefined,
    'RECIPIENT',
  ],
  [
    'a preview that pays another recipient',
    (call, { body }) =>
      call.path === 'live/prepare'
        ? { status: 200, body: { ...body, preview: { ...body.preview, to: `0x${'bad1'.repeat(10)}` } } }
        : undefined,
    'RECIPIENT',
  ],
])('refuses %s, with nothing signed', async (_, lie, rule) => {
  proxy.use({ change: lie })
  const refusal = await client.trade(SELL_USDG).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'VERIFICATION_FAILED', rule })
  expect(signed).toEqual([])
})

it.each<[string, (plan: Plan, first: Plan) => Plan, string]>([
  ['is the first plan again', (_, first) => first, 'RECIPIENT'],
  ['guarantees less', (plan) => ({ ...plan, amount_out_min: '1' }), 'MIN_OUT'],
  [
    'discloses another risk',
    (plan) => ({ ...plan, risks: [{ code: 'PROXY', severity: 'info', message: 'new' }] }),
    'RISK_CODES',
  ],
])('sends nothing when the plan for the signed permit %s', async (_, change, rule) => {
  let first: Plan = {}
  const lie = secondPlan((plan) => change(plan, first))
  proxy.use({
    change(call, honest) {
      if (call.path === 'live/prepare' && call.body.permit_signature === undefined) first = honest.body
      return lie(call, honest)
    },
  })
  const refusal = await client.trade(SELL_USDG).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'VERIFICATION_FAILED', rule })
  expect(signed).toEqual(['typed data'])
})
