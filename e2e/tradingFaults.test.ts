import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from '@pit/chain'
import { feeOf, type RouteId } from '@pit/protocol'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type DevnetProcess, startDevnetProcess } from './devnetProcess.ts'
import { type ServerProcess, startServerProcess } from './serverProcess.ts'
import { doTrade, settledRow, tradesOf } from './trading/doTrade.ts'
import { refusedBy } from './trading/expectRefusal.ts'
import { type FaultyNode, type RpcMessage, startFaultyNode } from './trading/faultyNode.ts'
import { readStoryTokens, type StoryTokens } from './trading/tokens.ts'
import { balanceOf, openTrader, type Plan, receiptOf, submitPlan, type Trader } from './trading/trader.ts'
import { tradingEnv } from './trading/world.ts'
import { eventually, give } from './tradingFaults/funding.ts'
import { otherServers } from './tradingFaults/otherServers.ts'
import { sendTogether } from './tradingFaults/sendTogether.ts'

// Faults around a trade: tokens, nodes, sequencers, and concurrency. Nothing hangs, nothing is lost. More
// concurrency by hand: FAULTS_AT_ONCE=100 npx vitest run e2e/tradingFaults.test.ts
const AT_ONCE = Number(process.env['FAULTS_AT_ONCE'] ?? 12)
const PATIENCE_MS = 180_000 + AT_ONCE * 2_000

const NATIVE = `0x${'0'.repeat(40)}` as const
const TENTH_ETH = '100000000000000000'

let devnet: DevnetProcess
/** In front of the devnet, and the server's only connection to the chain. */
let node: FaultyNode
let server: ServerProcess
let tokens: StoryTokens
let usdg: Hex
let trader: Trader
let other: Trader
/** The relayed swaps of both wallets. */
const relayed: Hex[] = []

beforeAll(async () => {
  devnet = await startDevnetProcess({ MARKET: 'off' })
  node = await startFaultyNode(devnet.url)
  server = await startServerProcess({ ...tradingEnv(devnet), CHAIN_RPC_URL: node.url, LOG_LEVEL: 'error' })
  tokens = await readStoryTokens(devnet)
  trader = await openTrader(server.url, { account: 5 })
  other = await openTrader(server.url, { account: 6 })
  const { body } = await trader.get<{ tokens: Record<string, { address: Hex }> }>('config')
  usdg = body.tokens['USDG']!.address
})
afterAll(async () => {
  await server?.stop()
  await node?.close()
  await devnet?.stop()
})

const buy = (who: Trader, change: object = {}) => ({
  wallet: who.wallet,
  token_in: 'ETH',
  token_out: 'USDG',
  amount_in: TENTH_ETH,
  ...change,
})
async function trade(who: Trader, [token_in, token_out]: readonly [string, string], terms: object) {
  const addressOf = (name: string) => (name === 'ETH' ? NATIVE : name === 'USDG' ? usdg : name)
  const ends = { tokenIn: addressOf(token_in), tokenOut: addressOf(token_out) }
  const done = await doTrade(devnet, who, ends, { token_in, token_out, ...terms })
  relayed.push(done.hash)
  return done
}
async function planned(who: Trader, request: object): Promise<Plan> {
  const { status, body } = await who.plan(request)
  expect(status, JSON.stringify(body.error)).toBe(200)
  return body
}
const refused = (body: object, { route = 'live.prepare' as RouteId, who = trader } = {}) =>
  refusedBy(server.url, route, { body: { wallet: who.wallet, ...body }, key: who.key })
const submitRefused = (raw_tx: Hex, who = trader) =>
  refusedBy(server.url, 'live.submit', { body: { raw_tx }, key: who.key })
const seen = (hash: Hex) => devnet.rpc<number>('devnet_sequencerSeen', [hash])
const sequencer = (mode: string, delay_ms = 0) => devnet.rpc('devnet_sequencer', [{ mode, delay_ms }])
const nonceOf = async (who: Trader) =>
  Number(await devnet.rpc<Hex>('eth_getTransactionCount', [who.wallet, 'pending']))
