import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { decodeExecute, encodeExecute, type RouterCommand } from '@pit/chain'
import {
  type ChainProfile,
  canonicalJson,
  ERRORS,
  FAST_RULES,
  FAST_TERMS,
  stockSessionOpen,
} from '@pit/protocol'
import { type Hex, keccak256, parseTransaction, serializeTransaction, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Changes,
  type FastReply,
  type FastTrader,
  freshenFeeds,
  openFastTrader,
  privateKeyOf,
} from './fast/fastTrader.ts'
import { startServerProcess } from './serverProcess.ts'
import { receiptOf } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld, tradingEnv } from './trading/world.ts'

let world: TradingWorld
let trader: FastTrader
/** Codes that were answered here, whatever the test. */
const provoked = new Set<string>()

beforeAll(async () => {
  world = await openTradingWorld({ server: { FAST_ENABLED: '1' } })
  trader = await openFastTrader(world, 3)
  for (const symbol of ['USDG', 'WETH', 'NVDA', 'SPY']) await trader.approve(symbol)
})
afterAll(async () => {
  await world?.close()
})

/** Long enough for marks, balances and blocks to be followed again. */
const settle = () => sleep(900)

/** Feeds written now, and read by the server. */
async function freshen(): Promise<void> {
  await freshenFeeds(world.devnet)
  await settle()
}
async function refused(pair: string, changes: Changes): Promise<NonNullable<FastReply['body']['error']>> {
  const { body, hash } = await trader.build(pair, changes)
  return refusedBody(body, hash)
}
async function refusedBody(body: object, hash?: Hex) {
  const { status, body: answer } = await trader.send(body)
  const error = answer.error
  if (!error) throw new Error(`it was not refused: ${JSON.stringify(answer)}`)
  provoked.add(error.code)
  expect(ERRORS[error.code as keyof typeof ERRORS].statuses as readonly number[]).toContain(status)
  const failures = error['failures'] as { code: string; message: string }[]
  expect(failures[0]?.code).toBe(error.code)
  const places = failures.map(({ code }) => FAST_RULES.indexOf(code as never))
  expect(places).toEqual([...places].sort((a, b) => a - b))
  for (const term of FAST_TERMS[error.code as keyof typeof FAST_TERMS] ?? []) {
    expect(error['terms']).toHaveProperty(term)
  }
  if (hash) expect(await seen(hash)).toBe(0)
  return error
}
const seen = (hash: Hex) => world.devnet.rpc<number>('devnet_sequencerSeen', [hash])
const codesOf = (error: { [extra: string]: unknown }) =>
  (error['failures'] as { code: string }[]).map(({ code }) => code)

