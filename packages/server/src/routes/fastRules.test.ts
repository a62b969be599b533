import { FAST_RULES_BEFORE_RELAY, FAST_TERMS } from '@pit/protocol'
import { RULES } from '@pit/trading/internal/fast/rules'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FastWorld, openFastWorld, type Spoiled } from '../../test/fastWorld.ts'

let world: FastWorld
let fresh: FastWorld['state']
beforeAll(async () => {
  world = await openFastWorld()
  fresh = structuredClone(world.state)
})
afterEach(() => {
  Object.assign(world.state, structuredClone(fresh))
  for (const pool of world.pools.values()) world.setPrice(pool)
  world.seen.relayed.length = 0
})
afterAll(() => world?.close())

const E18 = 10n ** 18n
const stranger = generatePrivateKey()

it('has every rule of the contract that is evaluated here, in order', () => {
  const judged = FAST_RULES_BEFORE_RELAY.filter((code) => code !== 'FAST_DISABLED')
  expect(RULES.map(({ code }) => code)).toEqual(judged)
})

describe('a good trade', () => {
  it.each(['ETH/USDG', 'USDG/ETH', 'WETH/USDG', 'USDG/WETH', 'NVDA/USDG', 'USDG/NVDA'])(
    'of %s is relayed, with its terms',
    async (pair) => {
      const { body, hash, amountIn, minOut } = await world.build({ pair })
      const { status, answer, error } = await world.send(body)
      expect(error).toBeUndefined()
      expect(status).toBe(200)
      const side = ['ETH/USDG', 'WETH/USDG', 'USDG/NVDA'].includes(pair) ? 'input' : 'output'
      expect(answer).toMatchObject({
        tx_hash: hash,
        relayed: true,
        repeat: false,
        route: { pair, sha256: world.pinned.sha256 },
        fee: { bps: 25, class: 'major', tier: 25, shield: false, side },
        min_out: String(minOut),
        simulation: { ok: true },
      })
      expect(answer.checks.every(({ ok }) => ok)).toBe(true)
      expect(BigInt(answer.min_out_floor!)).toBeLessThanOrEqual(minOut)
      expect(world.seen.relayed).toHaveLength(1)
      expect(world.seen.relayed[0]!.terms).toMatchObject({
        path: 'fast',
        amountIn,
        amountOutMin: minOut,
        volumeToken: answer.fee.token,
        fee: { amount: side === 'input' ? (amountIn * 25n) / 10_000n : null },
      })
    },
  )

  it.each(['USDG/ETH', 'WETH/USDG', 'USDG/NVDA'])('of %s is relayed with a permit', async (pair) => {
    world.state.permitted = { amount: 0n, expiration: 0, nonce: 7 }
    const { status, error } = await world.trade({ pair, permit: 'given' })
    expect([status, error]).toEqual([200, undefined])
  })

  it('pays the shield fee if it requests the shield', async () => {
    expect((await world.trade({ body: { shield: true } })).error).toMatchObject({ code: 'FEE_BPS' })
    const { answer } = await world.trade({ feeBps: 35, body: { shield: true, simulate: false } })
    expect(answer.fee).toMatchObject({ bps: 35, tier: 25, shield: true })
  })

  it('is not relayed if it is only checked', async () => {
    const { status, answer } = await world.trade({ body: { check_only: true } })
    expect([status, answer.relayed, answer.repeat]).toEqual([200, false, false])
    expect(answer.simulation?.ok).toBe(true)
    expect(world.seen.relayed).toEqual([])
  })

  it('is not simulated on request', async () => {
    const before = world.seen.simulated
    const { answer } = await world.trade({ body: { simulate: false } })
    expect([answer.relayed, answer.simulation, world.seen.simulated - before]).toEqual([true, null, 0])
    expect(answer.checks.map(({ code }) => code)).toContain('FAST_FUNDS')
  })

  it('borrows nothing for a trade that is relayed', async () => {
    expect((await world.trade({ body: { fund: true } })).answer.simulation?.funded_by_overrides).toBe(false)
    const { answer } = await world.trade({ body: { fund: true, check_only: true } })
    expect(answer.simulation?.funded_by_overrides).toBe(true)
  })
})