const named = (method: string) => (message: RpcMessage) => message.method === method
/** Sends a plan that may revert; returns the swap's hash. */
async function send(who: Trader, plan: Plan): Promise<Hex> {
  const { status, body } = await submitPlan(who, plan)
  expect(status, JSON.stringify(body.error)).toBe(200)
  relayed.push(body.tx_hash)
  return body.tx_hash
}

describe('tokens', () => {
  const bought = async (token: Hex) =>
    (await trade(trader, ['ETH', token], { amount_in: TENTH_ETH })).received
  const sell = (token: Hex, amount: bigint, terms: object = {}) =>
    trade(trader, [token, 'ETH'], { amount_in: amount.toString(), ...terms })

  it('with replaced code are disclosed, before and after the plan', async () => {
    const token = tokens.specimen('upgradeable')
    const held = await bought(token)
    const sale = { token_in: token, token_out: 'ETH', amount_in: (held / 2n).toString() }
    const plan = await planned(trader, sale)
    expect((await trader.post('live/quote', sale)).status).toBe(200)
    await devnet.rpc('devnet_upgradeToken')
    expect((await refused(sale)).summary).toBe('409 TOKEN_CHANGED')

    // The chain enforces the earlier plan's minimum: the new tax makes it revert.
    const hash = await send(trader, plan)
    expect((await receiptOf(devnet, hash)).status).toBe('0x0')
    const nothing = { status: 'reverted', amount_out: null, amount_out_kind: null }
    expect(await settledRow(trader, hash)).toMatchObject(nothing)
    expect(await balanceOf(devnet, token, trader.wallet)).toBe(held)

    // A new screen shows the change.
    await eventually(async () => {
      const answer = { code: 'RISK_NOT_ACCEPTED', error: { unaccepted: ['SELL_TAX'] } }
      expect(await refused(sale)).toMatchObject(answer)
    })
    await sell(token, held / 2n, { accept_risks: ['SELL_TAX'] })
    await devnet.rpc('devnet_upgradeToken')
  })

  it('with a transfer tax trade to the atom', async () => {
    const token = tokens.specimen('fee_on_transfer')
    await sell(token, (await bought(token)) / 3n)
  })

  it('with changing balances trade to the atom, or report that they cannot', async () => {
    const token = tokens.specimen('rebasing')
    const rebase = (index: bigint) => {
      const word = `0x${index.toString(16).padStart(64, '0')}`
      return devnet.rpc('hardhat_setStorageAt', [token, '0x7', word])
    }
    const held = await bought(token)
    await sell(token, held / 3n)
    await rebase(1_020_000_000_000_000_000n)
    await sell(token, held / 3n)
    // Now the pool has less than it assumes.
    await rebase(900_000_000_000_000_000n)
    const sale = { token_in: token, token_out: 'ETH', amount_in: (held / 9n).toString() }
    expect((await refused({ ...sale, permit_mode: 'transaction' })).summary).toBe('422 SIMULATION_FAILED')
  })

  it('of an issuer that pauses all, or one', async () => {
    const sale = { token_in: 'NVDA', token_out: 'USDG', amount_in: TENTH_ETH, owner_attests_non_us: true }
    const plan = await planned(trader, sale)
    await devnet.rpc('devnet_pauseStock', ['NVDA', true])
    expect((await refused(sale)).summary).toBe('422 STOCK_PAUSED')
    const hash = await send(trader, plan)
    expect(await settledRow(trader, hash)).toMatchObject({ status: 'reverted', amount_out: null })
    await devnet.rpc('devnet_pauseStock', ['NVDA', false])
    await devnet.rpc('devnet_blockWallet', ['NVDA', trader.wallet, true])
    expect((await refused(sale)).summary).toBe('422 WALLET_BLOCKED')
    await devnet.rpc('devnet_blockWallet', ['NVDA', trader.wallet, false])
    // It may have been screened while it was paused.
    await planned(trader, { ...sale, accept_risks: ['TOKEN_PAUSED'] })
  })
})

