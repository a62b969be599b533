import type { Hex } from '@pit/chain'
import { type Account, createClient, fromViem, isRefusal, type PitClient, rpcAt } from '@pit/client'
import { keccak256, stringToHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cosignerOf, openSessionWorld, type SessionWorld } from '../session/world.ts'
import { readStoryTokens } from '../trading/tokens.ts'

// A check that the client's node could not make, or made at an old block, lets nothing be signed.

const DOMAIN = 'pit.test'
const ETH = 10n ** 18n
const TERMS = { tokens: ['ETH', 'USDG'], max_trade_usd: 30, max_day_usd: 60, expires_in_s: 3_600 }
const owner = privateKeyToAccount(keccak256(stringToHex('failing node owner')))
const executor = privateKeyToAccount(keccak256(stringToHex('failing node executor')))
const wallet = owner.address.toLowerCase() as Hex

interface Message {
  id: number
  method: string
}
interface Answer {
  id: number
  result?: unknown
  error?: { code: number; message: string }
}
/** Replaces the node's response to a batch; null leaves it. */
type Fault = (messages: readonly Message[], answers: Answer[]) => Response | Answer[] | Promise<never> | null

let world: SessionWorld
let cosigner: string
let token: Hex
let fault: Fault | null = null
let signatures = 0

/** Signs as the account does, and counts what concerns the chain. */
function counting(account: PrivateKeyAccount): Account {
  const own = fromViem(account)
  const counted =
    <Input, Output>(sign: (input: Input) => Output) =>
    (input: Input): Output => {
      signatures++
      return sign(input)
    }
  return {
    ...own,
    signTypedData: counted(own.signTypedData),
    signTransaction: counted(own.signTransaction),
    signAuthorization: counted(own.signAuthorization!),
  }
}

async function failing(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init)
  const answers = (await response.json()) as Answer[]
  const faulty = await fault?.(JSON.parse(String(init?.body)) as Message[], answers)
  return faulty instanceof Response ? faulty : Response.json(faulty ?? answers)
}

async function open(account: PrivateKeyAccount): Promise<PitClient> {
  const client = createClient({
    url: world.server.url,
    domain: DOMAIN,
    profile: { ...world.profile, cosigner },
    account: counting(account),
    rpc: rpcAt(world.devnet.url, failing as typeof fetch, 2_000),
    maxTries: 1,
  })
  await client.signIn()
  return client
}

let client: PitClient
let bot: PitClient
let sessionId: string
beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: DOMAIN, FAST_ENABLED: '1' } })
  cosigner = await cosignerOf(world.server.url)
  token = (await readStoryTokens(world.devnet)).specimen('good')
  await world.fund(wallet, { wei: ETH, usdg: 500_000_000n })
  await world.fund(executor.address.toLowerCase() as Hex, { wei: ETH / 10n })
  client = await open(owner)
  bot = await open(executor)
  const { active } = await client.grantSession({ executor: executor.address, ...TERMS }, { allow7702: true })
  sessionId = active.session_id
})
afterAll(() => world?.close())

const BUY = { token_in: 'ETH', token_out: 'USDG', notional_usd: 20 }
const VERBS: [string, () => Promise<unknown>][] = [
  ['trade', () => client.trade(BUY)],
  ['plan', () => client.plan(BUY)],
  [
    'a purchase of a token without a mark',
    () =>
      client.trade({
        token_in: 'ETH',
        token_out: token,
        notional_usd: 10,
        accept_risks: [
          'HONEYPOT',
          'SELL_TAX',
          'BUY_TAX',
          'NO_REFERENCE',
          'TRANSFER_BLOCKED',
          'HIGH_PRICE_IMPACT',
        ],
      }),
  ],
  ['fast trade', () => client.fastTrade({ token_in: 'ETH', token_out: 'USDG', usd: 20 })],
  [
    'fast trade without a fallback',
    () => client.fastTrade({ token_in: 'ETH', token_out: 'USDG', usd: 20 }, { fallback: false }),
  ],
  ['grant', () => client.grantSession({ executor: executor.address, ...TERMS }, { allow7702: true })],
  [
    'session trade',
    () =>
      bot.sessionTrade({
        session_id: sessionId,
        wallet,
        ...BUY,
        notional_usd: 5,
        client_id: `f-${Math.random()}`,
      }),
  ],
]

