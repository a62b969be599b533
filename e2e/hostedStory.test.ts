import { setTimeout as sleep } from 'node:timers/promises'
import { replayBook } from '@pit/brains'
import type { Hex } from '@pit/chain'
import { describeInFull } from '@pit/platform/test/tier'
import { until } from '@pit/platform/test/until'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bringHome, costOf, done, grantTo, NATIVE } from './hosted/liveAgent.ts'
import { openWebhook, type Webhook } from './hosted/localWebhook.ts'
import { openParty, type Party } from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'
import { balanceOf, receiptOf } from './trading/trader.ts'

// Every brain trades: all seven on paper, one of each kind on chain. Devnet, signer and server as `npm start`
// runs them, the owner's webhook, and the stand-in for the AI gateway.

const ETH = 10n ** 18n
const GAS_WEI = 20_000_000_000_000_001n
const START_USD = 500
/** The live wallet holds its own ETH, which counts as a position. */
const LIMITS = { max_trade_usd: 20, max_day_usd: 60, max_position_usd: 10_000 }
const FIRST_TRADE_MS = 60_000

interface Agent {
  id: string
  brain: string
  executor: Hex
  status: string
  webhook_secret?: string
  last_trade: { tx_hash?: Hex } | null
  live_stats: { mined: number; pending: number } | null
  pnl: { start_usd: number; positions: { token: Hex; amount_atoms: string }[] } | null
}
interface LogRow {
  id: number
  kind: string
  code: string | null
  message: string
  fee_bps?: number
  data: Record<string, string> & { order?: { side: string }; brain?: Record<string, unknown> }
}

let world: SessionWorld
let webhook: Webhook
let startedMs: number
const GRANTED_BEFORE = expect.objectContaining({ rule: 'granted', ok: false })
const keyOf = (name: string): Hex => keccak256(stringToHex(`hosted story ${name}`))

beforeAll(async () => {
  // Buys once: its stored state is passed back to it.
  webhook = await openWebhook(({ state, market }) =>
    state?.['bought'] === true
      ? { orders: [], reason: 'once is enough' }
      : {
          orders: [{ pair: market.pairs[0]!.pair, side: 'buy', usd: 7.25, reason: 'the first delivery' }],
          reason: 'buys once',
          state: { bought: true },
        },
  )
  world = await openSessionWorld({
    server: { SEAL_KEY: '5e'.repeat(32), AI_POOL_KEY: 'pk-devnet-service' },
  })
  startedMs = Date.now()
  await world.devnet.rpc('devnet_vendor', [{ name: 'gateway', mode: 'eager' }])
})
afterAll(async () => {
  await world?.close()
  webhook?.close()
})

async function create(owner: Party, body: object): Promise<Agent> {
  const { status, body: agent } = await owner.post<Agent>('hosted', { limits: LIMITS, ...body })
  expect(status, JSON.stringify(agent.error)).toBe(201)
  if (agent.webhook_secret) webhook.knows(agent.id, agent.webhook_secret)
  return agent
}
const read = async (owner: Party, { id }: Pick<Agent, 'id'>) => (await owner.get<Agent>(`hosted/${id}`)).body
const rowsOf = async (owner: Party, { id }: Pick<Agent, 'id'>, kinds = '') =>
  (await owner.get<{ rows: LogRow[] }>(`hosted/${id}/logs?limit=200${kinds && `&kinds=${kinds}`}`)).body.rows

const logLines = (rows: readonly LogRow[]) =>
  rows.map(({ kind, code, message }) => `${kind} ${code}: ${message}`)

