import { checkAnswer } from '@pit/protocol'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type FastWorld, openFastWorld } from '../../test/fastWorld.ts'

let world: FastWorld
let fresh: FastWorld['state']
beforeAll(async () => {
  world = await openFastWorld()
  fresh = structuredClone(world.state)
})
afterEach(() => {
  Object.assign(world.state, structuredClone(fresh))
  world.seen.relayed.length = 0
})
afterAll(() => world?.close())

describe('the relay’s result', () => {
  const send = () => world.trade({ body: { simulate: false } })

  it('is returned again for a repeat', async () => {
    world.state.outcome = { kind: 'repeat', status: 'mined' }
    expect((await send()).answer).toMatchObject({ relayed: true, repeat: true })
  })

  it('is returned as stored, not as the second request has it', async () => {
    const { tokenIn, tokenOut, row } = world.pinned.routes.get('USDG/NVDA')!
    const recipient = row.fee.recipient
    const written = {
      status: 'mined',
      token_in: tokenIn.address,
      token_out: tokenOut.address,
      amount_out_min: '777',
      fee_bps: 35,
      fee_class: 'major',
      fee_tier: 25,
      fee_side: row.fee.side,
      fee_token: row.fee.token,
      fee_recipient: recipient,
    }
    const as = {
      route: { pair: 'USDG/NVDA', commands: row.commands },
      min_out: '777',
      checks: [],
      simulation: null,
    }
    const fee = { bps: 35, tier: 25, shield: true, side: row.fee.side, recipient }
    // The bytes have another pair, fee and minimum; the stored row counts.
    world.state.rows = [written]
    for (const body of [
      { simulate: false },
      { simulate: false, fee_bps: 1, min_out: '5', token_in: 'cbBTC' },
    ]) {
      world.state.outcome = { kind: 'repeat', status: 'mined' }
      const { status, answer } = await world.trade({ body })
      expect(status).toBe(200)
      expect(answer).toMatchObject({ relayed: true, repeat: true, ...as, fee })
      expect(checkAnswer('live.fast', answer)).toMatchObject({ ok: true })
    }
    world.state.rows = [{ ...written, status: 'relaying' }]
    expect((await world.trade({ body: { fee_bps: 1 } })).error.code).toBe('IN_FLIGHT')
    // Relayed by another route: then the rules decide.
    world.state.rows = [{ ...written, token_out: `0x${'12'.repeat(20)}` }]
    expect((await world.trade({ body: { fee_bps: 1 } })).error.code).toBe('FEE_BPS')
  })

  it.each([
    ['in flight', { kind: 'in_flight' }, 409, 'IN_FLIGHT'],
    ['no answer', { kind: 'unreachable' }, 502, 'SEQUENCER_UNREACHABLE'],
    [
      'a refusal',
      { kind: 'rejected', reason: 'sequencer', words: 'no gas', nonceRefused: false, nonceSpent: false },
      422,
      'SUBMIT_REJECTED',
    ],
    [
      'given up earlier',
      { kind: 'rejected', reason: 'dropped', words: 'gone', nonceRefused: false, nonceSpent: null },
      422,
      'SUBMIT_REJECTED',
    ],
    [
      'a store that is too slow',
      { kind: 'rejected', reason: 'late', words: 'slow', nonceRefused: false, nonceSpent: null },
      503,
      'LIVE_UNAVAILABLE',
    ],
  ] as const)('maps to its code: %s', async (_, outcome, status, code) => {
    world.state.outcome = outcome
    const { error, status: answered } = await send()
    expect([answered, error.code]).toEqual([status, code])
    if (code !== 'LIVE_UNAVAILABLE') expect(error.failures).toMatchObject([{ code }])
  })

  it.each([
    [1, { spent: true, nonce: 1 }],
    [0, { spent: false, nonce: 0 }],
  ])('about a nonce includes the chain’s nonce: %i', async (chainNonce, chain) => {
    world.state.chainNonce = chainNonce
    const words = 'nonce too low'
    world.state.outcome = {
      kind: 'rejected',
      reason: 'sequencer',
      words,
      nonceRefused: true,
      nonceSpent: chainNonce > 0,
    }
    const { error } = await send()
    expect([error.code, error['chain']]).toEqual(['NONCE', chain])
  })
})

describe('the warm cache', () => {
  it('lets a trade pass without a chain read', async () => {
    await world.terms()
    await world.block()
    const before = world.seen.fundsRead
    expect(before).toBeGreaterThan(0)
    const { status } = await world.trade({ pair: 'USDG/NVDA', body: { simulate: false } })
    expect([status, world.seen.fundsRead - before]).toEqual([200, 0])
  })

  it('never refuses by stale data: the chain is read again', async () => {
    world.state.nowMs += 5_000
    world.state.ethWei = 0n
    await world.terms()
    await world.block()
    world.state.ethWei = 10n ** 19n
    const before = world.seen.fundsRead
    const { status, error } = await world.trade({ body: { simulate: false } })
    expect([status, error]).toEqual([200, undefined])
    expect(world.seen.fundsRead - before).toBe(1)
  })

  it('is valid briefly only', async () => {
    world.state.nowMs += 10_000
    await world.terms()
    await world.block()
    world.state.ethWei = 0n
    world.state.nowMs += 2_000
    expect((await world.trade({ body: { simulate: false } })).error.code).toBe('FAST_FUNDS')
  })

  it('reads a new tier before it refuses the fee', async () => {
    world.state.nowMs += 20_000
    await world.terms()
    await world.block()
    world.state.tierBps = 20
    const { status, answer } = await world.trade({ feeBps: 20 })
    expect([status, answer.fee?.bps]).toEqual([200, 20])
  })
})

it('charges simulations to their own bucket, and only those', async () => {
  const charged = async (body: object) => {
    world.seen.charged.length = 0
    await world.trade({ body: body as Record<string, unknown> })
    return world.seen.charged
  }
  expect(await charged({})).toEqual(['fast_sim'])
  expect(await charged({ simulate: false })).toEqual([])
  expect(await charged({ simulate: false, check_only: true })).toEqual(['fast_sim'])
})

it('responds according to its schemas', async () => {
  const { answer } = await world.trade()
  expect(checkAnswer('live.fast', answer)).toMatchObject({ ok: true })
  const terms = await world.terms()
  expect(checkAnswer('live.fast.terms', terms)).toMatchObject({ ok: true })
})

describe('terms', () => {
  it('have all that a client needs, and the shield fee on request', async () => {
    const terms = await world.terms()
    expect(terms).toMatchObject({
      enabled: true,
      deadline_s: 60,
      fee: { schedule: 2, class: 'major', tier_bps: 25, bps: 25, shield_add_bps: 10, posted_bps: 25 },
      base_fee_wei: '10000000',
      max_notional_usd: 2_500,
      mark_max_age_s: 60,
      stock_session_open: true,
    })
    expect((await world.terms('?shield=1')).fee.bps).toBe(35)
    expect(Object.keys(terms.routes.max_usd).sort()).toEqual([...world.pinned.routes.keys()].sort())
    world.state.nowMs = Date.UTC(2026, 10, 21, 15)
    expect((await world.terms()).stock_session_open).toBe(false)
  })
})
