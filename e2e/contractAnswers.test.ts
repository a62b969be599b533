import type { Answer, RouteId } from '@pit/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTRACT, missingIn } from '../packages/protocol/test/contract.ts'
import { grantTo } from './hosted/liveAgent.ts'
import { openParty, type Party } from './session/party.ts'
import { cosignerOf, openSessionWorld, type SessionWorld } from './session/world.ts'
import type { Answered, UnsignedStep } from './trading/trader.ts'

// Real answers against the contract itself: every documented field is there, and means what is documented.

const OWNER_KEY = `0x${'c0'.repeat(32)}` as const
const EXECUTOR_KEY = `0x${'c1'.repeat(32)}` as const
const PAIR = { token_in: 'ETH', token_out: 'USDG', notional_usd: 50 }
const LIMITS = { max_trade_usd: 20, max_day_usd: 60, max_position_usd: 500 }

let world: SessionWorld
let owner: Party
let executor: Party
const answers: { [Id in RouteId]?: Answer<Id> } = {}

const num = (name: string): number => CONTRACT.numbers[name] as number
function of<Id extends RouteId>(id: Id): Answer<Id> {
  const answer = answers[id]
  if (!answer) throw new Error(`${id} was not called`)
  return answer
}
async function call<Id extends RouteId>(id: Id, answered: Promise<Answered<object>>): Promise<Answer<Id>> {
  const { status, body } = await answered
  expect(status, `${id}: ${JSON.stringify(body)}`).toBeLessThan(300)
  Object.assign(answers, { [id]: body })
  return body as Answer<Id>
}
const get = <Id extends RouteId>(id: Id, path: string) => call(id, owner.get<object>(path))
const post = <Id extends RouteId>(id: Id, path: string, body: object = {}) =>
  call(id, owner.post<object>(path, body))

beforeAll(async () => {
  world = await openSessionWorld({
    server: { SEAL_KEY: '5e'.repeat(32), AI_POOL_KEY: 'pk-devnet-service', FAST_ENABLED: '1' },
  })
  await cosignerOf(world.server.url)
  owner = await openParty(world.server.url, OWNER_KEY)
  executor = await openParty(world.server.url, EXECUTOR_KEY)
  await world.fund(owner.wallet, { wei: 10n ** 19n, usdg: 1_000n * 10n ** 6n })
  await world.fund(executor.wallet, { wei: 10n ** 18n })
})
afterAll(() => world?.close())

describe('the answers to a trader', () => {
  it('of every route that needs no agent and no season', async () => {
    for (const id of ['config', 'health', 'stats', 'treasury'] as const) await get(id, id)
    await get('auth.me', 'auth/me')
    await get('tokens.get', 'tokens/USDG')
    await get('tokens.search', 'tokens?q=ETH')
    await get('me.portfolio', 'me/portfolio')
    await post('live.quote', 'live/quote', PAIR)
    await post('live.build', 'live/build', { wallet: owner.wallet, ...PAIR })
    const plan = await post('live.prepare', 'live/prepare', { wallet: owner.wallet, ...PAIR })
    await post('live.simulate', 'live/simulate', { wallet: owner.wallet, ...PAIR })
    await post('live.revoke', 'live/revoke', { wallet: owner.wallet })
    await get('live.fast.terms', 'live/fast/terms')
    if (!('tx' in plan)) throw new Error('not the plan of a trade')
    const { raw } = owner.sign(plan.tx as UnsignedStep)
    await post('live.submit', 'live/submit', { raw_tx: raw })
    await get('me.trades', 'me/trades')
    await post('auth.challenge', 'auth/challenge', { address: owner.wallet })
  })

  it('of a session', async () => {
    const terms = { tokens: ['ETH', 'USDG'], max_trade_usd: 20, max_day_usd: 60, expires_in_s: 7_200 }
    await post('live.session.grant', 'live/session/grant', {
      wallet: owner.wallet,
      executor: executor.wallet,
      ...terms,
    })
    const { session_id } = await grantTo(world, owner, executor.wallet, terms)
    const trade = { session_id, token_in: 'ETH', token_out: 'USDG', notional_usd: 5 }
    await call('live.session.trade', executor.post('live/session/trade', trade))
    await get('me.sessions', 'me/sessions')
    await post('live.session.revoke', 'live/session/revoke', { session_id })
  })

  it('of agents', async () => {
    const live = { brain: 'dca', params: { usd: 5 }, interval_s: 3_600, pairs: ['ETH/USDG'], mode: 'live' }
    const { id } = await post('hosted.create', 'hosted', { ...live, limits: LIMITS })
    await get('hosted.get', `hosted/${id}`)
    await get('hosted.list', 'hosted')
    await get('hosted.executor', `hosted/${id}/executor`)
    await get('hosted.logs', `hosted/${id}/logs`)
    await post('hosted.rotate_executor', `hosted/${id}/rotate-executor`)
    await post('hosted.stop', `hosted/${id}/stop`)
    const ai = { brain: 'partner_llm', params: { template: 'trend' }, interval_s: 900, pairs: ['ETH/USDG'] }
    const agent = await post('hosted.create', 'hosted', { ...ai, limits: LIMITS })
    await post('hosted.ai.connect', 'hosted/ai/connect', { api_key: 'pk-devnet-user-anna' })
    await get('hosted.ai', 'hosted/ai')
    await get('hosted.spend', `hosted/${agent.id}/spend`)
    await post('hosted.pause', `hosted/${agent.id}/pause`)
  })

  it('of the league', async () => {
    const entrant = await openParty(world.server.url, OWNER_KEY)
    for (const [id, path] of [
      ['league', 'league'],
      ['league.standings', 'league/standings'],
      ['league.seasons', 'league/seasons'],
      ['league.season', 'league/seasons/1'],
      ['league.reserve', 'league/reserve'],
    ] as const)
      await get(id, path)
    await call('league.me', entrant.get('league/me'))
    expect(await owner.get('league/standings?season=99')).toMatchObject({
      status: 404,
      body: { error: { code: 'NO_SEASON' } },
    })
  })

  it('have every field that the contract names', () => {
    const lacking = CONTRACT.routes.flatMap(({ id, answer, answer_when = {} }) => {
      const sent = answers[id as RouteId]
      if (sent === undefined) return []
      const isConditional = (path: string) =>
        Object.keys(answer_when).some((when) => path === when || path.startsWith(`${when}.`))
      const unconditional = answer.filter((path) => !isConditional(path))
      return missingIn(sent, unconditional).map((path) => `${id}: ${path}`)
    })
    // Only terms granted under schedule 1 keep fee_bps; only a pending estimate has a reason.
    expect(lacking.filter((path) => !/terms\.fee_bps$|estimate\.why$/.test(path))).toEqual([])
    expect(Object.keys(answers).length).toBeGreaterThanOrEqual(35)
  })
})

