import {
  addressOf,
  addToken,
  addTrade,
  codeOf,
  openTestAccount,
  START_MS,
  type TestAccount,
  TOKENS,
} from '@pit/accounts/test/openTestAccount'
import type { Address } from '@pit/chain'
import type { Db } from '@pit/platform/db'
import { withDb } from '@pit/platform/test/withStore'
import { type Answer, checkAnswer, DAY_S, NATIVE_TOKEN, type Query } from '@pit/protocol'
import { pageValues, TRADES_PAGE, VOLUME_SINCE, volumeSince } from '@pit/relay/internal/walletTrades'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Call, Handler } from '../http/types.ts'
import { accountRoutes } from './account.ts'

const NOW_S = START_MS / 1000
let wallets = 0
const newWallet = (): Address => addressOf(0xa0000 + ++wallets)

interface PlanNode {
  'Node Type': string
  'Index Name'?: string
  'Index Cond'?: string
  'Actual Rows': number
  'Rows Removed by Filter'?: number
  'Shared Hit Blocks'?: number
  'Shared Read Blocks'?: number
  Plans?: PlanNode[]
}
/** The nodes of the executed plan, outermost first. */
async function planOf(db: Db, text: string, values: readonly unknown[]): Promise<PlanNode[]> {
  const [row] = await db.query<Record<string, unknown>>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  )
  const queryPlan = row!['QUERY PLAN']
  const [{ Plan }] = (typeof queryPlan === 'string' ? JSON.parse(queryPlan) : queryPlan) as [
    { Plan: PlanNode },
  ]
  const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)]
  return flat(Plan)
}
const blocksOf = ([outermost]: PlanNode[]) =>
  (outermost?.['Shared Hit Blocks'] ?? 0) + (outermost?.['Shared Read Blocks'] ?? 0)

/** The route's response to a key of this wallet. */
async function tradesOf(
  account: TestAccount,
  wallet: Address | null,
  query: Partial<Query<'me.trades'>> = {},
) {
  const handler = accountRoutes(account)['me.trades'] as Handler<'me.trades'>
  const key = { keyId: 1, accountId: 1, wallet, expiresAtS: 2_000_000_000 }
  const caller = { requestId: 'r', address: '192.0.2.1', key }
  const call: Call<'me.trades'> = { params: {}, body: {}, query: { limit: 50, ...query }, caller }
  return (await handler(call)) as Answer<'me.trades'>
}