type Case = [why: string, code: string, spoiled: Spoiled, state?: (state: FastWorld['state']) => void]
const tx = (fields: NonNullable<Spoiled['tx']>): Spoiled => ({ tx: fields })
const CASES: Case[] = [
  ['is an RLP text', 'BAD_REQUEST', { body: { raw_tx: '0x80' } }],
  ['is nothing', 'BAD_REQUEST', { body: { raw_tx: '0x' } }],
  ['is cut short', 'TX_ENCODING', { body: { raw_tx: '0x02f8' } }],
  ['is a pair never pinned', 'FAST_PAIR', { body: { token_in: 'cbBTC' } }],
  ['is the pair by address', 'FAST_PAIR', { body: { token_in: `0x${'0'.repeat(40)}` } }],
  [
    'is of a stock on a Saturday',
    'MARKET_CLOSED',
    { pair: 'USDG/NVDA' },
    (state) => {
      state.nowMs = Date.UTC(2026, 10, 21, 15)
    },
  ],
  [
    'has an old mark',
    'PRICE_STALE',
    {},
    (state) => {
      state.markAgeS = 61
    },
  ],
  [
    'has a mark past its heartbeat',
    'PRICE_STALE',
    {},
    (state) => {
      state.markStale = true
    },
  ],
  ['has no mark', 'PRICE_STALE', {}, (state) => state.unmarked.add('ETH')],
  ['is a blob transaction', 'TX_TYPE', { body: { raw_tx: `0x03${'00'.repeat(20)}` } }],
  ['is for another chain', 'CHAIN_ID', tx({ chainId: 1 })],
  ['is to another contract', 'ROUTER', tx({ to: `0x${'77'.repeat(20)}` })],
  ['sends too little ETH', 'VALUE', tx({ value: 1n })],
  ['sends ETH with a token', 'VALUE', { pair: 'USDG/ETH', ...tx({ value: 1n }) }],
  ['is signed by another wallet', 'WALLET_MISMATCH', { privateKey: stranger }],
  ['is under a dollar', 'NOTIONAL', { usd: 0.9 }],
  ['is over the maximum', 'NOTIONAL', { usd: 2_501 }],
  ['is over the route’s cap', 'ROUTE_CAP', { pair: 'ETH/SPY', usd: 1_001 }],
  ['is past its deadline', 'DEADLINE', { deadline: Math.floor(Date.UTC(2026, 10, 18, 15) / 1000) - 1 }],
  [
    'has a deadline too far ahead',
    'DEADLINE',
    { deadline: Math.floor(Date.UTC(2026, 10, 18, 15) / 1000) + 61 },
  ],
  ['has too little gas', 'GAS', tx({ gas: 100_000n })],
  ['has too much gas', 'GAS', tx({ gas: 1_000_001n, maxFeePerGas: 10_000_000n })],
  ['bids under the base fee', 'GAS', tx({ maxFeePerGas: 9_999_999n })],
  ['bids over ten times the base fee', 'GAS', tx({ maxFeePerGas: 100_000_001n })],
  [
    'may cost more than 0.0002 ETH',
    'GAS',
    tx({ gas: 900_000n, maxFeePerGas: 300_000_000n }),
    (state) => {
      state.baseFeeWei = 100_000_000n
    },
  ],
  ['declares another fee', 'FEE_BPS', { body: { fee_bps: 24 } }],
  ['pays another fee', 'FEE_BPS', { feeBps: 24, body: { fee_bps: 25 } }],
  ['pays another portion', 'FEE_BPS', { pair: 'USDG/ETH', feeBps: 24, body: { fee_bps: 25 } }],
  ['has too low a minimum', 'MIN_OUT', { minOut: 1n }],
  ['was sized for another amount', 'AMOUNT_USD', { body: { amount_usd: 104 } }],
  ['was sized for nothing', 'AMOUNT_USD', { body: { amount_usd: -1 } }],
  ['is over its own cap', 'CLIENT_CAP', { body: { max_notional_usd: 99.9 } }],
  ['is not from outside the US', 'GEOFENCE', { pair: 'USDG/NVDA', body: { owner_attests_non_us: false } }],
  [
    'is of a paused stock',
    'STOCK_PAUSED',
    { pair: 'USDG/NVDA' },
    (state) => {
      state.paused = true
    },
  ],
  [
    'is of a stock that blocks the wallet',
    'WALLET_BLOCKED',
    { pair: 'USDG/NVDA' },
    (state) => {
      state.blocked = 'wallet'
    },
  ],
  [
    'is of a stock that blocks the router',
    'WALLET_BLOCKED',
    { pair: 'USDG/NVDA' },
    (state) => {
      state.blocked = 'router'
    },
  ],
  [
    'fails in the simulation',
    'SIMULATION_FAILED',
    {},
    (state) => {
      state.simulation = {
        ok: false,
        amountOut: null,
        error: 'swap: V4TooLittleReceived',
        transactions: [{ kind: 'swap', ok: false, gasUsed: 1, error: 'V4TooLittleReceived', logs: [] }],
      }
    },
  ],
  [
    'pays too little fee in the simulation',
    'SIMULATION_FAILED',
    {},
    (state) => {
      state.simulation = { feeTransfer: 1n }
    },
  ],
  [
    'has no balance',
    'FAST_FUNDS',
    { body: { simulate: false } },
    (state) => {
      state.ethWei = E18 / 25n
    },
  ],
  [
    'has no allowance',
    'FAST_FUNDS',
    { pair: 'USDG/ETH', body: { simulate: false } },
    (state) => {
      state.allowance = 1n
    },
  ],
  [
    'has an expired allowance for the router',
    'FAST_FUNDS',
    { pair: 'USDG/ETH', body: { simulate: false } },
    (state) => {
      state.permitted.expiration = 5
    },
  ],
]

