import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { keccak256, stringToHex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { openParty, type SessionTrade } from '../../e2e/session/party.ts'
import type { SessionWorld } from '../../e2e/session/world.ts'
import { openTrader, type Plan, receiptOf, type Trader } from '../../e2e/trading/trader.ts'
import { grantSession } from '../trade/grantSession.ts'
import { post } from '../trade/measure.ts'

export interface Clients {
  /** Durations since the previous call of this function, by name, in milliseconds. */
  take(): Map<string, number[]>
  /** Refusals and failures so far, by code. */
  refused: Record<string, number>
  trades(): { sent: number; mined: number; failed: number }
  stop(): Promise<void>
}

const ETH = 10n ** 18n
const keyOf = (name: string): Hex => keccak256(stringToHex(`soak ${name}`))
const READS = [
  'config',
  'stats',
  'tokens?limit=20',
  'me/portfolio',
  'me/trades',
  'auth/me',
  'treasury',
  'league',
]
const PAIRS = [
  ['ETH', 'USDG'],
  ['USDG', 'cbBTC'],
  ['ETH', 'cbBTC'],
  ['PARTNER', 'USDG'],
]

/** Clients of every kind, each at its own pace, until they are stopped. */
export async function startClients(world: SessionWorld, scale: number): Promise<Clients> {
  const { server, devnet } = world
  const base = `${server.url}/api/v1`
  let times = new Map<string, number[]>()
  const refused: Record<string, number> = {}
  const count = { sent: 0, mined: 0, failed: 0 }
  let isStopped = false

  const traders = await Promise.all([1, 2].map((account) => openTrader(server.url, { account })))
  const session = await openSession(world)

  async function timed<T>(name: string, path: string, key: string, body: object): Promise<T | null> {
    const answer = await post<T & { error?: { code: string } }>(`${base}/${path}`, body, {
      authorization: `Bearer ${key}`,
    })
    times.set(name, [...(times.get(name) ?? []), answer.ms])
    if (answer.status === 200) return answer.body
    const code = answer.body.error?.code ?? String(answer.status)
    refused[`${name} ${code}`] = (refused[`${name} ${code}`] ?? 0) + 1
    return null
  }

  /** One after another, each at its own time; a late one does not delay others. */
  async function every(ms: number, name: string, work: (turn: number) => Promise<unknown>): Promise<void> {
    for (let turn = 0, nextMs = performance.now(); !isStopped; turn++) {
      await work(turn).catch((error: Error) => {
        const what = `${name}: ${error.message.slice(0, 80)}`
        refused[what] = (refused[what] ?? 0) + 1
      })
      nextMs = Math.max(nextMs + ms / scale, performance.now())
      await sleep(nextMs - performance.now())
    }
  }

  async function follow(hash: Hex): Promise<void> {
    count.sent += 1
    const { status } = await receiptOf(devnet, hash, 30_000)
    count[status === '0x1' ? 'mined' : 'failed'] += 1
  }

  async function trade(trader: Trader, turn: number): Promise<void> {
    // Both directions, so that the price stays where it is.
    const [token_in, token_out] = turn % 2 === 0 ? ['ETH', 'USDG'] : ['USDG', 'ETH']
    const request = { wallet: trader.wallet, token_in, token_out, notional_usd: 5 }
    const first = await timed<Plan>('prepare', 'live/prepare', trader.key, request)
    if (first === null) return
    const { body: plan } = first.ready ? { body: first } : await trader.plan(request)
    for (const { tx } of plan.steps) {
      if (tx === null) continue
      const { raw, hash } = trader.sign(tx)
      if (await timed('submit', 'live/submit', trader.key, { raw_tx: raw })) await follow(hash)
    }
  }

  async function tradeInSession(): Promise<void> {
    const { owner, executor, id } = session
    const request = { session_id: id, token_in: 'ETH', token_out: 'USDG', notional_usd: 2 }
    const answer = await timed<SessionTrade>('session trade', 'live/session/trade', owner.key, request)
    if (!answer?.ready) return
    const raw = await executor.signTx(answer.tx!)
    if (await timed('submit', 'live/submit', owner.key, { raw_tx: raw })) await follow(keccak256(raw))
  }

  const running = [
    every(100, 'read', async (turn) => {
      const path = READS[turn % READS.length]!
      const startedAt = performance.now()
      const { status } = await traders[0]!.get(path)
      times.set('read', [...(times.get('read') ?? []), performance.now() - startedAt])
      if (status !== 200) refused[`${path} ${status}`] = (refused[`${path} ${status}`] ?? 0) + 1
    }),
    every(250, 'quote', (turn) => {
      const [token_in, token_out] = PAIRS[turn % PAIRS.length]!
      return timed('quote', 'live/quote', traders[1]!.key, { token_in, token_out, notional_usd: 25 })
    }),
    ...traders.map((trader) => every(2_000, 'trade', (turn) => trade(trader, turn))),
    every(4_000, 'session trade', tradeInSession),
    // A new wallet over a new connection.
    every(5_000, 'sign in', async () => {
      const { get } = await openTrader(server.url, { privateKey: generatePrivateKey() })
      await get('auth/me')
    }),
  ]
  return {
    take() {
      const durations = times
      times = new Map()
      return durations
    },
    refused,
    trades: () => ({ ...count }),
    async stop() {
      isStopped = true
      await Promise.all(running)
    },
  }
}

async function openSession(world: SessionWorld) {
  const owner = await openParty(world.server.url, keyOf('owner'))
  const executor = await openParty(world.server.url, keyOf('executor'))
  for (const { wallet } of [owner, executor]) await world.fund(wallet, { wei: 1_000n * ETH })
  return { owner, executor, id: await grantSession(owner, executor.wallet) }
}