describe('live, one of each kind', () => {
  const agents: { agent: Agent; tx: Hex; session: string }[] = []
  let owner: Party
  beforeAll(async () => {
    owner = await openParty(world.server.url, keyOf('live'))
    await world.fund(owner.wallet, { wei: ETH, usdg: 500n * 10n ** 6n })
  })

  it.each([
    ['a rule', { brain: 'dca', params: { usd: 6 } }],
    ['a webhook', { brain: 'webhook', params: {} as Record<string, unknown> }],
    ['a model', { brain: 'partner_llm', params: { template: 'trend', max_orders: 1 } }],
  ])('%s trades on chain', async (_, { brain, params }) => {
    const agent = await create(owner, {
      brain,
      params: brain === 'webhook' ? { url: webhook.url } : params,
      interval_s: 3_600,
      pairs: ['ETH/USDG'],
      mode: 'live',
    })
    await world.fund(agent.executor, { wei: GAS_WEI })
    const session = await grantTo(world, owner, agent.executor, {
      tokens: ['ETH', 'USDG'],
      max_trade_usd: LIMITS.max_trade_usd,
      max_day_usd: LIMITS.max_day_usd,
      expires_in_s: 7_200,
    })
    await done(owner, `hosted/${agent.id}/session`, { session_id: session.session_id })
    const held = async () => ({
      usdg: await balanceOf(world.devnet, world.core('USDG'), owner.wallet),
      eth: await balanceOf(world.devnet, NATIVE, owner.wallet),
    })
    const before = await held()
    await done(owner, `hosted/${agent.id}/update`, { live: true })
    const traded = await until(
      async () => {
        const now = await read(owner, agent)
        return now.live_stats?.mined === 1 ? now : null
      },
      { withinMs: FIRST_TRADE_MS, everyMs: 400, said: async () => logLines(await rowsOf(owner, agent)) },
    )
    const tx = traded.last_trade!.tx_hash!
    expect(await receiptOf(world.devnet, tx)).toMatchObject({ status: '0x1' })
    const [row] = await rowsOf(owner, agent, 'trade')
    expect(row).toMatchObject({ fee_bps: 25, data: { tx_hash: tx, executor: agent.executor } })
    // The wallet pays with one token and gets the other; the executor pays the gas.
    const after = await held()
    const isBuy = row!.data.order!.side === 'buy'
    expect(after.usdg < before.usdg).toBe(isBuy)
    expect(after.eth > before.eth).toBe(isBuy)
    agents.push({ agent, tx, session: session.session_id })
  })

  it('do not obey a stolen key: steering one switches it off until its owner signs again', async () => {
    const refused = (code: string) => ({ status: 422, body: { error: { code } } })
    for (const [i, changes] of [
      { params: { usd: 6, side: 'sell' } },
      { params: { url: 'https://thief.example' } },
      null,
    ].entries()) {
      const { agent, session } = agents[i]!
      const ask = (path: string, body: object) => owner.post(`hosted/${agent.id}/${path}`, body)
      const outside = { pairs: ['PARTNER/USDG'], name: 'outside' }
      expect(await ask('update', outside)).toMatchObject(refused('OUTSIDE_SESSION'))
      expect(await ask('update', { ...outside, live: true })).toMatchObject(refused('OUTSIDE_SESSION'))
      expect(await read(owner, agent)).toMatchObject({ live: true, session_id: session, name: null })
      if (changes) {
        expect(await ask('update', { ...changes, live: true })).toMatchObject(refused('BAD_SESSION'))
        expect(await done(owner, `hosted/${agent.id}/update`, changes)).toMatchObject({
          detached: { session_id: session },
        })
      } else {
        const api_key = 'pk-devnet-user-thief'
        expect(await done(owner, 'hosted/ai/connect', { api_key })).toMatchObject({
          detached_agents: [agent.id],
        })
      }
      expect(await read(owner, agent)).toMatchObject({
        live: false,
        trading: false,
        session_id: null,
        pause_reason: { code: 'CHANGED' },
      })
      expect(await ask('session', { session_id: session })).toMatchObject({
        status: 422,
        body: { error: { code: 'BAD_SESSION', checks: expect.arrayContaining([GRANTED_BEFORE]) } },
      })
      expect(await ask('update', { live: true })).toMatchObject({
        status: 409,
        body: { error: { code: 'NO_SESSION' } },
      })
    }
  })

  it('are created once, with one executor, when the creation is repeated', async () => {
    const body = {
      client_id: 'story-1',
      ...{ brain: 'dca', params: { usd: 6 }, interval_s: 3_600, pairs: ['ETH/USDG'], mode: 'live' },
    }
    const made = await Promise.all([create(owner, body), create(owner, body), create(owner, body)])
    expect(new Set(made.map(({ id, executor }) => `${id} ${executor}`)).size).toBe(1)
    const other = await owner.post('hosted', { limits: LIMITS, ...body, interval_s: 3_601 })
    expect(other).toMatchObject({
      status: 400,
      body: { error: { code: 'BAD_REQUEST', field: 'client_id' } },
    })
  })

  it('are stopped, and the gas of each is refunded to the wei', async () => {
    expect(agents).toHaveLength(3)
    for (const { agent } of agents) {
      const stopped = await done<Agent & { session_revoke: { on_chain: unknown[] } }>(
        owner,
        `hosted/${agent.id}/stop`,
      )
      expect(stopped).toMatchObject({
        status: 'stopped',
        session_revoke: { sessions: [{ signer_revoked: true }] },
      })
    }
    for (const { agent, tx } of agents) {
      const { body } = await owner.get<{ refund: object }>(`hosted/${agent.id}/executor`)
      expect(body).toMatchObject({ refund: { available: true, why_not: null } })
      const refund = await bringHome(world, owner, agent)
      expect(BigInt(refund.balance_wei), 'left after its one trade').toBe(GAS_WEI - (await costOf(world, tx)))
      expect(await world.signer.client.executor(agent.executor)).toMatchObject({ closed: true })
    }
  })
})

