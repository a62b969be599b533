import { withDb } from '@pit/platform/test/withStore'
import type { CosignedTrade } from '@pit/sessions'
import type { PlanTx } from '@pit/trading'
import { expect, it } from 'vitest'
import { openLiveWorld, refuse } from '../../test/liveTicks.ts'
import { JUNK, pool, TOKENS, USD, usd } from '../../test/paperWorld.ts'
import { AGENT_TOKENS, decisionOf, orderOf } from '../../test/tickWorld.ts'
import { TRACELESS_MS } from './settle.ts'

withDb('ticks of live agents', (db) => {
  const open = () => {
    const world = openLiveWorld(db)
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 20))
    const next = async (id: string) => {
      world.clock.ms = (await world.agentRow(id)).next_tick_ms!
      await world.drain()
    }
    const last = async (id: string) => (await world.logsOf(id)).at(-1)!
    return { ...world, next, last }
  }

  it('trades in its session: co-signed, checked, signed, stored, relayed', async () => {
    const world = open()
    let written: unknown
    world.script.beforeRelay = async () => {
      ;[written] = await db.query('select status, tx_hash from hosted_orders where agent_id = $1', [id])
    }
    const id = await world.addLive()
    await world.drain()
    expect(written).toMatchObject({ status: 'signed', tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) })
    expect(await world.ordersOf(id)).toMatchObject([{ tick: 1, n: 0, status: 'relayed' }])
    expect(await world.last(id)).toMatchObject({
      kind: 'trade',
      fee_bps: 25,
      data: { session_id: world.session.id },
    })
    expect((await world.agentRow(id)).last_trade).toMatchObject({
      tx_hash: (written as { tx_hash: string }).tx_hash,
    })
    // The next tick records the receipt.
    await world.next(id)
    expect((await world.ordersOf(id)).map(({ status }) => status)).toEqual(['filled', 'relayed'])
    expect(world.script.signs).toBe(2)
    const fee = { fee_bps: 25, fee_class: 'major', fee_tier: 25 }
    expect(await rowsOf(world, id)).toMatchObject([
      { kind: 'trade', tick: 1, ...fee },
      { kind: 'watch', tick: 1, message: 'The trade was mined.', ...fee },
      { kind: 'trade', tick: 2, ...fee },
    ])
  })

  it('has exactly one trade row for each trade', async () => {
    const world = open()
    const fee = { fee_bps: 25, fee_class: 'major', fee_tier: 25 }
    for (const [relayed, code] of [
      ['mined', null],
      ['reverted', 'TRADE_FAILED'],
    ] as const) {
      // The bytes were sent, but the worker died before recording it.
      world.script.relayed = relayed
      world.script.afterRelay = refuse('SEQUENCER_UNREACHABLE')
      const id = await world.addLive({ intervalS: 30 })
      await world.drain()
      expect(await rowsOf(world, id)).toEqual([])
      world.script.afterRelay = null
      world.state.brain = () => decisionOf()
      await world.next(id)
      await world.next(id)
      expect(await rowsOf(world, id)).toMatchObject([
        { kind: 'trade', tick: 1, code: null, ...fee },
        { kind: 'watch', tick: 1, code, ...fee },
      ])
      world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 20))
    }
    // The chain has the trade and the relay does not: the fee is taken from the signed order.
    const id = await world.addLive({ intervalS: 30 })
    world.script.submit = refuse('SEQUENCER_UNREACHABLE')
    await world.drain()
    const [order] = await world.ordersOf(id)
    world.chain.knownHashes.add(order!.tx_hash as never)
    await world.next(id)
    expect(await rowsOf(world, id)).toMatchObject([{ kind: 'trade', tick: 1, ...fee }])
  })

  it('does not trade if the agent changes during the trade', async () => {
    const world = open()
    const change = () => db.query('update hosted_agents set revision = revision + 1 where id = $1', [id])
    let id = ''
    for (const moment of ['beforeCosign', 'beforeSign'] as const) {
      world.script.beforeCosign = () => {}
      world.script[moment] = async () => void (await change())
      id = await world.addLive()
      await world.drain()
      expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'CHANGED' })
      expect(await world.ordersOf(id)).toMatchObject([{ status: 'held', code: 'CHANGED', tx_hash: null }])
    }
    expect(await db.query('select 1 from trades where session_id = $1', [world.session.id])).toEqual([])
  })

  it('reads the wallet’s balances from the chain', async () => {
    const world = open()
    let cash: bigint | undefined
    world.state.brain = ({ book }) => {
      cash = book.cashMicroUsd
      expect(book.positions).toMatchObject([
        { token: 'ETH', atoms: 2n * 10n ** 17n, microUsd: 500n * USD },
        { token: 'USDG', microUsd: 1_000n * USD },
      ])
      return decisionOf()
    }
    const id = await world.addLive()
    await world.drain()
    expect(cash).toBe(1_000n * USD)
    world.chain.isDown = true
    await world.next(id)
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'RPC_UNAVAILABLE' })
  })

  it('holds unless both the service and the owner switched live on', async () => {
    const world = open()
    const off = await world.addLive({ live: false })
    await world.drain()
    expect(await world.last(off)).toMatchObject({ kind: 'hold', code: 'LIVE_OFF' })
    world.state.live = false
    const on = await world.addLive()
    await world.drain()
    expect(await world.last(on)).toMatchObject({ kind: 'hold', code: 'LIVE_OFF' })
    expect(world.script.trades).toBe(0)
    expect(await world.ordersOf(on)).toMatchObject([{ status: 'held', code: 'LIVE_OFF' }])
  })

  it('is not co-signed after the operator switched it off, even late in the trade', async () => {
    const world = open()
    for (const [code, switchOff] of [
      ['KILLED', { killed: true }],
      ['LIVE_DISABLED', { live: false }],
    ] as const) {
      Object.assign(world.state, { killed: false, live: true })
      world.script.beforeCosign = () => void Object.assign(world.state, switchOff)
      const id = await world.addLive()
      await world.drain()
      expect(await world.last(id)).toMatchObject({ kind: 'hold', code })
      expect(await world.ordersOf(id)).toMatchObject([{ status: 'held', code }])
    }
    expect(world.script).toMatchObject({ trades: 0, signs: 0 })
  })

  it('holds if the executor has no gas', async () => {
    const world = open()
    world.chain.executorWei = 1n
    const id = await world.addLive()
    await world.drain()
    const row = await world.last(id)
    expect(row).toMatchObject({ kind: 'hold', code: 'EXECUTOR_GAS' })
    expect(row.message).toContain(world.executor)
    expect(world.script.trades).toBe(0)
  })

  it('verifies the response as a client would, before the executor signs', async () => {
    const cases: [string, (trade: CosignedTrade, tx: PlanTx) => void][] = [
      ['TX_REFUSED', (_, tx) => put(tx, { to: JUNK })],
      ['TX_REFUSED', (_, tx) => put(tx, { valueWei: 1n })],
      ['TX_REFUSED', ({ session }) => put(session, { wallet: JUNK })],
      ['RISKS_MISSING', (trade) => put(quoteOf(trade), { risks: undefined })],
      ['RISKS_MISSING', (trade) => put(quoteOf(trade), { risks: [{ code: 'X' }] })],
      [
        'RISKS_MISSING',
        (trade) => put(quoteOf(trade), { risks: [{ code: 'HONEYPOT', severity: 'severe' }] }),
      ],
      ['FEE_CLASS', (trade) => put(quoteOf(trade).fee, { class: 'other' })],
      ['FEE_MISMATCH', (trade) => put(quoteOf(trade).fee, { bps: 26 })],
      ['FEE_MISMATCH', (trade) => put(quoteOf(trade).fee, { bps: 20 })],
      ['SHIELD_MISMATCH', (trade) => put(quoteOf(trade).request, { shield: true })],
      ['MIN_OUT_QUOTE', ({ planned: { plan } }) => put(plan, { amountOutMin: less(plan, 10n) })],
      ['MIN_OUT_QUOTE', ({ planned: { plan } }) => put(plan, { amountOutMin: 0n })],
      ['SIMULATION_FAILED', ({ simulation }) => put(simulation, { ok: false })],
      ['SIMULATION_FAILED', (trade) => put(trade, { ready: false })],
    ]
    for (const [code, tamper] of cases) {
      const world = open()
      world.script.tamper = tamper
      const id = await world.addLive()
      await world.drain()
      expect([await world.last(id), String(tamper)]).toMatchObject([{ kind: 'hold', code }, String(tamper)])
      expect(world.script.signs, code).toBe(0)
      expect(await world.ordersOf(id)).toMatchObject([{ status: 'held', code }])
    }
  })

  it('holds a minimum output below the mark-based floor, whatever the pools quote', async () => {
    const world = open()
    // The pools price ETH at 2,500; the oracle at 2,300.
    world.paper.marks.set(AGENT_TOKENS.ETH.address, usd(2_300))
    const id = await world.addLive()
    await world.drain()
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'MIN_OUT_FLOOR' })
    expect(world.script.signs).toBe(0)
  })

  it('trades stock tokens only with the owner’s attestation, in market hours', async () => {
    const world = open()
    const stock = pool(TOKENS.NVDA, TOKENS.USDG, 20_000n * 10n ** 18n, 2_000_000n * USD)
    world.paper.index.add(stock)
    world.paper.marks.set(TOKENS.NVDA, usd(100))
    world.state.brain = () => decisionOf(orderOf('NVDA/USDG', 'buy', 20))
    const id = await world.addLive({
      pairs: ['NVDA/USDG'],
      tokens: [AGENT_TOKENS.NVDA, AGENT_TOKENS.USDG],
    })
    // A Thursday.
    world.clock.ms = Date.UTC(2027, 0, 21, 15)
    await world.drain()
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'STOCK_ATTESTATION' })
    const attest = (issuedS: number, expiresS: number) =>
      db.query(
        `insert into hosted_stock_attestations (agent_id, executor, session_id, issued_s, expires_s,
           signature, signed_at_s) values ($1, $2, $3, $4, $5, '0x', 0)`,
        [id, world.executor, world.session.id, issuedS, expiresS],
      )
    const thursdayS = Date.UTC(2027, 0, 21) / 1_000
    await attest(thursdayS - 10, thursdayS + 16 * 3_600)
    await world.next(id)
    expect(await world.last(id)).toMatchObject({ kind: 'trade' })
    expect(world.script.attested).toEqual([true])
    // Expired; then another one, revoked; then a valid one on a Saturday.
    world.clock.ms = (thursdayS + 17 * 3_600) * 1_000
    await world.drain()
    expect(await world.last(id)).toMatchObject({ code: 'STOCK_ATTESTATION' })
    await attest(thursdayS + 17 * 3_600, thursdayS + 10 * 86_400)
    await db.query('update hosted_stock_attestations set revoked_at_s = 1 where agent_id = $1', [id])
    await world.next(id)
    expect(await world.last(id)).toMatchObject({ code: 'STOCK_ATTESTATION' })
    await attest(thursdayS + 18 * 3_600, thursdayS + 10 * 86_400)
    world.clock.ms = (thursdayS + 2 * 86_400 + 12 * 3_600) * 1_000
    await world.drain()
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'MARKET_CLOSED' })
    expect(world.script.trades).toBe(1)
  })

  it('holds tokens by address whose record blocks them', async () => {
    const nowS = () => Math.floor(Date.UTC(2027, 0, 21) / 1_000)
    const record = { screened_at: nowS(), stock_beacon: false, tradable: true, risks: [], reference: {} }
    const cases: [string, object | null][] = [
      ['TOKEN_STALE', null],
      ['TOKEN_STALE', { ...record, screened_at: null }],
      ['TOKEN_STALE', { ...record, screened_at: nowS() - 3 * 86_400 }],
      ['STOCK_UNREAD', { ...record, stock_beacon: null }],
      ['HELD_IMPERSONATOR', { ...record, risks: [{ code: 'IMPERSONATOR', severity: 'severe' }] }],
      ['TOKEN_BLOCKED', { ...record, tradable: false }],
      ['SESSION_TOO_LONG', record],
    ]
    const world = open()
    world.clock.ms = nowS() * 1_000
    world.state.brain = () => decisionOf(orderOf(`${JUNK}/ETH`, 'buy', 20))
    const tokens = [AGENT_TOKENS.JUNK, AGENT_TOKENS.ETH]
    for (const [code, record] of cases) {
      world.options.tokens.find = async () => (record ? { record } : undefined) as never
      const id = await world.addLive({ pairs: [`${JUNK}/ETH`], tokens })
      await world.drain()
      expect(await world.last(id), code).toMatchObject({ kind: 'hold', code })
    }
    expect(world.script.trades).toBe(0)
  })

  it('holds trades against a depegged dollar or a frozen price', async () => {
    const world = open()
    const mark = world.options.market.mark
    for (const why of ['off_peg', 'frozen'] as const) {
      world.options.market.mark = (token) => {
        const original = mark(token)
        return original && token === AGENT_TOKENS.USDG.address
          ? { ...original, stale: true, staleWhy: why }
          : original
      }
      const id = await world.addLive()
      await world.drain()
      expect(await world.last(id), why).toMatchObject({ kind: 'hold', code: 'TOKEN_STALE' })
    }
    expect(world.script.trades).toBe(0)
  })

  it('applies its own risk terms if the session’s are wider', async () => {
    const world = open()
    world.paper.world.risks.set(AGENT_TOKENS.ETH.address, [
      { code: 'TOKEN_PAUSED', severity: 'severe', message: 'paused' },
    ])
    const id = await world.addLive()
    await world.drain()
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'RISK_NOT_ACCEPTED' })
    const accepts = { acceptRisks: ['TOKEN_PAUSED'], shield: true, policies: ['block_severe'] as const }
    const shielded = await world.addLive({ terms: accepts })
    await world.drain()
    expect(await world.last(shielded)).toMatchObject({ kind: 'hold', code: 'RISK_BLOCKED' })
    expect(world.script.trades).toBe(0)
    const takes = await world.addLive({ terms: { ...accepts, shield: false, policies: null } })
    await world.drain()
    expect(await world.last(takes)).toMatchObject({ kind: 'trade' })
  })

  it('pauses if its session ended, before or during the tick', async () => {
    const world = open()
    const id = await world.addLive()
    world.script.refuse = refuse('SESSION_EXPIRED')
    await world.drain()
    expect(await world.agentRow(id)).toMatchObject({
      status: 'paused',
      pause_reason: { code: 'SESSION_ENDED' },
    })
    expect((await world.logsOf(id)).map(({ kind }) => kind)).toEqual(['decision', 'session', 'hold'])
    world.script.refuse = null
    world.session.status = 'revoked'
    const other = await world.addLive()
    await world.drain()
    expect(await world.agentRow(other)).toMatchObject({
      status: 'paused',
      pause_reason: { code: 'SESSION_ENDED', why: 'revoked' },
      lease_by: null,
    })
    expect(await world.logsOf(other)).toMatchObject([{ kind: 'session', code: 'SESSION_ENDED' }])
  })

  it('logs the co-signer’s refusal with the failed checks', async () => {
    const world = open()
    world.script.refuse = refuse('SIGNER_FROZEN')
    const id = await world.addLive()
    await world.drain()
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'SIGNER_FROZEN' })
    expect(await world.agentRow(id)).toMatchObject({ status: 'active' })
  })

  it('never signs an order twice: an unfinished one is looked up', async () => {
    const world = open()
    const id = await world.addLive()
    world.script.submit = refuse('SEQUENCER_UNREACHABLE')
    await world.drain()
    expect(await world.ordersOf(id)).toMatchObject([{ status: 'signed' }])
    expect(await world.last(id)).toMatchObject({ kind: 'error', code: 'SEQUENCER_UNREACHABLE' })
    world.script.submit = null
    world.clock.ms = (await world.agentRow(id)).next_tick_ms!
    await world.drain()
    // The bytes are unknown to relay and chain, but may still be redeemed: the agent waits.
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'TRADE_PENDING' })
    expect(world.script.signs).toBe(1)
    world.clock.ms += TRACELESS_MS
    await world.drain()
    const orders = await world.ordersOf(id)
    expect(orders[0]).toMatchObject({ status: 'failed', code: 'TRADE_LOST' })
    expect(orders[1]).toMatchObject({ status: 'relayed' })
  })

  it('waits for a pending trade, and reports a failed one', async () => {
    const world = open()
    world.script.relayed = 'pending'
    const id = await world.addLive({ intervalS: 30 })
    await world.drain()
    await world.next(id)
    expect(await world.last(id)).toMatchObject({ kind: 'hold', code: 'TRADE_PENDING' })
    await db.query(`update trades set status = 'reverted' where session_id = $1`, [world.session.id])
    world.script.relayed = 'mined'
    await world.next(id)
    const orders = await world.ordersOf(id)
    expect(orders[0]).toMatchObject({ status: 'failed', code: 'TRADE_FAILED' })
    expect(orders[1]).toMatchObject({ status: 'relayed' })
    expect((await world.logsOf(id)).map(({ code }) => code)).toContain('TRADE_FAILED')
  })

  it('executes a second order of a tick only after the first was mined', async () => {
    const world = open()
    world.state.brain = () => decisionOf(orderOf('ETH/USDG', 'buy', 20), orderOf('ETH/USDG', 'buy', 20))
    const id = await world.addLive()
    await world.drain()
    expect((await world.ordersOf(id)).map(({ status }) => status)).toEqual(['relayed', 'relayed'])
    world.script.relayed = 'reverted'
    await world.next(id)
    expect((await world.ordersOf(id)).slice(2)).toMatchObject([
      { status: 'relayed' },
      { status: 'held', code: 'TRADE_PENDING' },
    ])
  })
})

/** Log rows of trades, oldest first. */
const rowsOf = async ({ logsOf }: ReturnType<typeof openLiveWorld>, id: string) =>
  (await logsOf(id)).filter(({ kind }) => kind === 'trade' || kind === 'watch')
const put = (target: object, fields: object): void => {
  Object.assign(target, fields)
}
const quoteOf = ({ planned }: CosignedTrade) => planned.request.quote
const less = ({ amountOutMin }: { amountOutMin: bigint }, percent: bigint): bigint =>
  (amountOutMin * (100n - percent)) / 100n