describe('good trades', () => {
  it('are mined on every pinned route: the wallet gets its minimum, the recipient its fee to the atom', async () => {
    const { routes } = trader.terms()
    const pairs = Object.keys(routes.pairs)
    expect(pairs.length).toBeGreaterThanOrEqual(12)
    for (const pair of pairs) {
      await freshen()
      const row = routes.pairs[pair]!
      const permit = row.permit !== null && pair.startsWith('USDG')
      const built = await trader.build(pair, { permit, usd: 60 })
      const before = {
        fee: await trader.balance(row.fee.token, row.fee.recipient),
        out: await trader.balance(row.token_out.address),
      }
      const { status, body } = await trader.send(built.body)
      expect(status, `${pair}: ${JSON.stringify(body.error)}`).toBe(200)
      expect(body).toMatchObject({ tx_hash: built.hash, relayed: true, repeat: false })
      const receipt = await receiptOf(world.devnet, built.hash)
      expect(receipt.status, pair).toBe('0x1')
      expect(Number(receipt.gasUsed), pair).toBeLessThan(row.gas_floor + (permit ? row.permit!.gas_add : 0))
      const gas =
        BigInt(row.token_out.address) === 0n
          ? BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
          : 0n
      const got = (await trader.balance(row.token_out.address)) - before.out + gas
      const fee = (await trader.balance(row.fee.token, row.fee.recipient)) - before.fee
      expect(got >= built.minOut, pair).toBe(true)
      const base = row.fee.side === 'input' ? built.amountIn : got + fee
      expect(fee, pair).toBe((base * BigInt(body.fee.bps)) / 10_000n)
      expect(await seen(built.hash)).toBe(1)
      // The allowance that the permit replaced, for what comes next.
      if (permit) await trader.approve('USDG')
    }
  })

  it('are told again by the same bytes, also when their time is over, and never sent again', async () => {
    await freshen()
    const built = await trader.build('ETH/USDG', { deadline: Math.floor(Date.now() / 1000) + 6 })
    expect((await trader.send(built.body)).body).toMatchObject({ relayed: true, repeat: false })
    expect((await trader.send(built.body)).body).toMatchObject({ tx_hash: built.hash, repeat: true })
    await receiptOf(world.devnet, built.hash)
    await sleep(7_000)
    const { status, body } = await trader.send(built.body)
    expect(status).toBe(200)
    expect(body).toMatchObject({ tx_hash: built.hash, relayed: true, repeat: true })
    expect(await seen(built.hash)).toBe(1)
  })

  it('can be checked without being sent, on a lent balance too', async () => {
    await freshen()
    const { body, hash } = await trader.build('ETH/USDG', { body: { check_only: true } })
    const { body: answer } = await trader.send(body)
    expect(answer).toMatchObject({ tx_hash: hash, relayed: false, simulation: { ok: true } })
    expect(await seen(hash)).toBe(0)
    // More than the wallet holds.
    const poor = await openFastTrader(world, 8)
    const all = await poor.balance(world.core('USDG'))
    await poor.sendOwn({
      to: world.core('USDG'),
      data: `0xa9059cbb${trader.wallet.slice(2).padStart(64, '0')}${all.toString(16).padStart(64, '0')}`,
    })
    const lent = await poor.trade('USDG/ETH', { body: { check_only: true, fund: true } })
    expect(lent.body).toMatchObject({ relayed: false, simulation: { ok: true, funded_by_overrides: true } })
    const own = await poor.trade('USDG/ETH', { body: { check_only: true } })
    expect(own.body.error?.code).toBe('SIMULATION_FAILED')
  })

  it('are in the wallet’s trades as fast ones, and refused calls where they are asked for', async () => {
    await freshen()
    const { hash } = await trade('ETH/USDG', {})
    await receiptOf(world.devnet, hash)
    await refused('ETH/USDG', { usd: 0.5 })
    await settle()
    type Rows = { trades: { path: string; status: string; tx_hash: string | null; code?: string }[] }
    const { trades } = (await trader.get<Rows>('me/trades?limit=5')).body
    expect(trades[0]).toMatchObject({ path: 'fast', status: 'mined', tx_hash: hash })
    const all = (await trader.get<Rows>('me/trades?limit=5&refused=1')).body
    expect(all.trades[0]).toMatchObject({ path: 'fast', status: 'refused', code: 'NOTIONAL' })
    type Portfolio = { volume: { volume_usd: number } }
    const portfolio = (await trader.get<Portfolio>('me/portfolio')).body
    expect(portfolio.volume.volume_usd).toBeGreaterThan(100)
  })
})

async function trade(pair: string, changes: Changes) {
  const built = await trader.build(pair, changes)
  const { status, body } = await trader.send(built.body)
  expect(status, JSON.stringify(body.error)).toBe(200)
  return { ...built, answer: body }
}

