import { type Hex, readSwap } from '@pit/chain'
import { type Account, createClient, fromViem, isRefusal, rpcAt, type TradeAsk } from '@pit/client'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MNEMONIC } from '../trading/trader.ts'
import { openTradingWorld, type TradingWorld } from '../trading/world.ts'
import { type Json, lie, randomOf } from './lies.ts'

const LIES = Number(process.env['CLIENT_LIES'] ?? 60)
const SEED = Number(process.env['SEED'] ?? 7)
const DOMAIN = 'pit.test'
/** Plans are recorded anew before their deadline passes. */
const FRESH_MS = 60_000

let world: TradingWorld
beforeAll(async () => {
  world = await openTradingWorld({ server: { AUTH_DOMAIN: DOMAIN } })
})
afterAll(() => world?.close())

/** The submission goes nowhere: what was signed is all that is looked at. */
const notPassedOn = () => Response.json({ error: { code: 'X', message: 'no', retry: 'no' } }, { status: 500 })
type Transaction = Parameters<Account['signTransaction']>[0]
interface Recorded {
  answers: Map<string, Json[]>
  signed: Transaction[]
  typed: string[]
  atMs: number
}

const asks: [string, TradeAsk][] = [
  ['ETH to USDG', { token_in: 'ETH', token_out: 'USDG', amount_in: '9000000000000000' }],
  ['USDG to ETH, by permit', { token_in: 'USDG', token_out: 'ETH', notional_usd: 20 }],
  ['USDG to NVDA', { token_in: 'USDG', token_out: 'NVDA', notional_usd: 20, owner_attests_non_us: true }],
]

/** Trades through a fetch that may change answers, with an account that notes what it is asked to sign. */
async function run(ask: TradeAsk, apiKey: string, send: typeof fetch) {
  const real = fromViem(mnemonicToAccount(MNEMONIC, { addressIndex: 4 }))
  const signed: Transaction[] = []
  const typed: string[] = []
  const account: Account = {
    ...real,
    async signTransaction(transaction) {
      signed.push(transaction)
      const raw = await real.signTransaction(transaction)
      return raw
    },
    async signTypedData(data) {
      typed.push(JSON.stringify(data, (_, v) => (typeof v === 'bigint' ? v.toString() : v)))
      return real.signTypedData(data)
    },
  }
  const client = createClient({
    url: world.server.url,
    domain: DOMAIN,
    profile: world.profile,
    account,
    apiKey,
    rpc: rpcAt(world.devnet.url),
    fetch: send,
    maxTries: 1,
  })
  const error = await client.trade(ask).then(
    () => null,
    (e: unknown) => e,
  )
  return { error, signed, typed }
}

/** Answers of an honest server, with nothing sent: the submission is never passed on. */
async function record(ask: TradeAsk, apiKey: string): Promise<Recorded> {
  const answers = new Map<string, Json[]>()
  const { error, signed, typed } = await run(ask, apiKey, async (url, init) => {
    const path = new URL(String(url)).pathname
    if (path.endsWith('/live/submit')) return notPassedOn()
    const response = await fetch(url, init)
    const body = (await response.clone().json()) as Json
    answers.set(path, [...(answers.get(path) ?? []), body])
    return response
  }).catch((e: unknown) => ({ error: e, signed: [], typed: [] }))
  if (signed.length === 0) throw new Error(`an honest plan was refused: ${String(error)}`)
  return { answers, signed, typed, atMs: Date.now() }
}

it.each(asks)('%s: nothing is signed that differs in effect from what was asked', async (_, ask) => {
  const random = randomOf(SEED)
  const honestClient = createClient({
    url: world.server.url,
    domain: DOMAIN,
    profile: world.profile,
    account: fromViem(mnemonicToAccount(MNEMONIC, { addressIndex: 4 })),
    rpc: rpcAt(world.devnet.url),
  })
  const { api_key } = await honestClient.signIn()
  let honest = await record(ask, api_key)
  const outcomes = new Map<string, number>()
  for (let i = 0; i < LIES; i++) {
    if (Date.now() - honest.atMs > FRESH_MS) honest = await record(ask, api_key)
    const paths = [...honest.answers].flatMap(([path, list]) => list.map((_, at) => ({ path, at })))
    const plans = paths.filter(({ path }) => path.endsWith('/live/prepare'))
    const target = random(10) === 0 ? paths[random(paths.length)]! : plans[random(plans.length)]!
    const told = lie(honest.answers.get(target.path)![target.at]!, random)
    const seen = new Map<string, number>()
    const { error, signed, typed } = await run(ask, api_key, async (url) => {
      const { pathname } = new URL(String(url))
      const at = seen.get(pathname) ?? 0
      seen.set(pathname, at + 1)
      const isLie = pathname === target.path && at === target.at
      const body = isLie ? told.answer : honest.answers.get(pathname)?.[at]
      if (pathname.endsWith('/live/submit')) return notPassedOn()
      return Response.json(body ?? {})
    })
    const what = `lie ${i} (seed ${SEED}) at ${target.path}${told.path}`
    expect(isRefusal(error), `${what}: ${String((error as Error)?.stack)}`).toBe(true)
    for (const text of typed) expect(honest.typed, what).toContain(text)
    for (const [n, transaction] of signed.entries()) expectSame(honest.signed[n], transaction, what)
    const { code, rule } = error as { code: string; rule?: string }
    const outcome = signed.length > 0 ? 'signed as asked' : (rule ?? code)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  console.log(Object.fromEntries([...outcomes].sort()))
  expect(outcomes.size).toBeGreaterThan(3)
})

/** Byte for byte what the honest server built, gas apart; or a call with a later minute and nothing else. */
function expectSame(honest: Transaction | undefined, told: Transaction, what: string): void {
  const shown = ({ to, value, data, nonce, chainId }: Transaction) => ({ to, value, data, nonce, chainId })
  const same = honest && JSON.stringify(text(shown(honest))) === JSON.stringify(text(shown(told)))
  if (same) return
  const swapOf = (data: Hex) => {
    const reading = readSwap(data, {
      weth: world.core('WETH'),
      layout: world.profile.contracts.universal_router_layout,
    })
    if ('fault' in reading) throw new Error(`${what}: signed what cannot be read`)
    return reading
  }
  const [one, other] = [swapOf(honest!.data!), swapOf(told.data!)]
  const effect = ({ deadlineS, commands, amountOutMin, ...rest }: ReturnType<typeof swapOf>) =>
    text({ ...rest })
  expect(effect(other), what).toEqual(effect(one))
  expect(other.amountOutMin >= one.amountOutMin, `${what}: a lower minimum was signed`).toBe(true)
  expect(told.value, what).toBe(honest!.value)
  expect(told.to, what).toBe(honest!.to)
}

const text = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? v.toString() : v)))