describe('config', () => {
  it('has the contract’s numbers, and none of schedule 1', () => {
    const { auth, fee, limits, session, shield, risks, ...config } = of('config')
    expect(auth).toMatchObject({
      challenge_ttl_s: num('auth.challenge_ttl_s'),
      key_ttl_s: num('auth.key_ttl_s'),
      key_prefix: 'pit_w_',
      require_partner_agent: false,
    })
    expect(owner.key.startsWith(auth.key_prefix)).toBe(true)
    const { issued_at, expires_at } = of('auth.challenge')
    expect(expires_at - issued_at).toBe(auth.challenge_ttl_s)
    expect(of('auth.me').expires_at - Math.floor(Date.now() / 1_000)).toBeLessThanOrEqual(auth.key_ttl_s)

    expect(fee.major_tiers[0]).toEqual({ min_30d_volume_usd: 0, bps: num('fee.major_max_bps') })
    expect(fee.major_tiers.at(-1)!.bps).toBe(num('fee.major_min_bps'))
    expect(fee).toMatchObject({ max_bps: num('fee.max_bps'), placeholder: false, to_self_allowed: false })
    for (const removed of ['bps', 'default_bps', 'shield_bps']) expect(fee).not.toHaveProperty(removed)

    expect(config).toMatchObject({
      high_price_impact_bps: num('high_price_impact_bps'),
      price_impact_bps: num('price_impact_bps'),
      submit_enabled: true,
    })
    expect(limits).toMatchObject({
      approval_modes: CONTRACT.value_sets['approval_mode'],
      default_approval_budget_usd: num('approval.default_budget_usd'),
      permit_trade_expiry_s: num('permit.trade_expiry_s'),
    })
    expect(limits.default_slippage_bps).toBeLessThanOrEqual(limits.max_slippage_bps)
    expect(limits.max_vs_mid_bps).toBeGreaterThan(0)
    expect(session.leaf_ttl_s).toBe(num('session.leaf_ttl_s'))
    for (const code of shield.shield_only_risks) expect(risks).toHaveProperty([code])
  })

  it('is what the other answers go by', () => {
    const { limits, session } = of('config')
    expect(of('live.quote').slippage_bps).toBe(
      limits.slippage_tolerance_by_size.find(({ up_to_usd }) => PAIR.notional_usd <= up_to_usd)!.major
        .default_bps,
    )
    const { leaf, ready } = of('live.session.trade')
    expect(ready).toBe(true)
    const lifetime = leaf!.expires - Math.floor(Date.now() / 1_000)
    expect(lifetime).toBeLessThanOrEqual(session.leaf_ttl_s)
    expect(of('live.submit').as_built).toBe(true)
  })
})

