import type { Hex } from '@pit/chain'
import autocannon from 'autocannon'
import { keccak256, numberToHex, stringToHex } from 'viem'
import { openParty, type Party, type SessionTrade } from '../../e2e/session/party.ts'
import { openTrader, type Plan, receiptOf, type Trader } from '../../e2e/trading/trader.ts'
import { grantSession } from '../trade/grantSession.ts'
import { closedLoop, type Load, type Ran } from './climb.ts'
import { followBlocks } from './mined.ts'
import { ask, codeOf, growTo, type LimitsWorld, urlFor } from './world.ts'

const ETH = 10n ** 18n
/** Small, because all of them push the price in the same direction. */
const TRADE = { token_in: 'ETH', token_out: 'USDG', amount_in: (ETH / 1_000n).toString() }
const QUOTES = [
  ['ETH', 'USDG'],
  ['USDG', 'cbBTC'],
  ['ETH', 'cbBTC'],
]
const READS = ['config', 'auth/me', 'tokens?limit=20']
const KEYS = 8
const keyOf = (name: string): Hex => keccak256(stringToHex(`limits ${name}`))

const reads = (world: LimitsWorld): Load => {
  const traders: Trader[] = []
  return {
    name: 'reads',
    prepare: () =>
      growTo(traders, KEYS, (i) => openTrader(urlFor(world, i), { privateKey: keyOf(`read ${i}`) })),
    async run(connections, duration) {
      const ms: number[] = []
      const refused: Record<string, number> = {}
      const note = (code: string, n: number) => {
        refused[code] = (refused[code] ?? 0) + n
      }
      const startedAt = performance.now()
      const running = autocannon({
        ...{ url: world.urls, connections, duration },
        requests: traders.flatMap(({ key }) =>
          READS.map((path) => ({ path: `/api/v1/${path}`, headers: { authorization: `Bearer ${key}` } })),
        ),
      })
      running.on('response', (_client, status, _bytes, took) => {
        if (status === 200) ms.push(took)
        else note(`HTTP ${status}`, 1)
      })
      const { errors } = await running
      if (errors > 0) note('closed connections', errors)
      return { done: ms.length, seconds: (performance.now() - startedAt) / 1_000, ms, refused }
    },
  }
}

const quotes = (world: LimitsWorld): Load => {
  const traders: Trader[] = []
  let turn = 0
  return {
    name: 'quotes',
    prepare: () =>
      growTo(traders, KEYS, (i) => openTrader(urlFor(world, i), { privateKey: keyOf(`quote ${i}`) })),
    run: (clients, seconds) =>
      closedLoop(clients, seconds, async (client) => {
        const [token_in, token_out] = QUOTES[turn++ % QUOTES.length]!
        const { key } = traders[client % KEYS]!
        return codeOf(
          await ask(urlFor(world, client), 'live/quote', key, { token_in, token_out, notional_usd: 25 }),
        )
      }),
  }
}

/** Rounds that end with relayed bytes; each is counted once it is in a block. */
async function runMined(
  { devnet }: LimitsWorld,
  loop: { clients: number; seconds: number },
  round: (client: number) => Promise<{ hash: Hex } | { code: string }>,
): Promise<Ran> {
  const blocks = await followBlocks(devnet)
  try {
    const hashes: Hex[] = []
    const startedAt = performance.now()
    const ran = await closedLoop(loop.clients, loop.seconds, async (client) => {
      const said = await round(client)
      if ('code' in said) return said.code
      hashes.push(said.hash)
      return null
    })
    const { mined, lastAt } = await blocks.untilMined(hashes)
    return {
      ...ran,
      done: mined,
      seconds: mined === 0 ? ran.seconds : (lastAt - startedAt) / 1_000,
      async failedLater() {
        const reverted = await blocks.countReverted(hashes)
        const lost = hashes.length - mined
        return { ...(reverted > 0 && { reverted }), ...(lost > 0 && { 'not mined': lost }) }
      },
    }
  } finally {
    await blocks.stop()
  }
}

