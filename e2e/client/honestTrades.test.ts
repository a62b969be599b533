import { createClient, fromViem, isRefusal, type PitClient, rpcAt } from '@pit/client'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from '../fuzz/random.ts'
import { openRandomMarket, type RandomMarket, type Wallet } from '../randomPlans/market.ts'
import { type Ask, drawRequest } from '../randomPlans/request.ts'
import { MNEMONIC } from '../trading/trader.ts'
import { openTradingWorld, type TradingWorld } from '../trading/world.ts'

// Honest trades of every kind in a moving market: the client refuses none of them. A thousand by hand:
// HONEST_TRADES=1000 npx vitest run --project e2e e2e/client/honestTrades.test.ts

const TRADES = Number(process.env['HONEST_TRADES'] ?? 20)
const SEED = Number(process.env['SEED'] ?? 16)

let world: TradingWorld
let market: RandomMarket
beforeAll(async () => {
  world = await openTradingWorld({ devnet: { MARKET: 'on', MARKET_RATE: '10' } })
  market = await openRandomMarket(world)
  await world.devnet.rpc('devnet_market', [{ on: true }])
})
afterAll(() => world?.close())

const clients = new Map<Wallet, PitClient>()
async function clientOf(wallet: Wallet): Promise<PitClient> {
  const openClient = clients.get(wallet)
  if (openClient) return openClient
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: market.wallets.indexOf(wallet) + 1 })
  const { profile, server, devnet } = world
  const rpc = rpcAt(devnet.url)
  const client = createClient({
    url: server.url,
    domain: 'localhost',
    profile,
    account: fromViem(account),
    rpc,
  })
  await client.signIn()
  clients.set(wallet, client)
  return client
}

it(
  `${TRADES} honest trades of all kinds are refused only by the server`,
  async () => {
    const random = createRandom(SEED)
    const ends = new Map<string, number>()
    const kinds = new Map<string, number>()
    const refused: string[] = []
    for (let i = 0; i < TRADES; i++) {
      const wallet = random.pick(market.wallets)
      const request = await drawRequest(random, market, wallet)
      if (i % 2 === 1) acceptOnlyDisclosures(request)
      const end = await tradeOnce(await clientOf(wallet), wallet, request)
      ends.set(end.name, (ends.get(end.name) ?? 0) + 1)
      if (end.name === 'mined') kinds.set(request.kind, (kinds.get(request.kind) ?? 0) + 1)
      if (end.fault) refused.push(`${i} ${request.kind} ${JSON.stringify(request.body)}: ${end.fault}`)
      if (end.fault) console.log(refused.at(-1))
    }
    console.log(
      `${TRADES} trades (seed ${SEED})`,
      Object.fromEntries([...ends].sort()),
      Object.fromEntries(kinds),
    )
    expect(refused).toEqual([])
    expect(ends.get('mined') ?? 0).toBeGreaterThan(TRADES / 2)
  },
  120_000 + TRADES * 5_000,
)

/** Risks that the client examines itself: an honest server discloses them, and so refuses first. */
const PROVED_BY_CLIENT = new Set(['HONEYPOT', 'SELL_TAX', 'BUY_TAX', 'NO_REFERENCE'])

function acceptOnlyDisclosures({ body }: Ask): void {
  const accepted = body['accept_risks'] as readonly string[]
  body['accept_risks'] = accepted.filter((code) => !PROVED_BY_CLIENT.has(code))
}

/** Mined; refused by the server with its code; or, which is a fault, refused by the client. */
async function tradeOnce(
  client: PitClient,
  wallet: Wallet,
  { body: { wallet: _, ...body }, tokenIn, tokenOut, usd }: Ask,
): Promise<{ name: string; fault?: string }> {
  try {
    await client.trade(body as unknown as Parameters<PitClient['trade']>[0])
    wallet.held.set(tokenOut.address, {
      coin: tokenOut,
      usd: (wallet.held.get(tokenOut.address)?.usd ?? 0) + usd * 0.8,
    })
    const left = (wallet.held.get(tokenIn.address)?.usd ?? 0) - usd
    if (left > 0) wallet.held.set(tokenIn.address, { coin: tokenIn, usd: left })
    else wallet.held.delete(tokenIn.address)
    return { name: 'mined' }
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (error.status !== undefined) return { name: `server: ${error.code}` }
    // Normal market and wallet events: another trade came first, or there is nothing left to sell.
    if (error.code === 'TX_REVERTED') return { name: error.code }
    if (error.code === 'INSUFFICIENT_FUNDS') return { name: error.code }
    const fault = `${error.rule ?? error.code}: ${error.message} ${JSON.stringify(error.details).slice(0, 300)}`
    return { name: `client: ${error.rule ?? error.code}`, fault }
  }
}
