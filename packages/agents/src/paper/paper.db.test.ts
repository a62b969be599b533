import { replayBook } from '@pit/brains'
import { type Db, storeMigrations } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withStore'
import { feeOf } from '@pit/protocol'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  codeOf,
  ETH,
  ETHER,
  JUNK,
  openTestPaper,
  START_MS,
  TERMS,
  TOKENS,
  USD,
  WALLET,
} from '../../test/paperWorld.ts'
import { readRuns } from './bookReads.ts'
import { readFall } from './store.ts'
import type { FillRequest, Paper, PaperFill } from './types.ts'

const START = 10_000n * USD
let owners = 0
const ownerOf = () => `test:${++owners}`

withDb('a paper book', (db) => {
  const openBook = (paper: Paper, startMicroUsd = START) =>
    paper.openBook(db, { owner: ownerOf(), startMicroUsd, atS: START_MS / 1_000 })
  const order = (bookId: number, more: Partial<FillRequest> = {}): FillRequest => ({
    bookId,
    wallet: WALLET,
    tokenIn: 'USDG',
    tokenOut: 'ETH',
    size: { microUsd: 1_000n * USD },
    terms: TERMS,
    ...more,
  })
  const heldIn = async (paper: Paper, bookId: number) =>
    new Map((await paper.bookNow([bookId])).get(bookId)!.balances.map(({ token, atoms }) => [token, atoms]))

  it('opens once for an owner, in USDG', async () => {
    const paper = openTestPaper(db)
    const request = { owner: ownerOf(), startMicroUsd: START, atS: 5 }
    const id = await paper.openBook(db, request)
    expect(await paper.openBook(db, { ...request, startMicroUsd: 1n })).toBe(id)
    expect((await paper.bookNow([id, 999_999])).get(id)).toEqual({
      startMicroUsd: START,
      openedAtS: 5,
      balances: [{ token: TOKENS.USDG, symbol: 'USDG', decimals: 6, atoms: START, microUsd: START }],
      equityMicroUsd: START,
      unpriced: [],
    })
  })

  it('fills at the quote of its size, less fee and gas', async () => {
    const paper = openTestPaper(db)
    const id = await openBook(paper)
    const quote = await paper.quoteTrade({
      wallet: WALLET,
      tokenIn: 'USDG',
      tokenOut: 'ETH',
      notionalUsd: 1_000,
      venues: ['venue_pool'],
      shield: false,
      policies: null,
      fast: false,
      admit: async () => {},
    })
    const [best] = quote.routes
    const fill = await paper.fill(order(id))
    // ETH ranks above USDG, so the fee is taken from the output.
    expect(fill.amountOut).toBe(best!.amountOut - feeOf(best!.amountOut, 25))
    expect(fill).toMatchObject({
      bookId: id,
      tokenIn: TOKENS.USDG,
      tokenOut: ETH,
      amountIn: 1_000n * USD,
      microUsd: 1_000n * USD,
      fee: { bps: 25, class: 'major', tier: 25, token: ETH, atoms: feeOf(best!.amountOut, 25) },
      block: 7,
      filledAtMs: START_MS,
    })
    const gas = (BigInt(best!.gas) * 10_000_000n * 2_500n * USD) / ETHER
    expect(fill.gasUsdgAtoms - gas).toBeLessThanOrEqual(1n)
    expect(fill.gasUsdgAtoms).toBeGreaterThan(0n)
    expect(await heldIn(paper, id)).toEqual(
      new Map([
        [ETH, fill.amountOut],
        [TOKENS.USDG, START - 1_000n * USD - fill.gasUsdgAtoms],
      ]),
    )
    const [stored] = await paper.fillsOf(id, { limit: 10 })
    const { route: _, risks: __, ...kept } = fill
    expect(stored).toEqual(kept)
  })

  it('loses value in a round trip', async () => {
    const paper = openTestPaper(db)
    const id = await openBook(paper)
    const bought = await paper.fill(order(id))
    await paper.fill(order(id, { tokenIn: 'ETH', tokenOut: 'USDG', size: { amountIn: bought.amountOut } }))
    const { equityMicroUsd, balances } = (await paper.bookNow([id])).get(id)!
    expect(balances.map(({ symbol }) => symbol)).toEqual(['USDG'])
    expect(equityMicroUsd!).toBeLessThan(START)
    // Two pool fees of 30 bps, two of our fees of 25 bps and some price impact, on 1,000 USD.
    expect(START - equityMicroUsd!).toBeGreaterThan(11n * USD)
    expect(START - equityMicroUsd!).toBeLessThan(15n * USD)
  })

  it('pays the wallet’s own tier', async () => {
    const paper = openTestPaper(db)
    paper.world.tierBps = 10
    expect((await paper.fill(order(await openBook(paper)))).fee).toMatchObject({ bps: 10, tier: 10 })
  })

  it('refuses an order that a plan would refuse, or that it cannot pay', async () => {
    const paper = openTestPaper(db)
    const id = await openBook(paper)
    const tries: [string, Partial<FillRequest>][] = [
      ['MIN_NOTIONAL', { size: { microUsd: 999_999n } }],
      ['MAX_NOTIONAL', { size: { microUsd: 10_001n * USD } }],
      ['SAME_TOKEN', { tokenOut: 'USDG' }],
      ['TOKEN_NOT_ALLOWED', { tokenOut: 'DOGE' }],
      ['NO_ROUTE', { tokenOut: 'PARTNER' }],
      ['SIMULATION_FAILED', { tokenIn: 'ETH', tokenOut: 'USDG' }],
      // Spending all cash leaves nothing for gas.
      ['SIMULATION_FAILED', { size: { microUsd: START } }],
    ]
    for (const [code, more] of tries) {
      expect([await codeOf(paper.fill(order(id, more))), more], code).toEqual([code, more])
    }
    expect(await heldIn(paper, id)).toEqual(new Map([[TOKENS.USDG, START]]))
    expect(await paper.fillsOf(id, { limit: 10 })).toEqual([])
  })

  it('applies the risk terms of its owner', async () => {
    const paper = openTestPaper(db)
    const id = await openBook(paper)
    paper.world.risks.set(JUNK, [{ code: 'HONEYPOT', severity: 'severe', message: 'no way out' }])
    const buy = { tokenOut: JUNK, size: { microUsd: 100n * USD } }
    expect(await codeOf(paper.fill(order(id, buy)))).toBe('RISK_NOT_ACCEPTED')
    const accepts = { ...TERMS, acceptRisks: ['HONEYPOT', 'NO_REFERENCE', 'UNSCREENED'] }
    const fill = await paper.fill(order(id, { ...buy, terms: accepts }))
    expect(fill.fee).toMatchObject({ bps: 50, class: 'other' })
    const blocks = { ...accepts, shield: true, policies: ['block_severe'] as const }
    expect(await codeOf(paper.fill(order(id, { ...buy, terms: blocks })))).toBe('RISK_BLOCKED')
    // A token without an independent mark makes the total unknown, not smaller.
    expect((await paper.bookNow([id])).get(id)).toMatchObject({ equityMicroUsd: null, unpriced: [JUNK] })
  })

  it('refuses stock tokens, as books have no attestation', async () => {
    const { paper, id } = await withStockPool(db, openBook)
    expect(await codeOf(paper.fill(order(id, { tokenOut: 'NVDA' })))).toBe('GEOFENCE')
  })

  it('rolls back if its commit fails', async () => {
    const paper = openTestPaper(db)
    const id = await openBook(paper)
    const failing = paper.fill(
      order(id, {
        commit: async (sql, fill) => {
          expect((await sql.query('select 1 from paper_fills where id = $1', [fill.id])).length).toBe(1)
          throw new Error('the log is full')
        },
      }),
    )
    await expect(failing).rejects.toThrow('the log is full')
    expect(await heldIn(paper, id)).toEqual(new Map([[TOKENS.USDG, START]]))
    expect(await paper.fillsOf(id, { limit: 10 })).toEqual([])
  })

  it('never spends the same cash twice', async () => {
    const paper = openTestPaper(db)
    const id = await openBook(paper, 5_000n * USD)
    const codes = await Promise.all(
      Array.from({ length: 8 }, () => codeOf(paper.fill(order(id, { size: { microUsd: 1_000n * USD } })))),
    )
    // Five orders would fit without gas.
    expect(codes.filter((code) => code === 'was not refused').length).toBe(4)
    expect(codes.filter((code) => code === 'SIMULATION_FAILED').length).toBe(4)
    const fills = await paper.fillsOf(id, { limit: 10 })
    expect(await heldIn(paper, id)).toEqual(replayBook(5_000n * USD, fills.reverse(), TOKENS.USDG))
  })

  it('equals the replay of its fills', async () => {
    const paper = openTestPaper(db)
    const tokens = ['USDG', 'ETH', 'cbBTC', JUNK]
    const step = fc.record({
      pair: fc.shuffledSubarray(tokens, { minLength: 2, maxLength: 2 }),
      size: fc.oneof(
        fc.bigInt({ min: 1n * USD, max: 4_000n * USD }).map((microUsd) => ({ microUsd })),
        fc.bigInt({ min: 1n, max: 2n * ETHER }).map((amountIn) => ({ amountIn })),
      ),
    })
    const terms = { ...TERMS, acceptRisks: ['NO_REFERENCE', 'UNSCREENED', 'HIGH_PRICE_IMPACT'] }
    let filled = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const id = await openBook(paper)
        // Start with a position, so that a sale can fill as well.
        const fills: PaperFill[] = [await paper.fill(order(id))]
        for (const { pair, size } of steps) {
          const request = order(id, { tokenIn: pair[0]!, tokenOut: pair[1]!, size, terms })
          try {
            fills.push(await paper.fill(request))
          } catch (error) {
            await codeOf(Promise.reject(error))
          }
        }
        filled += fills.length
        const stored = (await paper.fillsOf(id, { limit: 100 })).reverse()
        expect(stored.map(({ id: fillId }) => fillId)).toEqual(fills.map(({ id: fillId }) => fillId))
        expect(await heldIn(paper, id)).toEqual(replayBook(START, stored, TOKENS.USDG))
      }),
      { numRuns: 25 },
    )
    expect(filled).toBeGreaterThan(25)
  })

  it('keeps fills for 90 days and balances permanently', async () => {
    const paper = openTestPaper(db)
    const id = await openBook(paper)
    await paper.fill(order(id))
    const holdings = await heldIn(paper, id)
    paper.clock.ms += 89 * 86_400_000
    await paper.sweep()
    const later = await paper.fill(order(id))
    expect(await paper.fillsOf(id, { limit: 5 })).toHaveLength(2)
    paper.clock.ms += 2 * 86_400_000
    expect(await paper.sweep()).toBeGreaterThan(0)
    expect((await paper.fillsOf(id, { limit: 5 })).map((fill) => fill.id)).toEqual([later.id])
    expect((await heldIn(paper, id)).get(ETH)).toBe(holdings.get(ETH)! + later.amountOut)
  })

  it('tracks its peak and max drawdown while it can be priced', async () => {
    const paper = openTestPaper(db)
    const [id, poor] = [await openBook(paper), await openBook(paper)]
    const fallOf = async (bookId: number) => (await readRuns(db, [bookId], 0)).get(bookId)!.maxDrawdownBps
    const values: bigint[] = []
    const valueAt = async (price: number) => {
      paper.marks.set(ETH, { ...paper.marks.get(ETH)!, priceE18: BigInt(price) * ETHER })
      await paper.recordEquity([id, poor])
      values.push((await paper.bookNow([id])).get(id)!.equityMicroUsd!)
    }
    expect(await readFall(db, id)).toBeNull()
    await paper.fill(order(id))
    for (const price of [2_500, 2_600, 2_000, 2_300, 2_700, 2_500]) await valueAt(price)
    const [, high, low] = values
    expect(await readFall(db, id)).toEqual({ microUsd: high! - low!, fromMicroUsd: high })
    const peak = high! > START ? high! : START
    expect(await fallOf(id)).toBe(Number(((peak - low!) * 10_000n) / peak))
    expect(await readFall(db, poor)).toEqual({ microUsd: 0n, fromMicroUsd: START })
    // An unpriced book changes nothing.
    paper.marks.delete(ETH)
    await paper.recordEquity([id, poor])
    expect(await readFall(db, id)).toEqual({ microUsd: high! - low!, fromMicroUsd: high })
  })

  it('migrates drawdowns that were stored by the minute', async () => {
    const paper = openTestPaper(db)
    const [id, poor] = [await openBook(paper), await openBook(paper)]
    await db.query(
      `insert into paper_equity (book_id, minute_s, micro_usd)
       select $1, n * 60, worth from unnest($2::int8[]) with ordinality as seen (worth, n)`,
      [id, [9_000, 12_000, 9_600, 13_000, 11_000].map((usd) => BigInt(usd) * USD)],
    )
    const { sql } = storeMigrations().find(({ name }) => name === '0035_paper_falls')!
    await db.session(async (session) => {
      for (const statement of sql.trim().split(/\n{2,}/)) await session.query(statement)
    })
    expect(await readFall(db, id)).toEqual({ microUsd: 2_400n * USD, fromMicroUsd: 12_000n * USD })
    expect((await readRuns(db, [id], 0)).get(id)!.maxDrawdownBps).toBe(2_000)
    expect(await readFall(db, poor)).toBeNull()
    expect(await db.query('select count(*)::int4 as rows from paper_equity')).toEqual([{ rows: 0 }])
  })
})

async function withStockPool(db: Db, openBook: (paper: Paper) => Promise<number>) {
  const { deepPools, pool, usd } = await import('../../test/paperWorld.ts')
  const stock = pool(TOKENS.NVDA, TOKENS.USDG, 20_000n * ETHER, 2_000_000n * USD)
  const paper = openTestPaper(db, { pools: [...deepPools(), stock] })
  paper.marks.set(TOKENS.NVDA, usd(100))
  return { paper, id: await openBook(paper) }
}
