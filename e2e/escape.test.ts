import { setTimeout as sleep } from 'node:timers/promises'
import { delegationSigner, parseSignedTx, readLeaf, senderOf } from '@pit/chain'
import { systemClock } from '@pit/platform/clock'
import { until } from '@pit/platform/test/until'
import { createSignerClient } from '@pit/signer-wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Honest, honestTrade } from './escape/honest.ts'
import {
  FIRST_OF_ACTIVE,
  firstTrades,
  HOSTILE_KINDS,
  honestIntent,
  plainSwap,
  type Sessions,
} from './escape/hostile.ts'
import { openHosted, redeemOf, stockWord, swapOfStock } from './escape/hostileExecutors.ts'
import { type Intent, send } from './escape/intent.ts'
import { orderCases } from './escape/orderCases.ts'
import { openWorld, type World } from './escape/world.ts'

/**
 * The server is compromised: the attacker holds its secret, a valid session and honest trades to start from.
 * The signer must not sign anything outside the session's bounds, and must sign every honest trade.
 */

// Ten thousand by hand: ESCAPE_INTENTS=10000 npx vitest run --project e2e e2e/escape.test.ts
const INTENTS = Number(process.env['ESCAPE_INTENTS'] ?? 500)
const HONEST = Math.max(60, Math.ceil(INTENTS / 20))
const SEED = Number(process.env['ESCAPE_SEED'] ?? 4663)
const AT_ONCE = 16
// Fifty by hand: ESCAPE_ROUNDS=50
const ROUNDS = Number(process.env['ESCAPE_ROUNDS'] ?? 2)

let world: World
let sessions: Sessions
beforeAll(async () => {
  world = await openWorld({ seed: SEED })
  const { grant, register, signer } = world
  const small = (limits: Sessions['active']['binding']['limits'], more = {}) => grant({ limits, ...more })
  const nowS = Math.floor(Date.now() / 1000)
  sessions = {
    active: grant(),
    narrow: small(
      { max_trade_micro_usd: 5_000_000, max_day_micro_usd: 50_000_000, max_trades: 100 },
      {
        tokens: [world.at.symbol('ETH'), world.at.symbol('USDG')].sort(),
        marks: undefined,
        curves: [],
      },
    ),
    expired: grant({ expires_at: nowS + 4 }),
    revoked: grant(),
    unregistered: grant(),
    usedUp: small({ max_trade_micro_usd: 200_000_000, max_day_micro_usd: 2_000_000_000, max_trades: 1 }),
    spent: small({ max_trade_micro_usd: 200_000_000, max_day_micro_usd: 200_000_000, max_trades: 100 }),
    hosted: await openHosted(world),
  }
  for (const name of ['active', 'narrow', 'expired', 'revoked', 'usedUp', 'spent'] as const) {
    await register(sessions[name])
  }
  await signer.client.revokeRoot(sessions.revoked.rootHash)
  for (const intent of firstTrades(world, sessions)) {
    expect(await send(world, intent)).toMatchObject({ status: 200 })
  }
  while (Date.now() / 1000 < nowS + 5) await sleep(100)
}, 300_000)
afterAll(() => world?.close())

/** Ledger entries of every registered session. */
async function counted(): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {}
  for (const name of ['active', 'narrow', 'expired', 'revoked', 'usedUp', 'spent'] as const) {
    const { sequence, spend } = await world.signer.client.root(sessions[name].rootHash)
    rows[name] = { sequence, spend }
  }
  return rows
}

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = [...items]
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
    }),
  )
}

test(`signs none of ${INTENTS} hostile intents`, { timeout: 3_600_000 }, async () => {
  const before = await counted()
  const kinds = Object.keys(HOSTILE_KINDS)
  // A call has hundreds of bytes that can be wrong.
  const turns = [...kinds, ...Array<string>(20).fill('one bit of the call')]
  const tried: Record<string, Record<string, number>> = {}
  const signed: Intent[] = []
  let sentCount = 0
  while (sentCount < INTENTS) {
    const batch: Intent[] = []
    for (let i = 0; i < 200 && sentCount + batch.length < INTENTS; i++) {
      const kind = turns[(sentCount + i) % turns.length]!
      const intent = await HOSTILE_KINDS[kind]!(world, sessions)
      if (intent) batch.push(intent)
    }
    await inTurns(batch, async (intent) => {
      const { status, code } = await send(world, intent)
      const codes = tried[intent.kind] ?? {}
      tried[intent.kind] = { ...codes, [code]: (codes[code] ?? 0) + 1 }
      if (status === 200) signed.push(intent)
    })
    sentCount += batch.length
  }
  console.log(`seed ${SEED}: ${sentCount} hostile intents of ${Object.keys(tried).length} kinds`)
  if (process.env['ESCAPE_SHOW']) console.log(tried)
  expect(signed.slice(0, 5)).toEqual([])
  expect(Object.keys(tried).sort()).toEqual([...kinds].sort())
  // No refusal came from a limit: each intent was judged by its content.
  expect(Object.values(tried).flatMap(Object.keys)).not.toContain('BUSY')
  expect(Object.values(tried).flatMap(Object.keys)).not.toContain('ENGINE_UNAVAILABLE')
  // The ledger did not count anything either.
  expect(await counted()).toEqual(before)
})