describe('what is refused before anything is relayed', () => {
  beforeAll(freshen)

  it('unreadable and badly encoded transactions', async () => {
    for (const raw_tx of ['0x', '0x80', '0xb8ff']) {
      expect(await refused('ETH/USDG', { body: { raw_tx } })).toMatchObject({
        code: 'BAD_REQUEST',
        field: 'raw_tx',
      })
    }
    expect(await refused('ETH/USDG', { body: { raw_tx: 'zz' } })).toMatchObject({ code: 'BAD_REQUEST' })
    const { body, hash } = await trader.build('ETH/USDG')
    const raw = body.raw_tx
    for (const bad of [`${raw}00`, raw.slice(0, -2), await withHighS(raw), await withAccessList(raw)]) {
      expect(await refusedBody({ ...body, raw_tx: bad }, hash)).toMatchObject({ code: 'TX_ENCODING' })
    }
  })

  it('other types, chains, targets, values and signers', async () => {
    const { body } = await trader.build('ETH/USDG')
    const {
      chainId: _,
      maxFeePerGas: __,
      maxPriorityFeePerGas: ___,
      type: ____,
      ...call
    } = parseTransaction(body.raw_tx) as never as {
      to: Hex
      data: Hex
      value: bigint
      gas: bigint
      nonce: number
    } & Record<string, unknown>
    const legacy = await privateKeyToAccount(trader.privateKey).signTransaction({
      to: call.to,
      data: call.data,
      value: call.value,
      gas: call.gas,
      nonce: call.nonce,
      type: 'legacy',
      gasPrice: 10n ** 9n,
      chainId: 4663,
    })
    expect(await refusedBody({ ...body, raw_tx: legacy })).toMatchObject({ code: 'TX_TYPE' })
    expect(await refused('ETH/USDG', { tx: { chainId: 1 } })).toMatchObject({ code: 'CHAIN_ID' })
    expect(await refused('ETH/USDG', { tx: { to: trader.wallet } })).toMatchObject({ code: 'ROUTER' })
    expect(await refused('ETH/USDG', { tx: { value: 1n } })).toMatchObject({ code: 'VALUE' })
    expect(await refused('ETH/USDG', { privateKey: privateKeyOf(4) })).toMatchObject({
      code: 'WALLET_MISMATCH',
    })
  })

  it('pairs, sizes and times', async () => {
    expect(await refused('ETH/USDG', { body: { token_out: 'cbBTC' } })).toMatchObject({ code: 'FAST_PAIR' })
    expect(await refused('ETH/USDG', { body: { token_out: 'PARTNER' } })).toMatchObject({ code: 'FAST_PAIR' })
    for (const usd of [0.9, 2_600]) {
      expect(await refused('ETH/USDG', { usd })).toMatchObject({ code: 'NOTIONAL' })
    }
    expect(await refused('ETH/NVDA', { usd: 1_100 })).toMatchObject({ code: 'ROUTE_CAP' })
    const nowS = Math.floor(Date.now() / 1000)
    for (const deadline of [nowS - 1, nowS + 90]) {
      expect(await refused('ETH/USDG', { deadline })).toMatchObject({ code: 'DEADLINE' })
    }
    const sized = await refused('ETH/USDG', { body: { amount_usd: 110 } })
    expect(sized).toMatchObject({ code: 'AMOUNT_USD' })
    expect(await refused('ETH/USDG', { body: { max_notional_usd: 50 } })).toMatchObject({
      code: 'CLIENT_CAP',
    })
  })

  it('gas, fee and minimum, each with the terms that would pass', async () => {
    const base = await trader.baseFee()
    for (const tx of [
      { gas: 90_000n },
      { gas: 1_100_000n },
      { maxFeePerGas: base - 1n },
      { maxFeePerGas: base * 11n },
    ]) {
      const error = await refused('ETH/USDG', { tx })
      expect(error).toMatchObject({
        code: 'GAS',
        terms: { base_fee_wei: expect.stringMatching(/^[1-9]\d*$/) },
      })
    }
    const fee = trader.terms().fee.bps
    const wrong = await refused('ETH/USDG', { feeBps: fee - 1 })
    expect(wrong).toMatchObject({ code: 'FEE_BPS', terms: { fee: { bps: fee } } })
    const hidden = await refused('USDG/ETH', { feeBps: fee - 1, body: { fee_bps: fee } })
    expect(codesOf(hidden)).toEqual(['FEE_BPS', 'NOT_AS_BUILT'])
    const shielded = await refused('ETH/USDG', { body: { shield: true } })
    expect(shielded).toMatchObject({ code: 'FEE_BPS', terms: { fee: { bps: fee + 10 } } })
    expect((await trader.readTerms('?shield=1')).fee).toMatchObject({ bps: fee + 10, tier_bps: fee })

    const low = await refused('ETH/USDG', { underBps: 500 })
    expect(low.code).toBe('MIN_OUT')
    const { floor } = low['terms'] as { floor: string }
    const atFloor = { minOut: BigInt(floor), body: { check_only: true } }
    expect((await trader.trade('ETH/USDG', atFloor)).status).toBe(200)
    expect(await refused('ETH/USDG', { ...atFloor, minOut: BigInt(floor) - 1n })).toMatchObject({
      code: 'MIN_OUT',
    })
  })

  it('permits that are not for exactly this trade', async () => {
    const nowS = Math.floor(Date.now() / 1000)
    const next = await trader.permitNonce(world.core('USDG'))
    for (const permitWith of [
      { amount: 5n },
      { expiration: nowS + 4_000 },
      { sig_deadline: nowS + 4_000 },
      { nonce: next + 1 },
      { key: privateKeyOf(4) },
    ]) {
      expect(codesOf(await refused('USDG/ETH', { permit: true, permitWith }))).toContain('PERMIT')
    }
    const permit = { amount: '5', expiration: nowS + 100, nonce: 0, sig_deadline: nowS + 100 }
    const riding = { ...permit, signature: `0x${'11'.repeat(64)}1b` }
    expect(codesOf(await refused('ETH/USDG', { body: { permit: riding } }))).toContain('PERMIT')
    expect(await refused('USDG/ETH', { permit: true, permitWith: { nonce: next + 1 } })).toMatchObject({
      code: 'PERMIT',
    })
  })

  it('calldata of another shape, by what differs', async () => {
    const other = trader.wallet
    const cases: [string, string, (commands: RouterCommand[]) => RouterCommand[]][] = [
      ['ETH/USDG', 'FEE_RECIPIENT', edit('TRANSFER', { recipient: other })],
      ['ETH/USDG', 'FEE_TOKEN', edit('TRANSFER', { token: world.core('USDG') })],
      ['ETH/USDG', 'FEE_COUNT', (commands) => [...commands, commands[0]!]],
      ['ETH/USDG', 'FEE_COUNT', (commands) => commands.slice(1)],
      ['WETH/USDG', 'RECIPIENT', edit('V3_SWAP_EXACT_IN', { recipient: other })],
      ['USDG/ETH', 'RECIPIENT', edit('SWEEP', { recipient: other })],
      [
        'WETH/USDG',
        'ROUTE',
        edit('V3_SWAP_EXACT_IN', {
          path: { tokens: [world.core('WETH'), world.core('USDG')], fees: [3000] },
        }),
      ],
      ['USDG/ETH', 'COMMANDS', (commands) => [...commands, commands[commands.length - 1]!]],
      [
        'ETH/USDG',
        'FEE_SIDE',
        ([fee, ...rest]) => [
          ...rest,
          {
            command: 'PAY_PORTION',
            token: world.core('USDG'),
            recipient: (fee as { recipient: Hex }).recipient,
            bips: 25n,
          },
        ],
      ],
      ['WETH/USDG', 'AS_BUILT', edit('V3_SWAP_EXACT_IN', { amountOutMin: 7n })],
    ]
    for (const [pair, diff, change] of cases) {
      const error = await refused(pair, { tx: { data: (data) => recoded(data, change) } })
      expect(codesOf(error), diff).toContain('NOT_AS_BUILT')
      if (error.code === 'NOT_AS_BUILT') expect(error['diffs'], diff).toContain(diff)
      const failure = (error['failures'] as { code: string; value: string[] }[]).find(
        ({ code }) => code === 'NOT_AS_BUILT',
      )
      expect(failure?.value, `${pair} ${diff}`).toContain(diff)
    }
    const dirty = await refused('ETH/USDG', { tx: { data: (data) => `${data}00` } })
    expect(dirty).toMatchObject({ code: 'NOT_AS_BUILT', diffs: ['CALLDATA'] })
  })

  it('stale prices', async () => {
    // A round may stand for as long as the feed's heartbeat.
    await world.devnet.rpc('devnet_setFeed', ['ETH', { age_s: 3_000 }])
    await settle()
    expect((await trader.trade('ETH/USDG', { body: { check_only: true } })).body.error).toBeUndefined()
    await world.devnet.rpc('devnet_setFeed', ['ETH', { age_s: 3_700 }])
    await settle()
    expect(await refused('ETH/USDG', {})).toMatchObject({ code: 'PRICE_STALE' })
    expect(codesOf(await refused('WETH/USDG', {}))).toEqual(['PRICE_STALE'])
    await freshen()
  })

  it('stock tokens without the owner’s word, paused, or barred to the wallet', async () => {
    const unsaid = await refused('USDG/NVDA', { body: { owner_attests_non_us: false } })
    expect(unsaid).toMatchObject({ code: 'GEOFENCE' })
    await world.devnet.rpc('devnet_pauseStock', ['NVDA', true])
    await settle()
    expect(codesOf(await refused('USDG/NVDA', {}))).toEqual(['STOCK_PAUSED', 'SIMULATION_FAILED'])
    await world.devnet.rpc('devnet_pauseStock', ['NVDA', false])
    await world.devnet.rpc('devnet_blockWallet', ['SPY', trader.wallet, true])
    await settle()
    expect(await refused('SPY/USDG', {})).toMatchObject({ code: 'WALLET_BLOCKED' })
    await world.devnet.rpc('devnet_blockWallet', ['SPY', trader.wallet, false])
    await settle()
  })

  it('trades that the chain would revert, or the wallet cannot pay', async () => {
    const bare = await openFastTrader(world, 7)
    const reverting = await bare.trade('USDG/ETH')
    expect(reverting.body.error).toMatchObject({
      code: 'SIMULATION_FAILED',
      simulation: { ok: false, checks: [{ code: 'EXECUTES', ok: false }] },
    })
    provoked.add('SIMULATION_FAILED')
    const unfunded = await bare.trade('USDG/ETH', { body: { simulate: false } })
    expect(unfunded.body.error).toMatchObject({ code: 'FAST_FUNDS' })
    provoked.add('FAST_FUNDS')
    await bare.approve('USDG', { router: false })
    // With a permit the router needs no allowance of its own; a hint that is behind is no reason to refuse.
    const paid = await bare.trade('USDG/ETH', { permit: true, body: { simulate: false } })
    expect(paid.status, JSON.stringify(paid.body.error)).toBe(200)
    expect((await receiptOf(world.devnet, paid.body.tx_hash as Hex)).status).toBe('0x1')
  })

  it('a pool far from the marks, and a minimum far from the reference pools', async () => {
    const far = await refused('ETH/NVDA', { underBps: 370, body: { simulate: false } })
    expect(far.code).toBe('ROUTE_VS_MID')
    const price = Number(await trader.price('ETH')) / 1e8
    await world.devnet.rpc('devnet_setFeed', ['ETH', { price: price * 1.02 }])
    await settle()
    const error = await refused('ETH/USDG', { underBps: 270 })
    expect(codesOf(error)).toContain('POOL_FAR')
    expect(error.code).toBe('POOL_FAR')
    await world.devnet.rpc('devnet_setFeed', ['ETH', { price }])
    await settle()
  })

  it('several at once: the earlier is the answer, all are listed', async () => {
    const error = await refused('ETH/USDG', { deadline: 5, tx: { gas: 1n }, body: { amount_usd: 1 } })
    expect(error.code).toBe('DEADLINE')
    expect(codesOf(error)).toEqual(expect.arrayContaining(['DEADLINE', 'GAS', 'AMOUNT_USD']))
  })
})