describeInFull('on paper, one of every brain', () => {
  const agents: Agent[] = []
  let owner: Party
  beforeAll(async () => {
    owner = await openParty(world.server.url, keyOf('paper'))
  })

  it('trades within a minute', async () => {
    await twoMinutesOfMarks()
    // ETH rises and cbBTC falls, by less than the limit between a pool and its mark.
    const { prices } = await world.devnet.rpc<{ prices: Record<string, number> }>('devnet_market', [{}])
    await world.devnet.rpc('devnet_setFeed', ['ETH', { price: prices['ETH']! * 1.003 }])
    await world.devnet.rpc('devnet_setFeed', ['cbBTC', { price: prices['cbBTC']! * 0.997 }])
    const quick = { interval_s: 10, pairs: ['ETH/USDG'], paper_book: { usdg: START_USD } }
    const requests = [
      { ...quick, brain: 'dca', params: { usd: 5 } },
      { ...quick, brain: 'momentum', params: { lookback_s: 60, threshold_bps: 10, usd: 6 } },
      {
        ...quick,
        brain: 'mean_reversion',
        pairs: ['cbBTC/USDG'],
        params: { lookback_s: 120, min_points: 2, band_bps: 5, usd: 8 },
      },
      { ...quick, brain: 'grid', params: { start: 'filled', levels: 4, usd: 4 } },
      { ...quick, brain: 'rebalance', pairs: ['ETH/USDG', 'cbBTC/USDG'] },
      { ...quick, brain: 'webhook', params: { url: webhook.url } },
      {
        ...quick,
        brain: 'partner_llm',
        pairs: ['ETH/USDG', 'cbBTC/USDG', 'PARTNER/USDG', 'WETH/USDG'],
        interval_s: 900,
        params: { strategy: 'Trade\na little.', max_orders: 4 },
      },
    ]
    for (const body of requests) agents.push(await create(owner, { params: {}, ...body }))
    expect(new Set(agents.map(({ brain }) => brain)).size).toBe(7)
    await until(
      async () => {
        const traded = await Promise.all(agents.map((agent) => rowsOf(owner, agent, 'trade')))
        return traded.every((rows) => rows.length > 0) || null
      },
      {
        withinMs: FIRST_TRADE_MS,
        everyMs: 400,
        said: async () =>
          Object.fromEntries(
            await Promise.all(
              agents.map(async (agent) => [agent.brain, logLines(await rowsOf(owner, agent))]),
            ),
          ),
      },
    )
    expect(webhook.refused).toEqual([])
    // From at least two agents, and the same delivery never leads to a second decision.
    expect(new Set(webhook.taken.map(({ agent }) => agent.id)).size).toBe(2)
  })

  it('is accounted for: every book equals its start plus the trades of its log, to the atom', async () => {
    for (const agent of agents) await done(owner, `hosted/${agent.id}/pause`)
    // Orders that were being filled at the pause are finished.
    await sleep(3_000)
    const usdg = world.core('USDG')
    const addressOf = (token: string) => (token === 'ETH' ? NATIVE : world.core(token))
    for (const agent of agents) {
      const trades = (await rowsOf(owner, agent, 'trade')).reverse()
      const held = replayBook(
        BigInt(START_USD) * 10n ** 6n,
        trades.map(({ data }) => ({
          tokenIn: addressOf(data['token_in']!),
          tokenOut: addressOf(data['token_out']!),
          amountIn: BigInt(data['amount_in']!),
          amountOut: BigInt(data['amount_out']!),
          gasUsdgAtoms: BigInt(data['gas_usdg_atoms']!),
        })),
        usdg,
      )
      const { pnl } = await read(owner, agent)
      const stored = new Map(pnl!.positions.map(({ token, amount_atoms }) => [token, BigInt(amount_atoms)]))
      expect([...stored].sort(), agent.brain).toEqual([...held].sort())
      expect(held.get(usdg), agent.brain).toBeLessThan(BigInt(START_USD) * 10n ** 6n)
    }
  })

  it('shows the cost of its model, and who paid', async () => {
    const { body } = await owner.get<{ ai: { today: { usd: number; calls: number } }; rows: object[] }>(
      `hosted/${agents.at(-1)!.id}/spend`,
    )
    expect(body).toMatchObject({ ai: { today: { calls: 1 } }, rows: [{ source: 'pool', status: 'ok' }] })
    expect(body.ai.today.usd).toBeGreaterThan(0)
  })

  /** A rule that looks back a minute needs a mark of that time: the server wrote its first one at start. */
  async function twoMinutesOfMarks(): Promise<void> {
    const upMs = Date.now() - startedMs
    const minuteLeftMs = 60_000 - (startedMs % 60_000)
    await sleep(Math.max(0, minuteLeftMs + 2_000 - upMs))
  }
})
