import type { Hex } from '@pit/chain'
import { createClient, fromViem, type PitClient, type PitRefusal, rpcAt, type SignedTrade } from '@pit/client'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSessionWorld, type SessionWorld } from '../session/world.ts'
import { type HttpProxy, openProxy, type ProxyReply } from './proxy.ts'

// A proxy relays signed bytes and lies about it, or refuses them: at most one trade, reported as it was
// mined.

const ETH = 10n ** 18n
const account = privateKeyToAccount(keccak256(stringToHex('handed over trader')))
const owner = privateKeyToAccount(keccak256(stringToHex('handed over owner')))
const wallet = account.address.toLowerCase() as Hex

let world: SessionWorld
let proxy: HttpProxy
let cosigner: string
let apiKey: string
/** Nonces that the trader's account signed. */
let nonces: number[] = []

/** A client of the trader behind the proxy; a late clock makes its deadlines short. */
function open({ behindS = 0, key = apiKey } = {}): PitClient {
  const real = fromViem(account)
  return createClient({
    url: proxy.url,
    domain: 'pit.test',
    profile: { ...world.profile, cosigner },
    account: {
      ...real,
      signTransaction(transaction) {
        nonces.push(Number(transaction.nonce))
        return real.signTransaction(transaction)
      },
    },
    apiKey: key,
    rpc: rpcAt(world.devnet.url),
    nowMs: () => Date.now() - behindS * 1000,
  })
}

/** Transactions of the trader on chain. */
const minedCount = async (): Promise<number> =>
  Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [wallet, 'latest']))
const refusedBy = (work: Promise<unknown>): Promise<PitRefusal> =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error: PitRefusal) => error,
  )

beforeAll(async () => {
  world = await openSessionWorld({ server: { AUTH_DOMAIN: 'pit.test', FAST_ENABLED: '1' } })
  proxy = await openProxy(world.server.url)
  const config = (await (await fetch(`${world.server.url}/api/v1/config`)).json()) as {
    session: { cosigner: string }
  }
  cosigner = config.session.cosigner
  await world.fund(wallet, { wei: ETH, usdg: 200_000_000n })
  await world.fund(owner.address.toLowerCase() as Hex, { wei: ETH, usdg: 200_000_000n })
  apiKey = (await open({ key: '' }).signIn()).api_key
})
afterAll(async () => {
  await proxy?.close()
  await world?.close()
})
beforeEach(() => {
  nonces = []
  proxy.use()
})

const refusal = (status: number, code: string, retry?: string): ProxyReply => ({
  status,
  body: { error: { code, message: 'It was refused.', ...(retry && { retry }) } },
})
const isRelay = (path: string): boolean => /^live\/(submit|fast)$/.test(path)
/** The server relays signed bytes; the caller gets this reply. */
const answerRelayed = (reply: ProxyReply): void =>
  proxy.use({
    change({ path }, { status, body }) {
      if (!isRelay(path)) return
      if (status >= 300) throw new Error(`the honest server refused: ${JSON.stringify(body)}`)
      return reply
    },
  })
/** The server never sees signed bytes; the caller gets this reply. */
const answerUnrelayed = (reply: ProxyReply): void =>
  proxy.use({ intercept: ({ path }) => (isRelay(path) ? reply : undefined) })
const buy = { token_in: 'ETH', token_out: 'USDG', notional_usd: 5 }
const fastBuy = { token_in: 'ETH', token_out: 'USDG', usd: 5 }

describe('a submit that is relayed', () => {
  it.each<[string, ProxyReply]>([
    ['409', refusal(409, 'IN_FLIGHT', 'look_first')],
    ['422', refusal(422, 'SUBMIT_REJECTED', 'different_request')],
    ['429', refusal(429, 'RATE_LIMITED', 'pause')],
    ['a bare 400', { status: 400, body: {} }],
    ['503', refusal(503, 'LIVE_UNAVAILABLE', 'pause')],
    ['an answer without a body', { status: 502, body: null }],
    ['a closed socket', 'close'],
  ])('is one mined trade after %s', async (_, answer) => {
    const before = await minedCount()
    answerRelayed(answer)
    const { receipt, amountOut, feePaid } = await open().trade(buy)
    expect(receipt.block).toBeGreaterThan(0)
    expect(amountOut).toBeGreaterThan(4_000_000n)
    expect(feePaid).toBeGreaterThan(0n)
    expect(nonces).toEqual([before])
    expect(await minedCount()).toBe(before + 1)
  })

  it('is found mined when the answer has another hash, and resumed without a signature', async () => {
    const before = await minedCount()
    answerRelayed({ status: 200, body: { tx_hash: `0x${'11'.repeat(32)}`, as_built: true, timings: {} } })
    let signed: SignedTrade | undefined
    const client = open()
    const error = await refusedBy(
      client.trade(buy, {
        onStage: (stage) => {
          if (stage.stage === 'signed') signed = stage.signed
        },
      }),
    )
    expect([error.code, error.retry]).toEqual(['HASH_MISMATCH', 'look_first'])
    expect(error.fate).toMatchObject({ state: 'mined', hash: signed!.hashes[0], reverted: false })
    expect(error.message).toContain('was mined in block')
    expect((await client.resume(signed!)).receipt.hash).toBe(signed!.hashes[0])
    expect(nonces).toEqual([before])
    expect(await minedCount()).toBe(before + 1)
  })
})

