import type { Hex } from '@pit/chain'
import {
  createClient,
  fromViem,
  isRefusal,
  type PitClient,
  type PitRefusal,
  rpcAt,
  type TradeStage,
} from '@pit/client'
import { describeInFull } from '@pit/platform/test/tier'
import { CLIENT_ERRORS, CLIENT_VERIFICATION_RULES } from '@pit/protocol'
import { keccak256, stringToHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { readStoryTokens } from '../trading/tokens.ts'
import { MNEMONIC } from '../trading/trader.ts'
import { THIEF } from './lies.ts'
import { type Any, knowQuoters, PROVOKED, type Provoked } from './provoked.ts'

// The client against the real server, signer and chain; then against a lying server.

const DOMAIN = 'pit.test'
const ETH = 10n ** 18n
const owner = privateKeyToAccount(keccak256(stringToHex('client story owner')))
const executor = privateKeyToAccount(keccak256(stringToHex('client story executor')))

let world: SessionWorld
let client: PitClient
let cosigner: string
let tokens: { hooked: Hex; thin: Hex }
const poor = privateKeyToAccount(keccak256(stringToHex('client story poor')))

/** A client whose server or node may lie. */
function open(
  account: PrivateKeyAccount | ReturnType<typeof mnemonicToAccount>,
  { tell, asks, node = (real) => real }: Pick<Provoked, 'tell' | 'asks' | 'node'> = {},
): PitClient & { useKey(key: string): void } {
  let key: string | null = null
  const client = createClient({
    url: world.server.url,
    domain: DOMAIN,
    profile: { ...world.profile, cosigner },
    account: fromViem(account),
    rpc: node(rpcAt(world.devnet.url)),
    maxTries: 1,
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname.replace('/api/v1/', '')
      const headers = new Headers(init?.headers)
      if (key !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`)
      const request = init?.body ? JSON.parse(String(init.body)) : undefined
      asks?.(path, request)
      const sent = { ...init, headers, ...(request && { body: JSON.stringify(request) }) }
      const response = await fetch(url, sent)
      const body = await response.json()
      const status = tell?.(path, body)
      return Response.json(body, {
        status: typeof status === 'number' && status >= 100 ? status : response.status,
      })
    },
  })
  return {
    ...client,
    useKey(apiKey) {
      key = apiKey
    },
  }
}

beforeAll(async () => {
  world = await openSessionWorld({
    server: { AUTH_DOMAIN: DOMAIN, FAST_ENABLED: '1', SEAL_KEY: '5e'.repeat(32) },
  })
  const config = (await (await fetch(`${world.server.url}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  cosigner = config.session.cosigner
  client = open(mnemonicToAccount(MNEMONIC, { addressIndex: 3 }))
  await client.signIn()
  const { specimen } = await readStoryTokens(world.devnet)
  tokens = { hooked: specimen('unknown_hook'), thin: specimen('good') }
  const { v3_quoter, v4_quoter } = world.profile.contracts
  knowQuoters([v3_quoter, v4_quoter].map(String))
  await world.fund(poor.address.toLowerCase() as Hex, { wei: ETH / 100n, usdg: 50_000_000n })
  await world.fund(owner.address.toLowerCase() as Hex, { wei: ETH, usdg: 500_000_000n })
  await world.fund(executor.address.toLowerCase() as Hex, { wei: ETH / 10n })
})
afterAll(() => world?.close())

describe('honest trades are verified, signed and mined', () => {
  it.each([
    ['ETH to USDG', { token_in: 'ETH', token_out: 'USDG', notional_usd: 20 }],
    ['USDG to ETH, with an approval and a permit', { token_in: 'USDG', token_out: 'ETH', notional_usd: 20 }],
    ['cbBTC to PARTNER', { token_in: 'cbBTC', token_out: 'PARTNER', notional_usd: 15 }],
    [
      'WETH to PARTNER, allowed by a transaction',
      { token_in: 'WETH', token_out: 'PARTNER', notional_usd: 12, permit_mode: 'transaction' as const },
    ],
  ])('%s', async (_, request) => {
    const stages: TradeStage['stage'][] = []
    const result = await client.trade(request, { onStage: ({ stage }) => stages.push(stage) })
    const isPermitted = request.token_in !== 'ETH' && !('permit_mode' in request)
    expect(stages).toEqual([
      'planned',
      'verified',
      ...(isPermitted ? ['permitted'] : []),
      ...['signed', 'relayed', 'mined'],
    ])
    expect(result.amountOut).toBeGreaterThanOrEqual(BigInt(result.plan.amount_out_min))
    expect(result.feePaid).toBeGreaterThan(0n)
  })

  it('fast, from its own terms and its own bytes', async () => {
    const traded = await client.fastTrade(
      { token_in: 'ETH', token_out: 'USDG', usd: 20 },
      { fallback: false },
    )
    expect(traded.by).toBe('fast')
    expect('amountOut' in traded && traded.amountOut).toBeGreaterThan(19_000_000n)
  })

  it('and by an ordinary trade if fast mode has no route', async () => {
    const traded = await client.fastTrade({ token_in: 'ETH', token_out: 'PARTNER', usd: 5 })
    expect(traded).toMatchObject({ by: 'prepare', why: 'FAST_PAIR' })
  })

  it('and listed in the account', async () => {
    const rows = []
    for await (const row of client.trades()) rows.push(row.status)
    expect(rows.length).toBeGreaterThanOrEqual(6)
    expect((await client.portfolio()).total_usd).toBeGreaterThan(0)
  })
})

describe('a session', () => {
  const terms = {
    tokens: ['ETH', 'USDG'],
    max_trade_usd: 30,
    max_day_usd: 60,
    max_trades: 5,
    expires_in_s: 3_600,
  }
  let owning: PitClient
  let sessionId: string

  it('needs the owner’s consent before its wallet gets code', async () => {
    owning = open(owner)
    await owning.signIn()
    const refused = await caught(owning.grantSession({ executor: executor.address, ...terms }))
    expect(refused.code).toBe('CONSENT_REQUIRED')
  })

  it('is granted, traded in by its executor, and revoked', async () => {
    const { active } = await owning.grantSession(
      { executor: executor.address, ...terms },
      { allow7702: true },
    )
    sessionId = active.session_id
    const trading = open(executor)
    await trading.signIn()
    const wallet = owner.address.toLowerCase() as Hex
    const request = { session_id: sessionId, wallet, token_in: 'ETH', token_out: 'USDG', notional_usd: 10 }
    const { amountOut } = await trading.sessionTrade(request)
    expect(amountOut).toBeGreaterThan(9_000_000n)
    const { receipts } = await owning.revokeSession({ sessionId })
    expect(receipts.length).toBeGreaterThan(0)
    expect((await caught(trading.sessionTrade(request))).code).toBe('SESSION_REVOKED')
  })

  it.each<[string, string, (body: never) => void]>([
    ['GRANT_BINDING', 'limits', (b: Any) => (b.sign.delegation.binding.limits.max_trade_micro_usd *= 2)],
    ['GRANT_BINDING', 'expiry', (b: Any) => (b.sign.delegation.binding.expires_at += 86_400)],
    ['GRANT_BINDING', 'executor', (b: Any) => (b.sign.delegation.binding.executor = THIEF)],
    ['GRANT_CAPS', 'a missing caveat', (b: Any) => b.sign.delegation.typed_data.message.caveats.pop()],
    ['GRANT_BINDING', 'code', (b: Any) => (b.sign.authorization.address = THIEF)],
  ])('%s: nothing is signed when a grant lies about its %s', async (rule, _, change) => {
    // A wallet without code, so that a grant requests its authorization.
    const lied = open(mnemonicToAccount(MNEMONIC, { addressIndex: 8 }), {
      tell: (path, body) => {
        if (path === 'live/session/grant' && 'sign' in body) change(body as never)
      },
    })
    await lied.signIn()
    const error = await caught(
      lied.grantSession({ executor: executor.address, ...terms }, { allow7702: true }),
    )
    expect([error.code, error.rule]).toEqual(['VERIFICATION_FAILED', rule])
  })
})

/** Every code and rule that was seen. */
const seen = new Set<string>()
const caught = (work: Promise<unknown>): Promise<PitRefusal> =>
  work.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: unknown) => {
      if (!isRefusal(error)) throw error
      seen.add(error.code)
      if (error.rule) seen.add(error.rule)
      if (error.status !== undefined) seen.add('a server’s own code')
      return error
    },
  )

describeInFull('each error of the contract, in a situation or by a lie made for it', () => {
  it.each(PROVOKED.map((one) => [`${one.rule ?? one.code}: ${one.why}`, one] as const))(
    '%s',
    async (_, { code, rule, account = 5, tell, asks, node, run }) => {
      const who = account === 'poor' ? poor : mnemonicToAccount(MNEMONIC, { addressIndex: account })
      const lied = open(who, { ...(tell && { tell }), ...(asks && { asks }), ...(node && { node }) })
      // The lies concern the calls after sign-in.
      const { api_key } = await open(who).signIn()
      lied.useKey(api_key)
      const error = await caught(run(lied, { trader: client, pins: client.pins, ...tokens }))
      expect([error.code, error.rule], error.message).toEqual([code, rule])
    },
  )

  it('covers every error of the contract', () => {
    expect(Object.keys(CLIENT_ERRORS).filter((code) => !seen.has(code))).toEqual([])
    expect(Object.keys(CLIENT_VERIFICATION_RULES).filter((rule) => !seen.has(rule))).toEqual([])
    expect(seen.has('a server’s own code')).toBe(true)
  })

  it('rejects an unknown name before any request', async () => {
    const error = await caught(client.trade({ token_in: 'eth', token_out: 'USDG', notional_usd: 5 }))
    expect(error.code).toBe('UNKNOWN_TOKEN')
  })
})
