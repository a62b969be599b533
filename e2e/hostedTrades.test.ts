import { createHmac } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { openDb } from '@pit/platform/db'
import { newDataDirectory } from '@pit/platform/test/embeddedStore'
import { keccak256, stringToHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { replayBook } from '../packages/server/src/features/paper/index.ts'
import { migrateStore } from '../packages/server/src/migrateStore.ts'
import { openParty, type Party, signaturesFor, startGrant } from './session/party.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'
import { balanceOf, receiptOf } from './trading/trader.ts'

// Agents of every brain trade: on paper at real quotes, live on the chain with the real signer.

const ETH = 10n ** 18n
const USD = 10n ** 6n
const NATIVE = `0x${'0'.repeat(40)}` as Hex
/** Longer than a minute only for a machine that others keep busy. */
const PATIENCE_MS = 180_000
const LIMITS = { max_trade_usd: 50, max_day_usd: 200, max_position_usd: 10_000 }
/** The stand-in does as its prompt says: its own mind would find a reason to sell. */
const TOLD = JSON.stringify({
  orders: [{ pair: 'ETH/USDG', side: 'buy', usd: 13, reason: 'told so' }],
  reason: 'told',
})
const MARKS = {
  momentum: { lookback_s: 600, threshold_bps: 1 },
  mean_reversion: { lookback_s: 14_400, band_bps: 1 },
}

interface Agent {
  id: string
  executor: Hex
  status: string
  webhook_secret?: string
  pnl: { start_usd: number; equity_usd: number; positions: { token: Hex; amount_atoms: string }[] } | null
  live_stats: { mined: number; pending: number } | null
  [more: string]: unknown
}
interface Row {
  kind: string
  code: string | null
  message: string
  fee_bps?: number
  data: Record<string, string> & { order: { pair: string; side: 'buy' | 'sell' } }
}

let world: SessionWorld
let owner: Party
let dataDir: string
let hook: Server
let hookUrl: string
const deliveries: { body: string; headers: Record<string, unknown> }[] = []

beforeAll(async () => {
  dataDir = await newDataDirectory()
  await seedMarks(dataDir)
  hook = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      deliveries.push({ body, headers: request.headers })
      const order = { pair: 'ETH/USDG', side: 'buy', usd: 11, reason: 'the hook says so' }
      response.end(JSON.stringify({ orders: [order], reason: 'asked' }))
    })
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/tick`
  world = await openSessionWorld({
    server: { DATA_DIR: dataDir, SEAL_KEY: 'ab'.repeat(32), AI_POOL_KEY: 'pk-devnet-service' },
  })
  await world.devnet.rpc('devnet_vendor', [{ name: 'gateway', mode: 'obedient' }])
  owner = await openParty(world.server.url, keccak256(stringToHex('hosted trades owner')))
  await world.fund(owner.wallet, { wei: ETH, usdg: 1_000n * USD })
})
afterAll(async () => {
  await world?.close()
  hook?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** What ETH was worth before the server started: high for hours, low of late. Whoever looks back finds a reason. */
async function seedMarks(folder: string): Promise<void> {
  const db = await openDb({ dataDir: folder, databaseUrl: null })
  await migrateStore(db)
  await db.query(
    `insert into marks (token, minute_s, price_e18, source, block, updated_at_s, stale)
     select $1, $2::int8 / 60 * 60 - n * 60,
       case when n > 30 then 30000::numeric else 1000::numeric end * 1000000000000000000, 'oracle_feed', 1, 1, false
     from generate_series(1, 240) as n`,
    [NATIVE, Math.floor(Date.now() / 1_000)],
  )
  await db.close()
}

async function done<T>(path: string, body: object = {}): Promise<T> {
  const answer = await owner.post<T & object>(path, body)
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body as T
}
const make = (brain: string, params: object, more: object = {}) =>
  done<Agent>('hosted', { brain, params, interval_s: 60, pairs: ['ETH/USDG'], limits: LIMITS, ...more })
const rowsOf = async (id: string, kinds: string): Promise<Row[]> =>
  (await owner.get<{ rows: Row[] }>(`hosted/${id}/logs?limit=200&kinds=${kinds}`)).body.rows
const detailOf = async (id: string) => (await owner.get<Agent>(`hosted/${id}`)).body

/** The agent's first trade; fails with what it logged instead. */
async function firstTrade(id: string): Promise<Row> {
  for (const untilMs = Date.now() + PATIENCE_MS; ; await sleep(500)) {
    const trade = (await rowsOf(id, 'trade')).at(-1)
    if (trade) return trade
    if (Date.now() > untilMs) {
      const rows = await rowsOf(id, 'decision,hold,error,session')
      expect.fail(`no trade: ${JSON.stringify(rows.map(({ kind, code, message }) => [kind, code, message]))}`)
    }
  }
}

describe('a paper agent of every brain', () => {
  it(
    'trades at once, and its book is what its log says',
    async () => {
      const agents = {
        dca: await make('dca', { usd: 10 }),
        momentum: await make('momentum', MARKS.momentum),
        mean_reversion: await make('mean_reversion', MARKS.mean_reversion),
        grid: await make('grid', { usd: 5, start: 'filled' }),
        rebalance: await make('rebalance', { weights: { ETH: 40 } }),
        webhook: await make('webhook', { url: hookUrl }),
        partner_llm: await make(
          'partner_llm',
          { strategy: TOLD, model: 'partner/nano' },
          { interval_s: 900 },
        ),
      }
      for (const [brain, { id }] of Object.entries(agents)) {
        const trade = await firstTrade(id)
        expect(trade, brain).toMatchObject({ kind: 'trade', fee_bps: 25, data: { paper: true } })
        expect(trade.data.order).toMatchObject({ pair: 'ETH/USDG', side: 'buy' })
        await done(`hosted/${id}/pause`)
        await sleep(1_000)
        await replays(id)
      }
      const { body, headers } = deliveries.find(({ body: text }) => text.includes(agents.webhook.id))!
      const signed = `${headers['x-pit-timestamp']}.${body}`
      const signature = createHmac('sha256', agents.webhook.webhook_secret!).update(signed).digest('hex')
      expect(headers['x-pit-signature']).toBe(`v1=${signature}`)
      const { body: spend } = await owner.get<{ rows: { status: string; cost_usd: number }[] }>(
        `hosted/${agents.partner_llm.id}/spend`,
      )
      expect(spend.rows[0]).toMatchObject({ status: 'ok', source: 'pool' })
      expect(spend.rows[0]!.cost_usd).toBeGreaterThan(0)
    },
    7 * PATIENCE_MS,
  )

  async function replays(id: string): Promise<void> {
    const addressOf = (name: string): Hex => (name === 'ETH' ? NATIVE : world.core(name))
    const fills = (await rowsOf(id, 'trade')).reverse().map(({ data }) => ({
      tokenIn: addressOf(data['token_in']!),
      tokenOut: addressOf(data['token_out']!),
      amountIn: BigInt(data['amount_in']!),
      amountOut: BigInt(data['amount_out']!),
      gasUsdgAtoms: BigInt(data['gas_usdg_atoms']!),
    }))
    const { pnl } = await detailOf(id)
    const shown = new Map(pnl!.positions.map(({ token, amount_atoms }) => [token, BigInt(amount_atoms)]))
    expect(shown).toEqual(replayBook(BigInt(pnl!.start_usd) * USD, fills, world.core('USDG')))
  }
})

describe('a live agent', () => {
  it.each([
    ['a rule brain', 'dca', () => ({ usd: 12 }), 12],
    ['a webhook', 'webhook', () => ({ url: hookUrl }), 11],
    ['a model', 'partner_llm', () => ({ strategy: TOLD, model: 'partner/nano', funding: 'own' }), 13],
  ])(
    'of %s trades on chain, in its session, and stops',
    async (_, brain, params, usd) => {
      const isModel = brain === 'partner_llm'
      // Pool credits pay a live agent only once its wallet has traded enough: this one has a key of its own.
      if (isModel) await done('hosted/ai/connect', { api_key: 'pk-devnet-user-hosted-trades' })
      const agent = await make(brain, params(), {
        mode: 'live',
        limits: { ...LIMITS, max_day_usd: 60 },
        ...(isModel && { interval_s: 300 }),
      })
      await world.fund(agent.executor, { wei: ETH / 20n })
      const { body } = await startGrant(owner, agent.executor, {
        tokens: ['ETH', 'USDG'],
        max_trade_usd: 50,
        max_day_usd: 60,
        expires_in_s: 7_200,
      })
      expect(body.error).toBeUndefined()
      for (const { tx } of body.setup) {
        const sent = await done<{ tx_hash: Hex }>('live/submit', {
          raw_tx: await owner.signTx({ ...tx, type: 2 }),
        })
        expect((await receiptOf(world.devnet, sent.tx_hash)).status).toBe('0x1')
      }
      await done('live/session/grant', await signaturesFor(owner, body))
      await done(`hosted/${agent.id}/session`, { session_id: body.session_id })
      const before = await balanceOf(world.devnet, world.core('USDG'), owner.wallet)
      await done(`hosted/${agent.id}/update`, { live: true })

      const trade = await firstTrade(agent.id)
      const { tx_hash: hash, amount_in: amountIn } = trade.data
      expect(trade).toMatchObject({
        fee_bps: 25,
        data: { session_id: body.session_id, executor: agent.executor },
      })
      expect((await receiptOf(world.devnet, hash as Hex)).status).toBe('0x1')
      await done(`hosted/${agent.id}/pause`)
      expect(before - (await balanceOf(world.devnet, world.core('USDG'), owner.wallet))).toBe(
        BigInt(amountIn!),
      )
      expect(Number(amountIn) / 1e6).toBeCloseTo(usd, 0)
      await expect
        .poll(async () => (await detailOf(agent.id)).live_stats, { timeout: PATIENCE_MS, interval: 500 })
        .toMatchObject({ mined: 1, pending: 0 })
      const mine = await owner.get<{ trades: { path: string; tx_hash: Hex; status: string }[] }>('me/trades')
      expect(mine.body.trades.find(({ tx_hash }) => tx_hash === hash)).toMatchObject({
        path: 'hosted',
        status: 'mined',
        session_id: body.session_id,
      })
      // Stopped, nothing of it trades again.
      expect(await done<Agent>(`hosted/${agent.id}/stop`)).toMatchObject({ status: 'stopped' })
      const used = await owner.post<object>('live/session/trade', {
        session_id: body.session_id,
        token_in: 'USDG',
        token_out: 'ETH',
        notional_usd: 5,
      })
      expect(used.body.error?.code).toBe('SESSION_REVOKED')
    },
    2 * PATIENCE_MS,
  )
})