describe('a fast trade that is relayed', () => {
  it.each(['POOL_FAR', 'STALE', 'ROUTE_CAP', 'CONFIG_MISMATCH'])(
    'is one mined trade after 422 %s, and is not planned again',
    async (code) => {
      const before = await minedCount()
      answerRelayed(refusal(422, code, 'different_request'))
      const traded = await open().fastTrade(fastBuy)
      expect(traded).toMatchObject({ by: 'fast', answer: null })
      expect(nonces).toEqual([before])
      expect(await minedCount()).toBe(before + 1)
    },
  )
})

describe('a fast trade that is refused and not relayed', () => {
  it.each([
    ['ROUTE_VS_MID', 'pauses the pair', 'COOLDOWN'],
    ['MARKET_CLOSED', 'does not pause the pair', null],
  ])(
    '%s is reported once the deadline has passed on chain, and %s',
    async (code, _, next) => {
      const before = await minedCount()
      const client = open({ behindS: 38 })
      answerUnrelayed(refusal(422, code, 'different_request'))
      const stages: string[] = []
      const error = await refusedBy(client.fastTrade(fastBuy, { onStage: ({ stage }) => stages.push(stage) }))
      expect([error.code, error.retry, error.server?.code]).toEqual(['NOT_MINED', 'fresh_plan', code])
      expect(error.fate).toMatchObject({ state: 'dead', by: 'deadline' })
      expect(stages).toEqual(['signed', 'following'])
      expect(nonces).toEqual([before])
      expect(await minedCount()).toBe(before)
      proxy.use()
      const again = client.fastTrade(fastBuy, { fallback: false })
      if (next) expect((await refusedBy(again)).code).toBe(next)
      else expect(await again).toMatchObject({ by: 'fast' })
    },
    60_000,
  )
})

describe('fast mode', () => {
  it('keeps warm states apart by shield, which costs 10 bps more', async () => {
    const client = open()
    await client.warmUp(false)
    const traded = await client.fastTrade({ ...fastBuy, shield: true }, { fallback: false })
    const plain = await client.fastTrade(fastBuy, { fallback: false })
    const fees = [traded, plain].map((one) => (one.by === 'fast' ? one.feePaid : null))
    expect(Number(fees[0]) / Number(fees[1])).toBeCloseTo(35 / 25, 2)
  })

  it('signs each nonce once when two trades start at the same time', async () => {
    const before = await minedCount()
    const client = open()
    await client.warmUp()
    const traded = await Promise.all([client.fastTrade(fastBuy), client.fastTrade(fastBuy), client.warmUp()])
    expect(traded.slice(0, 2)).toMatchObject([{ by: 'fast' }, { by: 'fast' }])
    expect(nonces).toEqual([before, before + 1])
    expect(await minedCount()).toBe(before + 2)
  })

  it('keeps the server’s own refusal of the terms', async () => {
    const error = await refusedBy(open({ key: 'pit_w_unknown' }).fastTrade(fastBuy))
    expect([error.code, error.status]).toEqual(['UNAUTHORIZED', 401])
    expect(nonces).toEqual([])
  })
})

it('checks ETH and its fee in a session', async () => {
  const owning = createClient({
    url: world.server.url,
    domain: 'pit.test',
    profile: { ...world.profile, cosigner },
    account: fromViem(owner),
    rpc: rpcAt(world.devnet.url),
  })
  await owning.signIn()
  const terms = { tokens: ['ETH', 'USDG'], max_trade_usd: 30, max_day_usd: 60, max_trades: 5 }
  const { active } = await owning.grantSession(
    { executor: wallet, ...terms },
    { allow7702: true, sendSetup: true },
  )
  const traded = await open().sessionTrade({
    session_id: active.session_id,
    wallet: owner.address.toLowerCase() as Hex,
    token_in: 'USDG',
    token_out: 'ETH',
    notional_usd: 10,
  })
  expect(traded.amountOut).toBeGreaterThanOrEqual(BigInt(traded.trade.swap.amount_out_min))
  expect(traded.feePaid).toBeGreaterThan(0n)
})

it('reports an honest refusal of a submit once its deadline has passed on chain', async () => {
  const before = await minedCount()
  answerUnrelayed(refusal(422, 'SUBMIT_REJECTED', 'different_request'))
  const error = await refusedBy(
    open().trade(buy, {
      onStage: ({ stage }) => {
        // Last in this file: the chain's clock stays ahead.
        if (stage === 'following') void world.devnet.rpc('evm_increaseTime', [600])
      },
    }),
  )
  expect([error.code, error.server?.code]).toEqual(['NOT_MINED', 'SUBMIT_REJECTED'])
  expect(error.fate).toMatchObject({ state: 'dead', by: 'deadline' })
  expect(nonces).toEqual([before])
  expect(await minedCount()).toBe(before)
})