describe('refusals and delays', () => {
  afterEach(() => sequencer('ok'))

  it('a sequencer that refuses: reported, listed as refused, and the same bytes may be sent again', async () => {
    const { raw, hash } = trader.sign((await planned(trader, buy(trader))).tx!)
    await sequencer('refuse')
    expect((await submitRefused(raw)).summary).toBe('422 SUBMIT_REJECTED')
    const row = async () => (await tradesOf(trader, '&refused=1')).find(({ tx_hash }) => tx_hash === hash)
    expect(await row()).toMatchObject({ status: 'refused', code: 'SUBMIT_REJECTED', amount_out: null })
    expect((await tradesOf(trader)).map(({ tx_hash }) => tx_hash)).not.toContain(hash)
    await sequencer('ok')
    expect((await trader.post('live/submit', { raw_tx: raw })).body).toMatchObject({ tx_hash: hash })
    relayed.push(hash)
    expect(await settledRow(trader, hash)).toMatchObject({ status: 'mined', amount_out_kind: 'actual' })
    expect(await row()).toMatchObject({ status: 'mined' })
  })

  it('a slow sequencer: the same bytes from many calls are relayed once', async () => {
    const { raw, hash } = trader.sign((await planned(trader, buy(trader))).tx!)
    await sequencer('slow', 700)
    const calls = Array.from({ length: AT_ONCE }, () => trader.post('live/submit', { raw_tx: raw }))
    const answers = await Promise.all(calls)
    for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { tx_hash: hash } })
    relayed.push(hash)
    expect(await seen(hash)).toBe(1)
    expect(await settledRow(trader, hash)).toMatchObject({ status: 'mined' })
    expect((await tradesOf(trader)).filter(({ tx_hash }) => tx_hash === hash)).toHaveLength(1)
  })
})

it('sequencer and node unreachable: calls that need them report it, others work', async () => {
  const first = await nonceOf(trader)
  const plans = await Promise.all([
    planned(trader, buy(trader)),
    planned(trader, buy(trader, { slippage_bps: 120 })),
  ])
  const [lost, late] = plans.map(({ tx }, i) => trader.sign(tx!, { nonce: first + i }))
  const sent = other.sign((await planned(other, buy(other))).tx!)
  const startedAt = Date.now()
  await devnet.rpc('devnet_vendor', [{ name: 'audit', mode: 'down' }])
  await sequencer('lossy')
  const unheard = [submitRefused(lost!.raw)]
  await eventually(async () => expect(await seen(lost!.hash)).toBe(1))
  await sequencer('slow', 6_000)
  unheard.push(submitRefused(late!.raw))
  await eventually(async () => expect(await seen(late!.hash)).toBe(1))
  await sequencer('ok')

  node.set({ way: 'hang' })
  const refusals = [
    refused(buy(other), { who: other }),
    refused(buy(other), { who: other, route: 'live.simulate' }),
    refused({}, { who: other, route: 'live.revoke' }),
    refusedBy(server.url, 'me.portfolio', { body: '', key: other.key }),
  ]
  const quote = other.post('live/quote', buy(other, { wallet: undefined }))
  // The sequencer is a separate machine.
  expect(await other.post('live/submit', { raw_tx: sent.raw })).toMatchObject({ status: 200 })
  const pending = { tx_hash: sent.hash, status: 'pending', amount_out_kind: 'minimum' }
  expect(await tradesOf(other)).toMatchObject([pending])
  for (const answer of await Promise.all(refusals)) expect(answer.summary).toBe('502 RPC_UNAVAILABLE')
  expect(await quote).toMatchObject({ status: 200, body: { best: { simulated: false } } })
  for (const [i, { hash }] of [lost!, late!].entries()) {
    expect(await unheard[i]).toMatchObject({ summary: '502 SEQUENCER_UNREACHABLE', error: { tx_hash: hash } })
  }
  const health = async () => (await fetch(`${server.url}/api/v1/health`)).json()
  await eventually(async () => {
    expect(await health()).toMatchObject({
      status: 'degraded',
      checks: { store: 'ok', chain: 'impaired', sequencer: 'impaired', audit: 'impaired' },
    })
  })
  await devnet.rpc('devnet_vendor', [{ name: 'audit', mode: 'ok' }])
  relayed.push(lost!.hash, late!.hash, sent.hash)
  console.log(`everything was answered within ${Date.now() - startedAt} ms`)
  expect(Date.now() - startedAt).toBeLessThan(40_000)

  node.set(null)
  expect(await settledRow(other, sent.hash)).toMatchObject({ status: 'mined', amount_out_kind: 'actual' })
  for (const { raw, hash } of [lost!, late!]) {
    const again = await trader.post('live/submit', { raw_tx: raw })
    expect(again).toMatchObject({ status: 200, body: { tx_hash: hash, as_built: true } })
    expect((await receiptOf(devnet, hash)).status).toBe('0x1')
    expect(await settledRow(trader, hash)).toMatchObject({ status: 'mined', amount_out_kind: 'actual' })
    expect(await seen(hash)).toBe(1)
  }
})