describe('what the sequencer says', () => {
  beforeAll(freshen)
  const sequencer = (state: object) => world.devnet.rpc('devnet_sequencer', [state])

  it('no: SUBMIT_REJECTED, and the same bytes may be sent again', async () => {
    const built = await trader.build('ETH/USDG')
    await sequencer({ mode: 'refuse' })
    const { status, body } = await trader.send(built.body)
    await sequencer({ mode: 'ok' })
    expect([status, body.error?.code]).toEqual([422, 'SUBMIT_REJECTED'])
    provoked.add('SUBMIT_REJECTED')
    expect((await trader.send(built.body)).body).toMatchObject({ relayed: true, repeat: false })
    await receiptOf(world.devnet, built.hash)
  })

  it('nothing: SEQUENCER_UNREACHABLE, and the chain tells later', async () => {
    const built = await trader.build('ETH/USDG')
    await sequencer({ mode: 'lossy' })
    const { status, body } = await trader.send(built.body)
    await sequencer({ mode: 'ok' })
    expect([status, body.error?.code]).toEqual([502, 'SEQUENCER_UNREACHABLE'])
    provoked.add('SEQUENCER_UNREACHABLE')
    await receiptOf(world.devnet, built.hash)
    expect((await trader.send(built.body)).body).toMatchObject({ tx_hash: built.hash, repeat: true })
    expect(await seen(built.hash)).toBe(1)
  })

  it('slowly: the same bytes meanwhile are IN_FLIGHT', async () => {
    await freshen()
    const built = await trader.build('ETH/USDG')
    await sequencer({ mode: 'slow', delay_ms: 1_500 })
    const first = trader.send(built.body)
    await sleep(700)
    const second = await trader.send(built.body)
    await sequencer({ mode: 'ok' })
    expect([second.status, second.body.error?.code]).toEqual([409, 'IN_FLIGHT'])
    provoked.add('IN_FLIGHT')
    expect((await first).body).toMatchObject({ relayed: true, repeat: false })
    await receiptOf(world.devnet, built.hash)
    expect(await seen(built.hash)).toBe(1)
  })

  it('the nonce is taken: NONCE, with what the chain shows', async () => {
    const nonce = await trader.nonce()
    const built = await trader.build('ETH/USDG', { tx: { nonce }, body: { simulate: false } })
    await trader.sendOwn({ to: trader.wallet, nonce })
    const { status, body } = await trader.send(built.body)
    expect([status, body.error?.code]).toEqual([422, 'NONCE'])
    expect(body.error?.['chain']).toEqual({ spent: true, nonce: nonce + 1 })
    provoked.add('NONCE')
  })
})