test(`signs all of ${HONEST} honest trades, each exactly as requested`, { timeout: 600_000 }, async () => {
  const { crypto, place, cosigner, executor, signer } = world
  const trades: Honest[] = Array.from({ length: HONEST }, () => honestTrade(world, sessions.active))
  const sequences: number[] = []
  await inTurns(trades, async (trade) => {
    const { leaf, leaf_hash, fee_leaf, sequence } = await signer.client
      .cosign({
        root_hash: trade.session.rootHash,
        execution: trade.execution,
        ...(trade.kind === 'curve' && { curve_fee: { amount_wei: trade.feeWei } }),
      })
      .catch((error) => {
        throw new Error(`refused an honest trade: ${JSON.stringify(error.extras)} ${inspect(trade)}`)
      })
    sequences.push(sequence)
    expect(delegationSigner(crypto, place, leaf)).toBe(cosigner)
    const terms = readLeaf(place, leaf)
    expect(terms).toMatchObject({
      kind: trade.kind,
      executor,
      sequence,
      execution: trade.execution,
      cosigner,
    })
    if (trade.kind === 'router') {
      expect(terms?.rootHash).toBe(trade.session.rootHash)
      return
    }
    expect(terms).toMatchObject({ fee: { recipient: world.at.feeRecipient, amountWei: trade.feeWei } })
    expect(delegationSigner(crypto, place, fee_leaf!)).toBe(cosigner)
    expect(readLeaf(place, fee_leaf!)).toMatchObject({ kind: 'fee', executor, paidFor: leaf_hash })
  })
  expect(sequences.sort((a, b) => a - b)).toEqual(
    Array.from({ length: HONEST }, (_, i) => FIRST_OF_ACTIVE + i + 1),
  )
})

test('signs a hosted executor’s own redemptions, and stock trades once its owner has attested', async () => {
  const { signer, crypto } = world
  const { hosted } = sessions
  const { executor, session } = hosted
  const leaf = await hosted.leafNow()
  const { raw, tx_hash } = await signer.client.signExecutorTx({
    executor,
    tx: redeemOf(world, session, leaf),
  })
  const parsed = parseSignedTx(raw)
  if (!parsed.ok) throw new Error(parsed.why)
  expect(senderOf(crypto, parsed.tx)).toBe(executor)
  expect(crypto.keccak256(raw)).toBe(tx_hash)

  const stock = () =>
    signer.client.cosign({ root_hash: session.rootHash, execution: swapOfStock(world, session).execution })
  const refused = { code: 'TRADE_REFUSED', extras: { signer_checks: [{ rule: 'STOCK_ATTESTATION' }] } }
  await expect(stock()).rejects.toMatchObject(refused)
  await signer.client.attestStock(stockWord(world, hosted, session.walletKey))
  expect(await stock()).toMatchObject({ leaf: { delegate: executor } })
  await signer.client.revokeStock({ executor })
  await expect(stock()).rejects.toMatchObject(refused)
  await world.restartSigner()
  const record = await world.signer.client.executor(executor)
  expect(record).toMatchObject({ owner: hosted.owner, closed: false, active_roots: 1 })
  expect(await world.signer.client.signExecutorTx({ executor, tx: redeemOf(world, session, leaf) })).toEqual({
    raw,
    tx_hash,
  })
})

test(`co-signs only what fits the caps of 200 concurrent requests, ${ROUNDS} rounds`, {
  timeout: 600_000,
}, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const k = 1 + world.random.below(60)
    const byTrades = round % 2 === 0
    // Ten dollars each, at or just below the signer's own price.
    const day = byTrades ? 100_000_000_000 : k * 10_000_000 + 5_000_000
    const session = world.grant({
      limits: {
        max_trade_micro_usd: byTrades ? 1_000_000_000 : Math.min(day, 11_000_000),
        max_day_micro_usd: day,
        max_trades: byTrades ? k : 10_000,
      },
    })
    await world.register(session)
    const intents = Array.from({ length: 200 }, () => honestIntent(plainSwap(world, session, 10_000_000)))
    const outcomes = await Promise.all(intents.map((intent) => send(world, intent)))
    const rule = byTrades ? 'SESSION_TRADES_LEFT' : 'SESSION_MAX_DAY'
    const signed = outcomes.filter(({ status }) => status === 200).length
    // On a slow machine some requests time out; those may be counted, but never beyond the caps.
    const busy = outcomes.filter(({ code }) => code === 'BUSY' || code === 'ENGINE_UNAVAILABLE').length
    expect(outcomes.filter(({ rules }) => rules.join() === rule)).toHaveLength(200 - signed - busy)
    expect(signed).toBeLessThanOrEqual(k)
    if (busy === 0) expect(signed).toBe(k)
    const { sequence, spend } = await world.signer.client.root(session.rootHash)
    expect(sequence).toBe(k)
    expect(spend.day_micro_usd).toBeLessThanOrEqual(day)
  }
})