describe('a trade that', () => {
  it.each(CASES)('%s is %s', async (_, code, spoiled, change) => {
    change?.(world.state)
    const { error, headers, status } = await world.trade(spoiled)
    expect(error?.code, JSON.stringify(error)).toBe(code)
    expect(error.failures[0]).toMatchObject({ code })
    expect(error.failures.every(({ message }) => message.length > 0)).toBe(true)
    expect('terms' in error).toBe(code in FAST_TERMS)
    for (const term of FAST_TERMS[code as keyof typeof FAST_TERMS] ?? []) {
      expect(error['terms']).toHaveProperty(term)
    }
    expect(headers['retry-after'] !== undefined).toBe(status === 503)
    expect(world.seen.relayed).toEqual([])
    expect(world.seen.refusals.at(-1)).toBe(code)
  })

  it('has a permit for anything but exactly this trade is PERMIT', async () => {
    const permitted: [Spoiled['permitWith'], string][] = [
      [{ amount: 1n }, 'amount'],
      [{ expiration: Math.floor(world.state.nowMs / 1000) + 1_801 }, 'expiration'],
      [{ sig_deadline: Math.floor(world.state.nowMs / 1000) + 1_801 }, 'sig_deadline'],
      [{ expiration: Math.floor(world.state.nowMs / 1000) + 1 }, 'deadline'],
      [{ nonce: 3 }, 'nonce'],
      [{ key: stranger }, 'signed'],
    ]
    for (const [permitWith, word] of permitted) {
      const { error } = await world.trade({ pair: 'USDG/ETH', permit: 'given', permitWith: permitWith! })
      const failure = error.failures.find(({ code }) => code === 'PERMIT')
      expect(failure?.message, word).toContain(word)
    }
    const onEth = await world.trade({ permit: 'given' })
    expect(onEth.error.failures.map(({ code }) => code)).toContain('PERMIT')
  })

  it('cannot be evaluated without the chain is reported as such', async () => {
    world.state.rpcDown = true
    const { status, error } = await world.trade({ pair: 'USDG/NVDA' })
    expect([status, error.code]).toEqual([502, 'RPC_UNAVAILABLE'])
  })
})