describe('other servers', () => {
  it('without fast mode refuse it before they read a word', async () => {
    const off = await startServerProcess(tradingEnv(world.devnet))
    try {
      const client = await openFastTrader(world, 5, off.url)
      expect(client.terms()).toMatchObject({
        enabled: false,
        routes: { sha256: trader.terms().routes.sha256 },
      })
      const answer = await fetch(`${off.url}/api/v1/live/fast`, {
        method: 'POST',
        headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' },
        body: 'no JSON at all',
      })
      const { error } = (await answer.json()) as { error: { code: string; failures: unknown[] } }
      expect([answer.status, error.code, error.failures.length]).toEqual([403, 'FAST_DISABLED', 1])
      provoked.add('FAST_DISABLED')
    } finally {
      await off.stop()
    }
  })

  it('keep the stock session’s hours, and trade nothing whose mid they cannot read', async () => {
    const profile = JSON.parse(readFileSync(world.devnet.profileFile, 'utf8')) as ChainProfile
    profile.pins.reference_pools['SPY'] = []
    for (const token of profile.core_tokens) {
      if (token.symbol === 'NVDA' && token.feed) token.feed.session = 'stock'
    }
    const file = `${world.devnet.profileFile}.other.json`
    writeFileSync(file, JSON.stringify(profile))
    const other = await startServerProcess({ ...tradingEnv(world.devnet), FAST_ENABLED: '1', PROFILE: file })
    try {
      await freshen()
      const client = await openFastTrader(world, 3, other.url)
      const midless = await client.trade('USDG/SPY', { body: { check_only: true } })
      expect(midless.body.error).toMatchObject({ code: 'NO_REFERENCE_MID' })
      provoked.add('NO_REFERENCE_MID')
      const open = stockSessionOpen(Date.now())
      expect(client.terms().stock_session_open).toBe(open)
      const { status, body } = await client.trade('USDG/NVDA', { body: { check_only: true } })
      // Which of the two it is depends on the day; the rule itself is tested with a clock of its own.
      expect([status, body.error?.code]).toEqual(open ? [200, undefined] : [422, 'MARKET_CLOSED'])
      if (body.error) provoked.add(body.error.code)
    } finally {
      await other.stop()
    }
  })
})