test('accepts each call once, byte for byte, also after a restart', async () => {
  const { rootHash } = sessions.active
  for (const aheadMs of [0, 25_000]) {
    const { sequence } = await world.signer.client.root(rootHash)
    let sent: Record<string, string> = {}
    const once: Intent = {
      ...honestIntent(honestTrade(world, sessions.active)),
      aheadMs,
      headers(signed) {
        sent = signed
        return signed
      },
    }
    expect(await send(world, once)).toMatchObject({ status: 200 })
    const again: Intent = { ...once, headers: () => sent }
    expect(await send(world, again)).toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
    await world.restartSigner()
    const refused = await send(world, again)
    // A call stamped in the future is not older than the new process, so the ledger must know it.
    expect(refused).toMatchObject(aheadMs === 0 ? { code: 'UNAUTHORIZED' } : { rules: ['REPLAY'] })
    expect((await world.signer.client.root(rootHash)).sequence).toBe(sequence + 1)
  }
})

orderCases(() => world)

test('stays frozen until the operator unfreezes it', async () => {
  const { signer } = world
  const trade = () => send(world, honestIntent(honestTrade(world, sessions.active)))
  expect(await signer.client.freeze(true)).toEqual({ frozen: true })
  expect(await trade()).toMatchObject({ status: 503, code: 'SIGNER_FROZEN' })
  await expect(signer.client.freeze(false)).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await world.restartSigner()
  expect(await trade()).toMatchObject({ status: 503, code: 'SIGNER_FROZEN' })
  await expect(world.register(world.grant())).rejects.toMatchObject({ code: 'SIGNER_FROZEN' })
  const operator = createSignerClient({
    url: world.signer.url,
    secret: signer.operatorSecret,
    clock: systemClock,
  })
  expect(await operator.freeze(false)).toEqual({ frozen: false })
  operator.close()
  expect(await trade()).toMatchObject({ status: 200 })
})

const byToken = (marks: World['marks']) => marks.toSorted((a, b) => (a.token < b.token ? -1 : 1))

test('refuses a mark far below what a pool pays for the token', async () => {
  const at = (bps: bigint) =>
    world.grant({
      marks: byToken(world.marks).map((mark) =>
        mark.token === world.junk
          ? { ...mark, price_e18: ((BigInt(mark.price_e18) * bps) / 10_000n).toString() }
          : mark,
      ),
    })
  await expect(world.register(at(7_000n))).rejects.toMatchObject({
    code: 'CAP_PRICE',
    message: expect.stringContaining('far below the price in a pool'),
  })
  expect(await world.register(at(8_500n))).toMatchObject({ registered: true })
})

test('signs nothing with old prices, prices far from its own, or an unreachable chain', async () => {
  const { devnet, at } = world
  const usdgForEth = () => honestIntent(plainSwap(world, sessions.active, 10_000_000))
  expect(await send(world, usdgForEth())).toMatchObject({ status: 200 })
  await devnet.rpc('devnet_setFeed', ['ETH', { age_s: 86_500 }])
  await until(async () => (await send(world, usdgForEth())).code === 'PRICE_UNAVAILABLE')
  await devnet.rpc('devnet_setFeed', ['ETH', { price: 5_000, age_s: 0 }])
  // At twice the price the same ETH has twice the value: the minimum is half of it, and so are caps in ETH.
  await until(async () => (await send(world, usdgForEth())).code === 'PRICE')
  await expect(world.register(world.grant())).rejects.toMatchObject({ code: 'CAP_PRICE' })
  await devnet.rpc('devnet_setFeed', [
    'ETH',
    { price: Number(world.tokens.get(at.symbol('ETH'))!.priceE18 / 10n ** 18n), age_s: 0 },
  ])
  await until(async () => (await send(world, usdgForEth())).status === 200)
  await devnet.stop()
  await until(async () => (await send(world, usdgForEth())).code === 'CHAIN_UNAVAILABLE', {
    withinMs: 60_000,
  })
  expect(await world.signer.client.health()).toMatchObject({
    status: 'degraded',
    why: 'the chain cannot be read',
  })
})

const inspect = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? inner.toString() : inner)).slice(0, 3_000)