describe('prices', () => {
  it('of stats are per asset, at the reference size, against the mark', () => {
    const { prices, assets } = of('stats')
    expect(prices!.ref_size_usd).toBe(num('stats.ref_size_usd'))
    const { buy, sell, mark, mid, spread_bps } = assets!.find(({ symbol }) => symbol === 'ETH')!
    expect(spread_bps).toBeCloseTo(((buy!.price - sell!.price) / mid!) * 10_000, 0)
    // Negative when better for the trader: a cheaper purchase, a dearer sale.
    expect(buy!.vs_mark_bps).toBeCloseTo((buy!.price / mark! - 1) * 10_000, 0)
    expect(sell!.vs_mark_bps).toBeCloseTo((1 - sell!.price / mark!) * 10_000, 0)
  })

  it('of a quote rank its routes, gas included', () => {
    const { routes, best, gas_price_wei, eth_usd } = of('live.quote')
    const ok = routes.filter(({ ok }) => ok)
    expect(ok.length).toBeGreaterThan(0)
    for (const { gas, gas_usd, vs_mid_bps, total_bps } of ok) {
      expect(gas_usd).toBeCloseTo(((gas! * Number(gas_price_wei)) / 1e18) * eth_usd!, 4)
      // The cost: what is lost against the mid, and gas.
      expect(total_bps).toBeGreaterThanOrEqual(-vs_mid_bps! - 0.01)
    }
    expect(best!.id).toBe(ok[0]!.id)
  })

  it('of a simulation: the fee that its recipient receives, and gas', () => {
    const simulated = of('live.simulate')
    if (!('fee_paid' in simulated)) throw new Error('not the simulation of a trade')
    const { fee_paid, fee_transfer, fee_bps, fee_side, gas_usd, gas_total } = simulated
    expect(fee_side).toBe('input')
    const { amount_in } = of('live.quote')
    expect(Number(fee_paid)).toBeCloseTo((Number(amount_in) * fee_bps) / 10_000, -15)
    expect(fee_transfer).toBe(fee_paid)
    expect(gas_usd).toBeGreaterThan(0)
    expect(gas_total).toBeGreaterThan(21_000)
  })

  it('of fast mode: terms of this moment, and the profile’s maximum gas cost', () => {
    const { server_time, limits, deadline_s } = of('live.fast.terms')
    expect(Math.abs(server_time - Date.now() / 1_000)).toBeLessThan(120)
    expect(deadline_s).toBe(num('fast.deadline_max_s'))
    expect(Number(limits.max_cost_wei) / 1e18).toBe(num('fast.max_cost_eth'))
  })
})

describe('AI agents', () => {
  it('have a budget, a payer and a share', () => {
    const { budget_default_usd, budget_max_usd, strategy_max, app_fee_pct, funding } = of('hosted.ai')
    expect(budget_default_usd).toBeLessThanOrEqual(budget_max_usd)
    expect(strategy_max).toBeGreaterThan(0)
    expect(app_fee_pct).toBe(0)
    const { own, pool } = funding
    expect(own).toMatchObject({ connected: true, sub_hint: '…anna', today_usd: 0 })
    expect(Math.abs(own.connected_at! - Date.now() / 1_000)).toBeLessThan(600)
    expect(pool.pool_left_usd).toBeLessThanOrEqual(pool.pool_usd)
    expect(pool.owner_share_max_usd).toBe(Math.max(pool.live_share_usd, pool.trial_share_usd))
    expect(pool).toMatchObject({ trial_open: true, min_interval_s: num('hosted.ai_pool_interval_s') })
    expect(pool.trial_days).toBeGreaterThan(0)
    // It starts with the first call that the pool pays.
    if (pool.trial_until !== null) expect(pool.trial_until).toBeGreaterThan(Date.now() / 1_000)

    const spend = of('hosted.spend').ai
    expect(spend.budget_left_usd).toBeLessThanOrEqual(spend.budget_usd_day)
    const share = spend.pool!
    expect(share.share_left_usd).toBeCloseTo(share.share_usd - share.owner_used_usd, 6)
  })
})

describe('the league', () => {
  it('has a running season, a next one, and a reserve with its cap', () => {
    const { season, next_season, reserve, rules, now } = of('league')
    expect(season).toMatchObject({ state: 'open', days: num('league.season_days') })
    expect(season!.ends_at - season!.starts_at).toBe(num('league.season_days') * 86_400)
    expect(season!.seconds_left).toBe(season!.ends_at - now)
    expect(next_season).toMatchObject({ number: season!.number + 1, starts_at: season!.ends_at })
    expect(reserve).toMatchObject({ on: true, cap_usd: rules.prize_cap_usd })
    expect(BigInt(reserve.reserve_atoms!)).toBeGreaterThanOrEqual(0n)
    // By the newest block’s clock.
    expect(Math.abs(reserve.estimate!.mark_ts! - now)).toBeLessThan(60)
    expect(of('league.standings')).toMatchObject({ amounts_basis: 'estimate', entrants_next: 0 })
    expect(of('league.season')).toMatchObject({ settled_at: null, decided: false })
  })
})