it('provoked every code of the table', () => {
  const missed = FAST_RULES.filter((code) => !provoked.has(code))
  // On a weekday stocks trade: then rules.test.ts alone sees them closed, by a clock of its own.
  expect(missed).toEqual(stockSessionOpen(Date.now()) ? ['MARKET_CLOSED'] : [])
})

it('lets a stranger verify what the terms pin', async () => {
  const config = (await (await fetch(`${world.server.url}/api/v1/config`)).json()) as {
    routes: { version: string; sha256: string }
  }
  const { sha256, ...table } = trader.terms().routes
  expect(config.routes).toEqual({ version: table.version, sha256 })
  expect(
    createHash('sha256')
      .update(canonicalJson(table as never))
      .digest('hex'),
  ).toBe(sha256)
})

/** The same signature's other form: valid to a curve, refused by a canonical reader. */
async function withHighS(raw: Hex): Promise<Hex> {
  const {
    r,
    s,
    yParity,
    v: _,
    ...tx
  } = parseTransaction(raw) as never as {
    r: Hex
    s: Hex
    yParity: number
    v: bigint
  }
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const high = toHex(order - BigInt(s), { size: 32 })
  const signature = { r, s: high, yParity: yParity === 0 ? 1 : 0 }
  const changed = serializeTransaction(tx as never, signature as never)
  if (keccak256(changed) === keccak256(raw)) throw new Error('nothing changed')
  return changed
}

async function withAccessList(raw: Hex): Promise<Hex> {
  const {
    r: _,
    s: __,
    yParity: ___,
    v: ____,
    ...tx
  } = parseTransaction(raw) as never as Record<string, unknown>
  const accessList = [{ address: trader.wallet, storageKeys: [] }]
  return privateKeyToAccount(trader.privateKey).signTransaction({ ...tx, accessList } as never)
}

/** The call with its commands changed, in the router's own encoding. */
function recoded(data: Hex, change: (commands: RouterCommand[]) => RouterCommand[]): Hex {
  const decoded = decodeExecute(data)
  if (!decoded.ok) throw new Error(decoded.why)
  return encodeExecute({ ...decoded.call, commands: change([...decoded.call.commands]) })
}
const edit =
  (name: RouterCommand['command'], fields: object) =>
  (commands: RouterCommand[]): RouterCommand[] =>
    commands.map((command) =>
      command.command === name ? ({ ...command, ...fields } as RouterCommand) : command,
    )