otherServers(() => ({ devnet, planFor: (who) => planned(who, buy(who)), seen }))

describe('concurrency', () => {
  /** Together they move the price by less than their slippage. */
  const part = (whole: bigint, i: number): string => (whole / BigInt(AT_ONCE) + BigInt(i)).toString()
  /** A dozen at a time: the devnet simulates one after another, slowly on a busy machine. */
  async function plansOf(request: (i: number) => object): Promise<Plan[]> {
    const plans: Plan[] = []
    while (plans.length < AT_ONCE) {
      const next = Array.from({ length: Math.min(12, AT_ONCE - plans.length) }, (_, i) => plans.length + i)
      plans.push(...(await Promise.all(next.map((i) => planned(trader, buy(trader, request(i)))))))
    }
    return plans
  }

  it('each with a separate nonce: all mined, and the rows add up to the balances', {
    timeout: PATIENCE_MS,
  }, async () => {
    const plans = await plansOf((i) => ({ amount_in: part(120n * 10n ** 15n, i), slippage_bps: 150 }))
    const ends = { tokenIn: NATIVE, tokenOut: usdg }
    const { rows, income } = await sendTogether(devnet, trader, plans, ends)
    relayed.push(...rows.map(({ tx_hash }) => tx_hash!))
    expect(income).toBe(
      plans.reduce((all, { amount_in, fee }) => all + feeOf(BigInt(amount_in), fee.bps), 0n),
    )
  })

  it('for ETH, which has no logs; on one approval', { timeout: PATIENCE_MS }, async () => {
    const sale = { token_in: 'USDG', token_out: 'ETH', slippage_bps: 150 }
    const whole = { approval_budget_usd: 10_000, permit_mode: 'transaction', permit_scope: '30d' }
    const { steps } = await planned(trader, { ...sale, amount_in: '1000000', ...whole })
    expect(steps.map(({ kind }) => kind)).toEqual(['approve', 'approve', 'swap'])
    for (const { tx } of steps.slice(0, 2)) {
      const { raw, hash } = trader.sign(tx!)
      const { body } = await trader.post('live/submit', { raw_tx: raw })
      expect(body).toMatchObject({ tx_hash: hash, as_built: true })
      expect((await receiptOf(devnet, hash)).status).toBe('0x1')
      // An approval is not a trade.
      expect((await tradesOf(trader, '&refused=1')).map(({ tx_hash }) => tx_hash)).not.toContain(hash)
    }
    const plans = await plansOf((i) => ({ ...sale, amount_in: part(240_000_000n, i) }))
    const ends = { tokenIn: usdg, tokenOut: NATIVE }
    const { rows, income } = await sendTogether(devnet, trader, plans, ends)
    relayed.push(...rows.map(({ tx_hash }) => tx_hash!))
    // A portion of each output, rounded down: the rest gives the whole to an atom.
    const least = rows.reduce((all, { amount_out }, i) => {
      const bps = BigInt(plans[i]!.fee.bps)
      return all + (BigInt(amount_out!) * bps) / (10_000n - bps)
    }, 0n)
    expect(income).toBeGreaterThanOrEqual(least)
    expect(income).toBeLessThanOrEqual(least + BigInt(rows.length))
  })
})