const errorIn =
  (method: string | null, message: string, code = -32_000): Fault =>
  (messages, answers) =>
    answers.map((answer) => {
      const call = messages.find(({ id }) => id === answer.id)!
      const isHit = call.method === method || (method === null && call.method !== 'eth_getBlockByNumber')
      return isHit ? { id: answer.id, error: { code, message } } : answer
    })
const onSimulation =
  (respond: () => Response | Promise<never>): Fault =>
  (messages) =>
    messages.some(({ method }) => method === 'eth_simulateV1' || method === 'eth_call') ? respond() : null
const headAged =
  (seconds: number): Fault =>
  (messages, answers) =>
    answers.map((answer) => {
      const { method } = messages.find(({ id }) => id === answer.id)!
      if (method !== 'eth_getBlockByNumber') return answer
      const block = answer.result as { timestamp: Hex }
      return {
        ...answer,
        result: { ...block, timestamp: `0x${(Number(block.timestamp) - seconds).toString(16)}` },
      }
    })

async function refused(
  work: () => Promise<unknown>,
  under: Fault,
): Promise<{ code: string; message: string }> {
  fault = under
  signatures = 0
  try {
    await work()
  } catch (error) {
    if (!isRefusal(error)) throw error
    expect(signatures).toBe(0)
    return error
  } finally {
    fault = null
  }
  throw new Error('it was not refused')
}

describe.each<[string, Fault]>([
  ['header not found', errorIn(null, 'header not found')],
  ['missing trie node', errorIn(null, 'missing trie node 7a (path ) state is not available')],
  ['backend not available', errorIn(null, 'backend not available', -32_603)],
  ['HTTP 500', onSimulation(() => new Response('<h1>Internal Server Error</h1>', { status: 500 }))],
  [
    'a timeout',
    onSimulation(
      () =>
        new Promise<never>((_, reject) =>
          setTimeout(reject, 2_500, new DOMException('timeout', 'TimeoutError')),
        ),
    ),
  ],
])('a node that fails with %s', (_, way) => {
  it.each(VERBS)('%s', async (name, run) => {
    const { code } = await refused(run, way)
    expect(code).toBe(name === 'fast trade without a fallback' ? 'STALE' : 'RPC_UNAVAILABLE')
  })
})

it.each([
  'header not found',
  'missing trie node',
  'backend not available',
  'the method is not supported here',
])('refuses a trade whose simulation fails alone: %s', async (message) => {
  for (const [name, run] of VERBS.filter(([name]) => /^(trade|plan|session trade|a purchase)/.test(name))) {
    const error = await refused(run, errorIn('eth_simulateV1', message))
    expect(error, name).toMatchObject({ code: 'RPC_UNAVAILABLE', message: expect.stringContaining(message) })
  }
})

describe('a newest block of ten minutes ago', () => {
  it.each(VERBS)('%s', async (_, run) => {
    expect(await refused(run, headAged(600))).toMatchObject({
      code: 'NODE_BEHIND',
      message: expect.stringContaining('is 10 minutes old'),
    })
  })

  it('does not keep a session alive', async () => {
    fault = headAged(600)
    const { roots } = await client.revokeSession({ sessionId }).finally(() => {
      fault = null
    })
    expect(roots.map(({ state }) => state)).not.toContain('alive')
  })
})

it('trades by quotes of the planned pools on a node without simulation', async () => {
  fault = errorIn('eth_simulateV1', 'no', -32_601)
  const { checks, amountOut } = await client.trade(BUY).finally(() => {
    fault = null
  })
  expect(checks.find(({ rule }) => rule === 'QUOTE_OWN')?.says).toContain('cannot simulate')
  expect(amountOut).toBeGreaterThan(19_000_000n)
})