describe('the price', () => {
  it('allows min_out exactly at the floor, by marks and by the simulated output', async () => {
    const { answer } = await world.trade({ body: { check_only: true } })
    const floor = BigInt(answer.min_out_floor!)
    const simulated = BigInt(answer.simulation!.amount_out!)
    expect(floor).toBe((simulated * 9_800n) / 10_000n)
    expect((await world.trade({ minOut: floor })).status).toBe(200)
    const { error } = await world.trade({ minOut: floor - 1n })
    expect([error.code, (error['terms'] as { floor: string }).floor]).toEqual(['MIN_OUT', String(floor)])
    // Without a simulation the marks alone decide: 200 + 5 + 75 bps under them.
    const bare = await world.trade({ minOut: floor - 1n, body: { simulate: false } })
    expect(bare.status).toBe(200)
    const byMarks = BigInt(bare.answer.min_out_floor!)
    expect(byMarks).toBe((99_750_000n * 9_720n) / 10_000n)
    expect((await world.trade({ minOut: byMarks - 1n, body: { simulate: false } })).error.code).toBe(
      'MIN_OUT',
    )
  })

  it('checks MIN_OUT by the marks if the simulation failed, in its place', async () => {
    world.state.simulation = { ok: false, amountOut: null, error: 'swap: reverted' }
    const { error } = await world.trade({ minOut: 1n })
    expect(error.failures.map(({ code }) => code)).toEqual(['MIN_OUT', 'SIMULATION_FAILED'])
    const marks = await world.trade({})
    expect(marks.error.failures.map(({ code }) => code)).toEqual(['SIMULATION_FAILED'])
    const { checks } = (marks.error as { simulation?: { checks: { code: string; ok: boolean }[] } })
      .simulation!
    expect(checks.map(({ code, ok }) => [code, ok])).toEqual([
      ['EXECUTES', true],
      ['DELIVERED', false],
      ['FEE_PAID', false],
    ])
  })

  it('rejects a pool further below the marks than its fee and the band', async () => {
    const pool = world.pools.get(world.pinned.routes.get('ETH/USDG')!.poolId)!
    world.setPrice(pool, -73)
    expect((await world.trade()).status).toBe(200)
    world.setPrice(pool, -77)
    expect((await world.trade()).error.code).toBe('POOL_FAR')
    // A pool above the marks benefits the trader.
    world.setPrice(pool, 300)
    expect((await world.trade()).status).toBe(200)
  })

  it('checks NVDA and SPY against the reference pools too, and requires a mid for them', async () => {
    const pool = world.pools.get(world.pinned.routes.get('NVDA/USDG')!.poolId)!
    const { net } = await world.build({ pair: 'USDG/NVDA', usd: 50 })
    // The reference pool is the pinned one; the minimum may still be far below it.
    world.setPrice(pool, 250)
    const far = { pair: 'USDG/NVDA', usd: 50, minOut: (net * 9_900n) / 10_000n, body: { simulate: false } }
    expect((await world.trade(far)).error.failures.map(({ code }) => code)).toEqual(['ROUTE_VS_MID'])
    expect((await world.trade({ pair: 'ETH/SPY' })).error.code).toBe('NO_REFERENCE_MID')
  })

  it('accepts an unchanged round that was read recently', async () => {
    world.state.roundAgeS = 3_000
    world.state.markAgeS = 60
    expect((await world.trade({ usd: 50 })).answer.relayed).toBe(true)
  })

  it('evaluates nothing by a stale mark', async () => {
    world.state.markAgeS = 100
    const { error } = await world.trade({ usd: 5_000, minOut: 1n })
    expect(error.failures.map(({ code }) => code)).toEqual(['PRICE_STALE'])
  })
})

describe('several failures', () => {
  it('are all listed, in order, and the first one is the response', async () => {
    const { error } = await world.trade({
      usd: 0.5,
      deadline: 1,
      tx: { chainId: 1, to: `0x${'77'.repeat(20)}`, value: 3n, gas: 1n },
      body: { fee_bps: 1, amount_usd: 9, max_notional_usd: 0.1 },
      privateKey: stranger,
    })
    expect(error.failures.map(({ code }) => code)).toEqual([
      'CHAIN_ID',
      'ROUTER',
      'VALUE',
      'WALLET_MISMATCH',
      'NOTIONAL',
      'DEADLINE',
      'GAS',
      'FEE_BPS',
      'AMOUNT_USD',
      'CLIENT_CAP',
    ])
    expect(error.code).toBe('CHAIN_ID')
  })

  it('of an unreadable request are one', async () => {
    const { status, error } = await world.send('{')
    expect([status, error.code]).toEqual([400, 'BAD_REQUEST'])
    expect(error.failures).toMatchObject([{ code: 'BAD_REQUEST' }])
    const missing = await world.trade({ body: { amount_in: undefined } })
    expect(missing.error).toMatchObject({ code: 'BAD_REQUEST', field: 'amount_in' })
  })
})

it('rejects everything unread if fast mode is off', async () => {
  const off = await openFastWorld({ enabled: false })
  const { status, error } = await off.send('{ this is not JSON')
  expect([status, error.code, error.failures[0]?.code]).toEqual([403, 'FAST_DISABLED', 'FAST_DISABLED'])
  expect(await off.terms()).toMatchObject({ enabled: false, routes: { sha256: off.pinned.sha256 } })
  await off.close()
})
