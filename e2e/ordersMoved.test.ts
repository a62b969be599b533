import type { Hex } from '@pit/chain'
import { createClient, fromViem, isRefusal, type ListTerms, type PitClient, rpcAt } from '@pit/client'
import { until } from '@pit/platform/test/until'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ETH, setEth } from './orders/orderAgent.ts'
import { openSessionWorld, type SessionWorld } from './session/world.ts'

// Replacing and cancelling orders with the verifying client, while they trade and behind a server that lies.

const AMOUNT = '0.004'
const ATOMS = 4n * 10n ** 15n
const INTENT = {
  pairs: ['ETH/USDG'],
  max_trade_usd: 60,
  max_day_usd: 600,
  expires_in_s: 7_200,
  controls: { signature_above_usd: 0 },
}

let world: SessionWorld
let client: PitClient
let agentId: string
let other: { agentId: string; sessionId: string }
let price: number
/** Changes a response of the server; the next ones are honest again. */
let lie: ((url: string, body: Json) => Json | undefined) | null = null

// biome-ignore lint/suspicious/noExplicitAny: any response
type Json = any

const lyingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init)
  const text = await response.text()
  const changed = lie?.(String(input), JSON.parse(text))
  const status = changed && 'error' in changed ? 422 : response.status
  return new Response(changed === undefined ? text : JSON.stringify(changed), { status })
}

async function startAgent(): Promise<{ agentId: string; sessionId: string }> {
  const agent = await client.hosted.create({
    ...{ brain: 'orders', params: {}, interval_s: 3_600, pairs: ['ETH/USDG'], mode: 'live' },
    limits: { max_trade_usd: 60, max_day_usd: 600, max_position_usd: 100_000 },
  })
  await world.fund(agent.executor as Hex, { wei: ETH / 5n })
  const { granted } = await client.hosted.grantLive(agent.id, INTENT, { allow7702: true })
  return { agentId: agent.id, sessionId: granted!.terms.sessionId }
}

beforeAll(async () => {
  world = await openSessionWorld({ devnet: { MARKET: 'on' } })
  const account = privateKeyToAccount(keccak256(stringToHex('moved orders owner')))
  const config = await (await fetch(`${world.server.url}/api/v1/config`)).json()
  const { cosigner } = (config as { session: { cosigner: Hex } }).session
  client = createClient({
    ...{ url: world.server.url, profile: { ...world.profile, cosigner }, account: fromViem(account) },
    ...{ domain: 'localhost', rpc: rpcAt(world.devnet.url), fetch: lyingFetch },
  })
  await client.signIn()
  await world.fund(client.address, { wei: 5n * ETH, usdg: 1_000_000_000n })
  const { assets } = await client.api.stats()
  price = assets!.find(({ symbol }) => symbol === 'ETH')!.mark!
  await setEth(world, price)
  other = await startAgent()
  ;({ agentId } = await startAgent())
}, 300_000)
afterAll(() => world?.close())

const stop = (share: number) => ({
  ...{ sell: 'ETH', buy: 'USDG', amount: AMOUNT, maxSlippageBps: 300 },
  trigger: { kind: 'at_or_below' as const, priceUsd: (price * share).toFixed(2) },
})
const placeStop = async (share = 0.98): Promise<Hex> => {
  const { ids } = await client.orders.place({ agentId, orders: [stop(share)] })
  // A round counts only if it is later than the second of the registration.
  await new Promise((done) => setTimeout(done, 1_200))
  return ids[0]!
}
const rowOf = async (id: Hex) => (await client.orders.list(agentId)).orders.find((row) => row.id === id)
const filled = (id: Hex) =>
  until(async () => (await rowOf(id))?.state === 'filled', {
    ...{ withinMs: 90_000, everyMs: 300 },
    said: () => client.api['hosted.logs']({ params: { id: agentId } }),
  })
/** Sold by every order of the agent. */
const soldAtoms = async () =>
  (await client.orders.list(agentId)).orders.reduce((sum, row) => sum + BigInt(row.filled_in), 0n)