describe('nodes', () => {
  afterEach(() => node.set(null))

  it.each(['drop', 'html', 'error'] as const)('that fail (%s)', async (way) => {
    node.set({ way })
    expect((await refused(buy(trader))).summary).toBe('502 RPC_UNAVAILABLE')
    node.set({ way, on: named('eth_simulateV1') })
    expect((await refused(buy(trader))).summary).toBe('502 RPC_UNAVAILABLE')
    expect((await trader.post('live/build', buy(trader))).status).toBe(200)
  })

  it('of another chain: nothing is planned on them', async () => {
    node.set({ on: named('eth_chainId'), lie: () => '0x1' })
    expect((await refused(buy(trader))).summary).toBe('502 RPC_UNAVAILABLE')
    expect((await refused({}, { route: 'live.revoke' })).summary).toBe('502 RPC_UNAVAILABLE')
  })

  it('that lag by a minute: nothing is quoted', async () => {
    const minuteAgo = (block: unknown) => {
      const { timestamp } = block as { timestamp: Hex }
      return { ...(block as object), timestamp: `0x${(Number(timestamp) - 60).toString(16)}` }
    }
    node.set({
      on: ({ method }) => /^eth_getBlockBy/.test(method),
      lie: (block) => block && minuteAgo(block),
    })
    await eventually(async () => {
      expect((await refused(buy(trader))).summary).toBe('502 RPC_UNAVAILABLE')
      expect((await refused(buy(trader, { wallet: undefined }), { route: 'live.quote' })).summary).toBe(
        '502 RPC_UNAVAILABLE',
      )
    })
    node.set(null)
    await eventually(async () => expect((await trader.post('live/prepare', buy(trader))).status).toBe(200))
  })

  it('that lag: the sequencer refuses an old nonce, and a late receipt is awaited', async () => {
    node.set({
      on: named('eth_getTransactionCount'),
      lie: (count) => `0x${(Number(count) - 1).toString(16)}`,
    })
    const stale = (await planned(other, buy(other))).tx!
    expect(stale.nonce).toBe((await nonceOf(other)) - 1)
    expect((await submitRefused(other.sign(stale).raw, other)).summary).toBe('422 SUBMIT_REJECTED')

    node.set({ on: ({ method }) => /^eth_getTransaction(Receipt|ByHash)$/.test(method), lie: () => null })
    const { raw, hash } = other.sign(stale, { nonce: stale.nonce + 1 })
    expect((await other.post('live/submit', { raw_tx: raw })).status).toBe(200)
    relayed.push(hash)
    await receiptOf(devnet, hash)
    await sleep(500)
    expect((await tradesOf(other))[0]).toMatchObject({ tx_hash: hash, status: 'pending' })
    node.set(null)
    expect(await settledRow(other, hash)).toMatchObject({ status: 'mined', amount_out_kind: 'actual' })
  })

  it('that report a wrong balance: no plan is ready on it, and the chain’s amount is booked', async () => {
    const poor = await openTrader(server.url, { privateKey: generatePrivateKey() })
    const own = 5_000_007n
    await give(devnet, usdg, poor.wallet, { wei: 10n ** 17n, dollars: own })
    const sale = { token_in: 'USDG', token_out: 'ETH', amount_in: '5000000', permit_mode: 'transaction' }
    const word = (value: bigint) => value.toString(16).padStart(64, '0')
    const says = (value: bigint) =>
      node.set({ on: named('eth_call'), lie: (result) => String(result).replaceAll(word(own), word(value)) })
    says(own * 1_000n)
    expect((await refused({ ...sale, amount_in: '400000000' }, { who: poor })).summary).toBe(
      '422 SIMULATION_FAILED',
    )
    says(0n)
    const lent = { ready: false, simulation: { ok: true, funded_by_overrides: true } }
    expect(await planned(poor, sale)).toMatchObject(lent)
    says(own)
    const ready = { ready: true, simulation: { ok: true, funded_by_overrides: false } }
    expect(await planned(poor, sale)).toMatchObject(ready)

    // Doubles the value that a receipt is compared with, so that a trace decides.
    const doubled = (wei: unknown) => `0x${(BigInt(wei as Hex) * 2n).toString(16)}`
    node.set({ on: named('eth_getBalance'), lie: doubled })
    await trade(other, ['USDG', 'ETH'], { ...sale, amount_in: '5000001' })
  })
})

it('nothing is missing from the wallets’ trades', async () => {
  const rows = [...(await tradesOf(trader)), ...(await tradesOf(other))]
  expect(rows.map(({ tx_hash }) => tx_hash).sort()).toEqual(relayed.toSorted())
  expect(rows.filter(({ status }) => status === 'pending')).toEqual([])
})