withDb('a wallet’s trades', (db) => {
  let account: TestAccount
  beforeAll(() => {
    account = openTestAccount(db)
  })
  const read = async (wallet: Address, query: Partial<Query<'me.trades'>> = {}) => {
    const answer = await tradesOf(account, wallet, query)
    expect(checkAnswer('me.trades', answer)).toMatchObject({ ok: true })
    return answer
  }

  it('rejects a key without a wallet', async () => {
    expect(await codeOf(tradesOf(account, null))).toBe('WALLET_NOT_BOUND')
  })

  it('returns an empty page for a wallet that never traded', async () => {
    const wallet = newWallet()
    expect(await read(wallet)).toEqual({ wallet, trades: [], next_before: null, refused_included: false })
  })

  it('shows every field of a trade, with the words of core tokens from the profile', async () => {
    const wallet = newWallet()
    const id = await addTrade(db, { wallet, amountOut: 950n, amountOutKind: 'actual', atMs: START_MS + 999 })
    const { trades } = await read(wallet)
    expect(trades).toEqual([
      {
        id,
        time: NOW_S,
        path: 'agent',
        status: 'mined',
        token_in: { token: 'ETH', address: NATIVE_TOKEN, symbol: 'ETH', name: 'ETH itself', decimals: 18 },
        token_out: { token: 'USDG', address: TOKENS.USDG, symbol: 'USDG', name: 'USDG itself', decimals: 6 },
        amount_in: '1000',
        amount_out: '950',
        amount_out_kind: 'actual',
        amount_out_min: '900',
        tx_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        block: 42,
      },
    ])
  })

  it('reads all other tokens from the registry, in one query', async () => {
    const wallet = newWallet()
    const [named, wordless, unknown] = [addressOf(0xb1), addressOf(0xb2), addressOf(0xb3)]
    await addToken(db, { address: named, symbol: '<b>X</b>', name: 'Ex', decimals: 9 })
    await addToken(db, { address: wordless, symbol: '', name: '', decimals: null })
    for (const tokenOut of [named, wordless, unknown, TOKENS.TSLA, named, wordless]) {
      await addTrade(db, { wallet, tokenOut, tokenIn: named })
    }
    let queries = 0
    const counting = openTestAccount({
      ...db,
      query: (text, values) => {
        queries++
        return db.query(text, values)
      },
    })
    const { trades } = await tradesOf(counting, wallet)
    expect(queries).toBe(2)
    const byAddress = new Map(trades.map(({ token_out }) => [token_out.address, token_out]))
    expect(byAddress.get(named)).toMatchObject({ token: named, symbol: '<b>X</b>', name: 'Ex', decimals: 9 })
    expect(byAddress.get(wordless)).toMatchObject({ symbol: null, name: null, decimals: null })
    expect(byAddress.get(unknown)).toMatchObject({ token: unknown, symbol: null, name: null, decimals: null })
    expect(byAddress.get(TOKENS.TSLA)).toMatchObject({ token: TOKENS.TSLA, symbol: 'TSLA', decimals: 18 })
    await counting.close()
  })

  it('shows swaps of this wallet only, and those never mined on request only', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    for (const kind of ['approve', 'fee_transfer', 'revoke']) {
      await addTrade(db, { wallet, kind, tokenIn: null, tokenOut: null })
    }
    await addTrade(db, { wallet: other })
    const statuses = ['relaying', 'pending', 'mined', 'reverted', 'dropped', 'refused']
    for (const status of statuses) await addTrade(db, { wallet, status, code: 'MAX_NOTIONAL' })
    await addTrade(db, { wallet, path: 'session', sessionId: 'ses_1' })
    const usual = await read(wallet)
    expect(usual.trades.map(({ status }) => status)).toEqual([
      'mined',
      'reverted',
      'mined',
      'pending',
      'pending',
    ])
    expect(usual.trades[0]).toMatchObject({ path: 'session', session_id: 'ses_1' })
    const all = await read(wallet, { refused: '1' })
    expect(all.refused_included).toBe(true)
    expect(all.trades.map(({ status }) => status).slice(0, 3)).toEqual(['mined', 'refused', 'dropped'])
    expect(all.trades[1]).toMatchObject({ code: 'MAX_NOTIONAL', amount_out: null, tx_hash: null })
    expect(all.trades).toHaveLength(7)
  })

  it('pages through every trade once, newest first, and marks the last page', async () => {
    const wallet = newWallet()
    const ids: number[] = []
    for (let i = 0; i < 10; i++) {
      ids.unshift(await addTrade(db, { wallet }))
      await addTrade(db, { wallet, status: 'dropped' })
    }
    for (const limit of [1, 3, 5, 10, 11]) {
      const seen: number[] = []
      let before: number | null | undefined
      do {
        const page = await read(wallet, { limit, ...(before ? { before } : {}) })
        expect(page.trades.length).toBeLessThanOrEqual(limit)
        seen.push(...page.trades.map(({ id }) => id))
        before = page.next_before
        if (before !== null) expect(before).toBe(seen.at(-1))
      } while (before !== null)
      expect(seen).toEqual(ids)
    }
    // Exactly as many as requested: no page promises an empty one.
    expect((await read(wallet, { limit: 10 })).next_before).toBeNull()
    expect(await read(wallet, { before: 1 })).toMatchObject({ trades: [], next_before: null })
  })

  describe('with a hundred thousand of them', () => {
    const wallet = addressOf(0xfffff)
    const COUNT = 100_000
    /** Another wallet's, all newer: a scan by id alone would walk through them. */
    const NEWER = 20_000
    let middle = 0
    beforeAll(async () => {
      await db.query(
        `insert into trades (kind, wallet, key_id, path, status, token_in, token_out, amount_in,
           amount_out_min, volume_micro_usd, mined_at_s, created_at_ms)
         select 'swap', case when n > $7 then $2 else $1 end, 1, 'agent', 'mined', $3, $4, 1, 1, 1000001,
           $5::int8 - n, $6 from generate_series(1, $7::int4 + $8::int4) as n`,
        [wallet, addressOf(0xffffe), NATIVE_TOKEN, TOKENS.USDG, NOW_S, START_MS, COUNT, NEWER],
      )
      await db.exec('vacuum analyze trades')
      const [row] = await db.query<{ id: number }>(
        'select id from trades where wallet = $1 order by id offset $2 limit 1',
        [wallet, COUNT / 2],
      )
      middle = row!.id
    }, 120_000)

    it('reads no more of the store than the page it returns', async () => {
      for (const before of [undefined, middle]) {
        const values = pageValues({ wallet, before, withNeverMined: false, limit: 51 })
        const plan = await planOf(db, TRADES_PAGE, values)
        expect(plan.map((node) => node['Node Type'])).toEqual(['Limit', 'Index Scan'])
        const [, scan] = plan
        expect(scan!['Index Cond']).toMatch(/wallet >=.*wallet <=.*id </)
        expect(scan!['Actual Rows'] + (scan!['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(51)
        // Each row: its index entry, its place in the table, and the descent of the index.
        expect(blocksOf(plan)).toBeLessThan(2 * 51 + 20)
      }
      expect((await tradesOf(account, wallet, { before: middle, limit: 100 })).trades).toHaveLength(100)
    })

    it('sums a volume from the index alone', async () => {
      const few = newWallet()
      await addTrade(db, { wallet: few, volumeMicroUsd: 1n, minedAtS: NOW_S })
      const plan = await planOf(db, VOLUME_SINCE, [few, NOW_S - 30 * DAY_S])
      expect(plan.at(-1)).toMatchObject({ 'Node Type': 'Index Only Scan', 'Index Name': 'trades_mined' })
      // Each a dollar and a millionth.
      expect(await account.tierBps(wallet)).toBe(15)
    })
  })

  describe('30-day volume', () => {
    it('counts to the millionth, and only trades mined within thirty days', async () => {
      const wallet = newWallet()
      const fresh = () => openTestAccount(db)
      const mined = (volumeMicroUsd: bigint, minedAtS: number, more = {}) =>
        addTrade(db, { wallet, volumeMicroUsd, minedAtS, ...more })
      expect(await fresh().tierBps(wallet)).toBe(25)
      await mined(9_999_999_999n, NOW_S)
      await mined(5_000_000_000n, NOW_S - 30 * DAY_S)
      await addTrade(db, { wallet, status: 'pending' })
      await addTrade(db, { wallet: newWallet(), volumeMicroUsd: 10n ** 15n, minedAtS: NOW_S })
      expect(await fresh().tierBps(wallet)).toBe(25)
      await mined(1n, NOW_S - 30 * DAY_S + 1)
      const now = fresh()
      expect(await now.tierBps(wallet)).toBe(20)
      expect((await now.readPortfolio(wallet)).volume).toMatchObject({
        volume_usd: 10_000,
        tier_bps: 20,
        next_tier: { bps: 15, min_30d_volume_usd: 100_000, volume_to_next_usd: 90_000 },
      })
      now.clock.ms += 3_000
      expect(await now.tierBps(wallet)).toBe(25)
    })

    it('sums exactly beyond the precision of a double', async () => {
      const wallet = newWallet()
      for (let i = 0; i < 3; i++) {
        await addTrade(db, { wallet, volumeMicroUsd: 2n ** 53n + 1n, minedAtS: NOW_S })
      }
      expect(await volumeSince(db, wallet, 0)).toBe(3n * (2n ** 53n + 1n))
    })
  })
})