const change = { trigger: { kind: 'at_or_below' as const, priceUsd: '1' } }
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => (isRefusal(error) ? error.code : String(error)),
  )

it('a stop that fires at the prompt of its replacement sells once', async () => {
  const id = await placeStop()
  const before = await soldAtoms()
  const prompts: ListTerms[] = []
  const confirm = async (terms: ListTerms) => {
    prompts.push(terms)
    await setEth(world, price * 0.97)
    await filled(id)
    return true
  }
  const moved = { trigger: stop(0.975).trigger }
  expect(await codeOf(client.orders.replace({ agentId, id, change: moved }, { confirm }))).toBe('NO_ORDER')
  expect(prompts).toHaveLength(1)
  await setEth(world, price * 0.96)
  await new Promise((done) => setTimeout(done, 5_000))
  expect((await soldAtoms()) - before).toBe(ATOMS)
  await setEth(world, price)
})

it('a server that calls an order half filled, or hides it, changes nothing of its replacement', async () => {
  const id = await placeStop(0.5)
  lie = (url, body) => {
    if (!url.includes('/orders') || !Array.isArray(body.orders)) return undefined
    const rows = body.orders.map((row: Json) => ({ ...row, filled_in: String(ATOMS / 2n) }))
    return { ...body, orders: url.endsWith('/orders') ? rows : rows.slice(1) }
  }
  const { ids } = await client.orders.replace({ agentId, id, change }).finally(() => {
    lie = null
  })
  expect((await rowOf(ids[0]!))?.order.amount_in).toBe(ATOMS.toString())
  await client.orders.cancel({ agentId, ids })
})

it('a registration that the server refuses after it took effect is found by its receipt', async () => {
  let refusals = 1
  lie = (url) => {
    const isPlaced = url.endsWith(`hosted/${agentId}/orders`) && refusals-- > 0
    return isPlaced ? { error: { code: 'BAD_REQUEST', message: 'Send a different request.' } } : undefined
  }
  const { receipt, ids } = await client.orders.place({ agentId, orders: [stop(0.5)] })
  expect(receipt).toMatchObject({ what: 'registered', before: 'registered' })
  refusals = 2
  const placing = client.orders.place({ agentId, orders: [stop(0.5)] })
  const error = await placing.catch((one: unknown) => one)
  lie = null
  expect(error).toMatchObject({ code: 'RECEIPT_MISSING', server: { code: 'BAD_REQUEST' } })
  const { details } = error as { details: { ids: Hex[] } }
  const { receipts } = await client.orders.cancel({ agentId, ids: [...ids, ...details.ids] })
  expect(receipts.map(({ after }) => after)).toEqual(['cancelled', 'cancelled'])
})

it('an order is cancelled whichever session the server names, and "all" covers every recorded one', async () => {
  const [first, second] = [await placeStop(0.5), await placeStop(0.5)]
  // The server takes the request for another agent, whose session is another one.
  const named = await client.api['hosted.orders.cancel']({
    params: { id: other.agentId },
    body: { ids: [first], challenge: `0x${'ab'.repeat(32)}` },
  })
  expect(named.receipts).toMatchObject([{ id: first, before: 'open', after: 'cancelled' }])
  lie = (url, body) =>
    /\/orders(\?|$)/.test(url)
      ? { ...body, orders: [] }
      : url.endsWith(`hosted/${agentId}`)
        ? { ...body, session_id: other.sessionId, mode: 'paper' }
        : undefined
  const all = await client.orders.cancel({ agentId }).finally(() => {
    lie = null
  })
  expect(all.receipts.map(({ id }) => id)).toEqual(expect.arrayContaining([first, second]))
  for (const id of [first, second]) expect((await rowOf(id))?.state).toBe('cancelled')
})

it('an order that was filled is never called cancelled', async () => {
  const id = await placeStop()
  await setEth(world, price * 0.97)
  await filled(id)
  const { receipts } = await client.orders.cancel({ agentId, ids: [id] })
  expect(receipts).toMatchObject([{ id, what: 'filled', before: 'filled', spent: ATOMS.toString() }])
  await setEth(world, price)
})