const pendingNonce = async ({ devnet }: LimitsWorld, wallet: Hex): Promise<number> =>
  Number(await devnet.rpc<Hex>('eth_getTransactionCount', [wallet, 'pending']))
const fund = ({ devnet }: LimitsWorld, wallet: Hex): Promise<unknown> =>
  devnet.rpc('hardhat_setBalance', [wallet, numberToHex(1_000n * ETH)])

const trades = (world: LimitsWorld): Load => {
  /** Wallets that choose their nonces themselves, so that none waits for its previous transaction. */
  const wallets: { trader: Trader; nonce: number }[] = []
  return {
    name: 'trades',
    prepare: (clients) =>
      growTo(wallets, clients, async (i) => {
        const trader = await openTrader(urlFor(world, i), { privateKey: keyOf(`trade ${i}`) })
        await fund(world, trader.wallet)
        return { trader, nonce: 0 }
      }),
    run: (clients, seconds) =>
      runMined(world, { clients, seconds }, async (client) => {
        const mine = wallets[client]!
        const { trader } = mine
        const url = urlFor(world, client)
        const plan = await ask<Plan>(url, 'live/prepare', trader.key, { wallet: trader.wallet, ...TRADE })
        if (plan.status !== 200) return { code: `prepare ${codeOf(plan)}` }
        if (!plan.body.ready) return { code: 'not ready' }
        const { raw, hash } = trader.sign(plan.body.tx!, { nonce: mine.nonce })
        const sent = await ask(url, 'live/submit', trader.key, { raw_tx: raw })
        if (sent.status !== 200) {
          mine.nonce = await pendingNonce(world, trader.wallet)
          return { code: `submit ${codeOf(sent)}` }
        }
        mine.nonce += 1
        return { hash }
      }),
  }
}

const sessionTrades = (world: LimitsWorld): Load => {
  const sessions: { owner: Party; executor: Party; id: string; nonce: number }[] = []
  return {
    name: 'session-trades',
    prepare: (clients) =>
      growTo(sessions, clients, async (i) => {
        const opened = await openSession(world, i)
        return { ...opened, nonce: await pendingNonce(world, opened.executor.wallet) }
      }),
    run: (clients, seconds) =>
      runMined(world, { clients, seconds }, async (client) => {
        const mine = sessions[client]!
        const { owner, executor, id } = mine
        const url = urlFor(world, client)
        const trade = await ask<SessionTrade>(url, 'live/session/trade', owner.key, {
          session_id: id,
          ...TRADE,
        })
        if (trade.status !== 200) return { code: `trade ${codeOf(trade)}` }
        if (!trade.body.ready) return { code: 'not ready' }
        const raw = await executor.signTx(trade.body.tx!, { nonce: mine.nonce })
        const sent = await ask(url, 'live/submit', owner.key, { raw_tx: raw })
        if (sent.status !== 200) {
          mine.nonce = await pendingNonce(world, executor.wallet)
          return { code: `submit ${codeOf(sent)}` }
        }
        mine.nonce += 1
        return { hash: keccak256(raw) }
      }),
  }
}

/** A session whose wallet already has its code, which its first trade set. */
async function openSession(world: LimitsWorld, i: number) {
  const url = urlFor(world, i)
  const owner = await openParty(url, keyOf(`owner ${i}`))
  const executor = await openParty(url, keyOf(`executor ${i}`))
  for (const { wallet } of [owner, executor]) await fund(world, wallet)
  const id = await grantSession(owner, executor.wallet)
  const first = await owner.post<SessionTrade>('live/session/trade', { session_id: id, ...TRADE })
  if (!first.body.ready) throw new Error(JSON.stringify(first.body.error ?? first.body.simulation))
  const raw = await executor.signTx(first.body.tx!)
  const sent = await owner.post('live/submit', { raw_tx: raw })
  if (sent.status !== 200) throw new Error(JSON.stringify(sent.body.error))
  await receiptOf(world.devnet, keccak256(raw))
  return { owner, executor, id }
}

export const HTTP_LOADS: Record<string, (world: LimitsWorld) => Load> = {
  reads,
  quotes,
  trades,
  'session-trades': sessionTrades,
}
