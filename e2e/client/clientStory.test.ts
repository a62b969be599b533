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
import { keccak256, stringToHex } from 'viem'
import { mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { MNEMONIC } from '../trading/trader.ts'

// The client against the real server, signer and chain; then against a server that lies to it.

const DOMAIN = 'pit.test'
const ETH = 10n ** 18n
const owner = privateKeyToAccount(keccak256(stringToHex('client story owner')))
const executor = privateKeyToAccount(keccak256(stringToHex('client story executor')))

let world: SessionWorld
let client: PitClient
let cosigner: string

type Lie = (path: string, body: Record<string, never>) => void

/** A client whose server may lie: every answer goes through `lie` before it is read. */
function open(account: PrivateKeyAccount | ReturnType<typeof mnemonicToAccount>, lie?: Lie): PitClient {
  return createClient({
    url: world.server.url,
    domain: DOMAIN,
    profile: { ...world.profile, cosigner },
    account: fromViem(account),
    rpc: rpcAt(world.devnet.url),
    ...(lie && {
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        const body = (await response.json()) as Record<string, never>
        lie(new URL(String(url)).pathname.replace('/api/v1/', ''), body)
        return Response.json(body, { status: response.status })
      },
    }),
  })
}

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN, FAST_ENABLED: '1' } })
  const config = (await (await fetch(`${world.server.url}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  cosigner = config.session.cosigner
  client = open(mnemonicToAccount(MNEMONIC, { addressIndex: 3 }))
  await client.signIn()
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
  ])('%s', async (_, ask) => {
    const stages: TradeStage['stage'][] = []
    const result = await client.trade(ask, { onStage: ({ stage }) => stages.push(stage) })
    expect(stages).toEqual(['quoted', 'planned', 'verified', 'signed', 'relayed', 'mined'])
    expect(result.amountOut).toBeGreaterThanOrEqual(BigInt(result.plan.amount_out_min))
  })

  it('fast, by its own table and its own bytes', async () => {
    const traded = await client.fastTrade(
      { token_in: 'ETH', token_out: 'USDG', usd: 20 },
      { fallback: false },
    )
    expect(traded.by).toBe('fast')
    expect('amountOut' in traded && traded.amountOut).toBeGreaterThan(19_000_000n)
  })

  it('and the way round where fast mode has no route', async () => {
    const traded = await client.fastTrade({ token_in: 'ETH', token_out: 'PARTNER', usd: 5 })
    expect(traded).toMatchObject({ by: 'prepare', why: 'FAST_PAIR' })
  })

  it('and found again in the account', async () => {
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

  it('needs the owner’s word before its wallet takes code', async () => {
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
    const ask = { session_id: sessionId, wallet, token_in: 'ETH', token_out: 'USDG', notional_usd: 10 }
    const { amountOut } = await trading.sessionTrade(ask)
    expect(amountOut).toBeGreaterThan(9_000_000n)
    const { receipts } = await owning.revokeSession({ sessionId })
    expect(receipts.length).toBeGreaterThan(0)
    expect((await caught(trading.sessionTrade(ask))).code).toBe('SESSION_REVOKED')
  })

  it.each<[string, string, (body: never) => void]>([
    ['GRANT_BINDING', 'limits', (b: Any) => (b.sign.delegation.binding.limits.max_trade_micro_usd *= 2)],
    ['GRANT_BINDING', 'expiry', (b: Any) => (b.sign.delegation.binding.expires_at += 86_400)],
    ['GRANT_BINDING', 'executor', (b: Any) => (b.sign.delegation.binding.executor = THIEF)],
    ['GRANT_CAPS', 'a caveat left out', (b: Any) => b.sign.delegation.typed_data.message.caveats.pop()],
    ['GRANT_BINDING', 'code', (b: Any) => (b.sign.authorization.address = THIEF)],
  ])('%s: nothing is signed when a grant lies about its %s', async (rule, _, change) => {
    // A wallet that runs no code yet, so that a grant asks for its authorization.
    const lied = open(mnemonicToAccount(MNEMONIC, { addressIndex: 8 }), (path, body) => {
      if (path === 'live/session/grant' && 'sign' in body) change(body as never)
    })
    await lied.signIn()
    const error = await caught(
      lied.grantSession({ executor: executor.address, ...terms }, { allow7702: true }),
    )
    expect([error.code, error.rule]).toEqual(['VERIFICATION_FAILED', rule])
  })
})

const THIEF = '0x00000000000000000000000000000000000bad01'
// biome-ignore lint/suspicious/noExplicitAny: lies reach into answers of every shape
type Any = any
const caught = (work: Promise<unknown>): Promise<PitRefusal> =>
  work.then(
    () => {
      throw new Error('it was not refused')
    },
    (error: unknown) => {
      if (isRefusal(error)) return error
      throw error
    },
  )

/** What a step's calldata looks like with one address put for another. */
const swapIn = (text: string, from: string, to: string) => text.replaceAll(from.slice(2), to.slice(2))

describe('a server that lies is refused, each lie by its rule', () => {
  const ask = { token_in: 'ETH', token_out: 'USDG', notional_usd: 20 }
  const onPlan =
    (change: (plan: Any) => void): Lie =>
    (path, body) => {
      if (path === 'live/prepare' && 'steps' in body) change(body)
    }
  const inCall = (plan: Any, change: (data: string) => string) => {
    plan.tx.data = change(plan.tx.data)
    plan.steps.at(-1).tx.data = plan.tx.data
  }
  const lies: [string, string, () => Lie][] = [
    [
      'RECIPIENT',
      'the fee’s recipient',
      () => onPlan((p) => inCall(p, (d) => swapIn(d, client.pins.feeRecipient, THIEF))),
    ],
    [
      'RECIPIENT',
      'the contract called',
      () =>
        onPlan((p) => {
          p.tx.to = THIEF
          p.steps.at(-1).tx.to = THIEF
        }),
    ],
    [
      'MIN_OUT',
      'the minimum',
      () =>
        onPlan((p) => {
          p.amount_out_min = '1'
        }),
    ],
    [
      'FEE_CLASS',
      'the class',
      () =>
        onPlan((p) => {
          p.fee_class = 'other'
        }),
    ],
    [
      'FEE_BPS',
      'the fee',
      () =>
        onPlan((p) => {
          p.fee_bps = 99
        }),
    ],
    [
      'RISK_CODES',
      'a risk nobody knows',
      () => onPlan((p) => p.risks.push({ code: 'FINE', severity: 'info' })),
    ],
    [
      'RISK_NOT_ACCEPTED',
      'a severe risk',
      () => onPlan((p) => p.risks.push({ code: 'HONEYPOT', severity: 'severe' })),
    ],
    [
      'QUOTE_OWN',
      'what is expected',
      () =>
        onPlan((p) => {
          p.amount_out_expected = `${p.amount_out_expected}0`
        }),
    ],
  ]
  it.each(lies)('%s: %s', async (rule, _, lie) => {
    const lied = open(mnemonicToAccount(MNEMONIC, { addressIndex: 5 }), lie())
    await lied.signIn()
    const error = await caught(lied.trade(ask))
    expect([error.code, error.rule]).toEqual(['VERIFICATION_FAILED', rule])
  })

  it.each<[string, Lie, (lied: PitClient) => Promise<unknown>]>([
    [
      'CONFIG_MISMATCH',
      (path, body: Any) => {
        if (path === 'config') body.fee.recipient = THIEF
      },
      (c) => c.signIn(),
    ],
    [
      'SIGNING_MISMATCH',
      (path, body: Any) => {
        if (path === 'auth/challenge') body.message = 'I give everything away.'
      },
      (c) => c.signIn(),
    ],
    [
      'HASH_MISMATCH',
      (path, body: Any) => {
        if (path === 'live/submit') body.tx_hash = `0x${'1'.repeat(64)}`
      },
      async (c) => {
        await c.signIn()
        await c.trade(ask)
      },
    ],
    [
      'ACCOUNT_WALLET',
      (path, body: Any) => {
        if (path === 'me/portfolio') body.wallet = THIEF
      },
      async (c) => {
        await c.signIn()
        await c.portfolio()
      },
    ],
    [
      'ACCOUNT_SHAPE',
      (path, body: Any) => {
        if (path === 'me/portfolio') delete body.wallet
      },
      async (c) => {
        await c.signIn()
        await c.portfolio()
      },
    ],
    [
      'INSUFFICIENT_FUNDS',
      () => {},
      async (c) => {
        await c.signIn()
        await c.trade({ token_in: 'ETH', token_out: 'USDG', notional_usd: 9_999 })
      },
    ],
  ])('%s', async (code, lie, work) => {
    const account = code === 'INSUFFICIENT_FUNDS' ? owner : mnemonicToAccount(MNEMONIC, { addressIndex: 6 })
    expect((await caught(work(open(account, lie)))).code).toBe(code)
  })

  it('and a name it does not know is said before anything is asked', async () => {
    const error = await caught(client.trade({ token_in: 'eth', token_out: 'USDG', notional_usd: 5 }))
    expect(error.code).toBe('UNKNOWN_TOKEN')
  })
})
