import type { Address } from '@pit/chain'
import { systemClock } from '@pit/platform/clock'
import type { Db } from '@pit/platform/db'
import { runJobs } from '@pit/platform/jobs'
import { createLogger, createMetrics } from '@pit/platform/monitoring'
import { withDb } from '@pit/platform/test/withStore'
import { DAY_MS, NATIVE_TOKEN } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { addressOf, addTrade, openTestAccount, START_MS, TOKENS } from '../test/openTestAccount.ts'
import { createRefusalLog, type Refusal } from './refusalLog.ts'

let wallets = 0
const newWallet = (): Address => addressOf(0xc0000 + ++wallets)
const refusal = (wallet: Address, more: Partial<Refusal> = {}): Refusal => ({
  keyId: 7,
  wallet,
  path: 'agent',
  code: 'MAX_NOTIONAL',
  tokenIn: 'ETH',
  tokenOut: TOKENS.USDG,
  amountIn: 5n,
  ...more,
})

withDb('refused calls', (db) => {
  const countOf = async (wallet: Address, status = 'refused') => {
    const [row] = await db.query<{ n: number }>(
      'select count(*) as n from trades where wallet = $1 and status = $2',
      [wallet, status],
    )
    return row!.n
  }

  it('are listed among the trades on request, newest first, with their code', async () => {
    const account = openTestAccount(db)
    const wallet = newWallet()
    const id = await addTrade(db, { wallet })
    account.recordRefusal(refusal(wallet, { amountIn: null, code: 'NO_ROUTE' }))
    account.clock.ms += 2_000
    const second = {
      path: 'session',
      sessionId: 'ses_9',
      amountOutMin: 77n,
      tokenIn: addressOf(0xab).toUpperCase(),
    }
    account.recordRefusal(
      refusal(wallet, { ...second, tokenIn: second.tokenIn.replace('0X', '0x') } as Refusal),
    )
    await account.close()
    const { trades } = await account.listTrades({ wallet, limit: 50, withNeverMined: true })
    expect(trades).toMatchObject([
      {
        created_at_ms: START_MS + 2_000,
        path: 'session',
        session_id: 'ses_9',
        status: 'refused',
        code: 'MAX_NOTIONAL',
        tokenIn: { token: addressOf(0xab) },
        amount_in: '5',
        amount_out: null,
        amount_out_kind: null,
        amount_out_min: '77',
        tx_hash: null,
        block: null,
      },
      {
        created_at_ms: START_MS,
        code: 'NO_ROUTE',
        tokenIn: { token: 'ETH', address: NATIVE_TOKEN },
        tokenOut: { token: 'USDG', address: TOKENS.USDG },
        amount_in: null,
        amount_out_min: null,
      },
      { id, status: 'mined' },
    ])
    expect((await account.listTrades({ wallet, limit: 50, withNeverMined: false })).trades).toHaveLength(1)
  })

  it('are written automatically a moment later', async () => {
    const account = openTestAccount(db)
    const wallet = newWallet()
    account.recordRefusal(refusal(wallet))
    expect(await countOf(wallet)).toBe(0)
    await expect.poll(() => countOf(wallet), { timeout: 20_000 }).toBe(1)
    await account.close()
  })

  it('are not stored without token or wallet, or after close', async () => {
    const account = openTestAccount(db)
    const wallet = newWallet()
    account.recordRefusal(refusal(wallet, { tokenIn: 'DOGE' }))
    account.recordRefusal(refusal(wallet, { tokenOut: '0x12' }))
    account.recordRefusal(refusal('0xnobody' as Address))
    account.recordRefusal(refusal(wallet, { amountIn: 2n ** 256n, amountOutMin: -1n }))
    await account.close()
    account.recordRefusal(refusal(wallet))
    await account.close()
    const { trades } = await account.listTrades({ wallet, limit: 50, withNeverMined: true })
    expect(trades).toMatchObject([{ amount_in: null, amount_out_min: null }])
  })

  it('are limited to the newest 500 per wallet, without deleting trades', async () => {
    const account = openTestAccount(db)
    const [loud, quiet] = [newWallet(), newWallet()]
    const trade = await addTrade(db, { wallet: loud })
    // Refused by the sequencer, but may still be mined.
    await addTrade(db, { wallet: loud, status: 'refused', sent: true })
    account.recordRefusal(refusal(quiet))
    for (let i = 1; i <= 1_200; i++) account.recordRefusal(refusal(loud, { amountIn: BigInt(i) }))
    await account.close()
    expect(await countOf(loud)).toBe(501)
    expect(await countOf(quiet)).toBe(1)
    const { trades } = await account.listTrades({ wallet: loud, limit: 100, withNeverMined: true })
    expect(trades.map(({ amount_in }) => amount_in)).toEqual(
      Array.from({ length: 100 }, (_, i) => String(1_200 - i)),
    )
    const mined = await account.listTrades({ wallet: loud, limit: 50, withNeverMined: false })
    expect(mined.trades.map(({ id }) => id)).toEqual([trade])
  })

  it('are deleted after thirty days, and nothing else is', async () => {
    const account = openTestAccount(db)
    const wallet = newWallet()
    for (const status of ['refused', 'mined', 'dropped']) {
      await addTrade(db, { wallet, status, atMs: START_MS - 30 * DAY_MS - 1 })
    }
    await addTrade(db, { wallet, status: 'refused', sent: true, atMs: 0 })
    await addTrade(db, { wallet, status: 'refused', atMs: START_MS - 30 * DAY_MS })
    expect(await account.sweep()).toBe(1)
    expect(await account.sweep()).toBe(0)
    expect(await Promise.all(['refused', 'mined', 'dropped'].map((one) => countOf(wallet, one)))).toEqual([
      2, 1, 1,
    ])
    await account.close()
  })

  it('are swept in steps', async () => {
    const account = openTestAccount(db)
    await db.query(
      `insert into trades (kind, status, wallet, key_id, path, created_at_ms)
       select 'swap', 'refused', $1, 1, 'agent', n from generate_series(1, 4500) as n`,
      [newWallet()],
    )
    expect(await account.sweep()).toBe(4_500)
    await account.close()
  })

  describe('and a store that fails', () => {
    function open({ maxQueued = 5_000 } = {}) {
      const state = { fault: null as null | Error, wait: null as null | Promise<void>, asked: 0 }
      const store: Db = {
        ...db,
        async query(text, values) {
          state.asked++
          await state.wait
          if (state.fault) throw state.fault
          return db.query(text, values)
        },
      }
      const metrics = createMetrics({ withProcess: false })
      const logger = createLogger({ level: 'silent' })
      const log = createRefusalLog({
        db: store,
        clock: { nowMs: () => START_MS },
        logger,
        metrics,
        texts: { addressOf: () => TOKENS.USDG },
        maxQueued,
      })
      const jobs = runJobs({ clock: systemClock, logger, metrics }, log.jobs.everywhere)
      const read = async (name: string) =>
        (await metrics.registry.getSingleMetric(name)!.get()).values[0]?.value
      return {
        ...log,
        async close() {
          await jobs.stop()
          await log.close()
        },
        state,
        lost: () => read('pit_refusals_lost_total'),
        queued: () => read('pit_refusals_queued'),
      }
    }
    const away = Object.assign(new Error('gone'), { code: '08006' })

    it('are queued in order and written once it is back', async () => {
      const log = open()
      const wallet = newWallet()
      log.state.fault = away
      log.record(refusal(wallet, { amountIn: 1n }))
      await expect.poll(() => log.state.asked, { timeout: 20_000 }).toBeGreaterThan(1)
      log.record(refusal(wallet, { amountIn: 2n }))
      log.state.fault = null
      await expect.poll(() => countOf(wallet), { timeout: 20_000 }).toBe(2)
      const rows = await db.query('select amount_in from trades where wallet = $1 order by id', [wallet])
      expect(rows).toEqual([{ amount_in: '1' }, { amount_in: '2' }])
      expect(await log.lost()).toBe(0)
      await log.close()
    })

    it('drop the oldest if the queue is full, and are counted', async () => {
      const log = open({ maxQueued: 10 })
      const wallet = newWallet()
      let release = () => {}
      log.state.wait = new Promise((resolve) => {
        release = resolve
      })
      for (let i = 1; i <= 25; i++) log.record(refusal(wallet, { amountIn: BigInt(i) }))
      expect([await log.lost(), await log.queued()]).toEqual([15, 10])
      release()
      await log.close()
      const rows = await db.query<{ amount_in: string }>(
        'select amount_in from trades where wallet = $1 order by id',
        [wallet],
      )
      expect(rows.map(({ amount_in }) => Number(amount_in))).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25])
    })

    it('delay neither close nor later rows', async () => {
      const log = open()
      log.state.fault = away
      log.record(refusal(newWallet()))
      await log.close()
      expect(await log.lost()).toBe(1)
      const other = open()
      const wallet = newWallet()
      other.state.fault = new Error('an invalid row')
      other.record(refusal(newWallet()))
      await expect.poll(() => other.lost(), { timeout: 20_000 }).toBe(1)
      other.state.fault = null
      other.record(refusal(wallet))
      await other.close()
      expect(await countOf(wallet)).toBe(1)
    })
  })
})
