import { type Sql, storeMigrations } from '@pit/platform/db'
import { createLogger } from '@pit/platform/monitoring'
import { createManualClock } from '@pit/platform/test/manualClock'
import { until } from '@pit/platform/test/until'
import { withDb } from '@pit/platform/test/withStore'
import { beforeAll, expect, it } from 'vitest'
import { countTokens, createTokenStats } from './countTokens.ts'
import type { StoredRecord } from './describeToken.ts'
import type { TokenReading } from './reading.ts'
import { countSharing, createTokenSearch, type TokenSearchTerms } from './searchTokens.ts'
import { findToken, refreshToken, replaceableAfter, saveToken, screenedAmong } from './store.ts'
import { cleanText } from './text.ts'

const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}` as const

interface Row {
  n: number
  symbol: string
  name?: string
  liquidity?: number
  tier?: StoredRecord['tier']
  kind?: StoredRecord['kind']
  risks?: string[]
  proxy?: boolean
  unscreened?: boolean
}
function tokenRow({
  n,
  symbol,
  name = `Token ${n}`,
  liquidity = 100,
  tier = 'C',
  kind = 'erc20',
  ...row
}: Row) {
  const record = {
    address: address(n),
    symbol,
    name,
    tier,
    kind,
    tradable: tier !== 'blocked',
    blocked_reason: tier === 'blocked' ? 'NO_ROUTE' : null,
    liquidity_usd: liquidity,
    risks: (row.risks ?? []).map((code) => ({ code, severity: 'info', message: 'x' })),
    screened_at: row.unscreened ? null : 1_700_000_000,
    screen_status: kind === 'core' ? 'CORE' : row.unscreened ? 'UNSCREENED' : 'SCREENED',
  } as unknown as StoredRecord
  const proxy = row.proxy ? { kind: 'implementation', at: address(n), implementation: address(1) } : null
  return { record, reading: { address: address(n), code: { proxy } } as unknown as TokenReading }
}

const ROWS: Row[] = [
  { n: 0xa0, symbol: 'USDG', name: 'Global Dollar', kind: 'core', tier: 'A', liquidity: 5 },
  { n: 0xa1, symbol: 'USDG', name: 'Fake One', liquidity: 900_000, risks: ['IMPERSONATOR'] },
  { n: 0xa2, symbol: 'usdg', name: 'Fake Two', liquidity: 3, risks: ['IMPERSONATOR', 'LOW_LIQUIDITY'] },
  { n: 0xa3, symbol: 'USDGX', name: 'Longer', liquidity: 9_000_000, tier: 'B' },
  { n: 0xa4, symbol: '100%', name: 'Per_cent\\', liquidity: 50 },
  { n: 0xa5, symbol: '_under', name: '%wild', liquidity: 50 },
  { n: 0xa6, symbol: 'ＦＵＬＬ', name: 'Full Width' },
  { n: 0xa7, symbol: '<b>XSS</b>', name: '<script>alert("pit")</script>' },
  { n: 0xa8, symbol: 'NOWHERE', tier: 'blocked', liquidity: 0 },
  { n: 0xa9, symbol: 'UPGR', proxy: true },
  { n: 0xaa, symbol: '😀😀', name: cleanText('Nul\u0000 in it', 128).text },
  { n: 0xab, symbol: 'LATER', unscreened: true },
]

withDb('the token registry', (db) => {
  const clock = { nowMs: () => 1_700_000_100_000 }
  const logger = createLogger({ level: 'silent' })
  beforeAll(async () => {
    for (const row of ROWS) await saveToken(db, tokenRow(row), 1_700_000_000)
  })
  const search = async (terms: Partial<TokenSearchTerms>) =>
    (await createTokenSearch({ db, clock, logger }).find({ q: '', limit: 20, ...terms })).map(
      ({ symbol }) => symbol,
    )

  it('stores a token and its updates', async () => {
    const row = tokenRow({ n: 0xff, symbol: 'NEW' })
    await saveToken(db, row, 1)
    expect(await findToken(db, address(0xff))).toEqual(JSON.parse(JSON.stringify(row)))
    await saveToken(db, tokenRow({ n: 0xff, symbol: 'OTHER' }), 2)
    expect((await findToken(db, address(0xff)))?.record.symbol).toBe('OTHER')
    expect(await search({ q: 'new' })).toEqual([])
    await db.query('delete from tokens where address = $1', [address(0xff)])
    expect(await findToken(db, address(0xff))).toBeUndefined()
  })

  it('never lets a refresh undo a newer screen', async () => {
    const old = tokenRow({ n: 0xfe, symbol: 'OLD' })
    old.reading.screenedAtS = 1
    await saveToken(db, old, 1)
    const screened = tokenRow({ n: 0xfe, symbol: 'SCREENED' })
    screened.reading.screenedAtS = 2
    await saveToken(db, screened, 2)
    await refreshToken(db, old, 3)
    expect((await findToken(db, address(0xfe)))?.record.symbol).toBe('SCREENED')
    const moved = tokenRow({ n: 0xfe, symbol: 'MOVED' })
    moved.reading.screenedAtS = 2
    await refreshToken(db, moved, 4)
    expect((await findToken(db, address(0xfe)))?.record.symbol).toBe('MOVED')
    await db.query('delete from tokens where address = $1', [address(0xfe)])
    await refreshToken(db, moved, 5)
    expect(await findToken(db, address(0xfe))).toBeUndefined()
  })

  it('migrates records from before stocks were listed apart from their beacon', async () => {
    const migration = storeMigrations().find(({ name }) => name.endsWith('listed_stocks'))!
    const before = (n: number, kind: StoredRecord['kind'], stockBeacon?: boolean) => {
      const { record, reading } = tokenRow({ n, symbol: `S${n}`, kind })
      Object.assign(record, { flags: { proxy: 'beacon' }, stock_beacon: kind === 'stock' })
      return { record, reading: { ...reading, code: { ...reading.code, stockBeacon } } as TokenReading }
    }
    const rows = [before(0xf0, 'stock', true), before(0xf1, 'erc20', true), before(0xf2, 'erc20')]
    for (const row of rows) await saveToken(db, row, 1)
    await db.transaction((sql) => sql.query(migration.sql))
    const records = await Promise.all(rows.map(({ reading }) => findToken(db, reading.address)))
    expect(records.map((row) => row!.record)).toMatchObject([
      { stock_beacon: true, flags: { proxy: 'beacon', listed_stock: true } },
      { stock_beacon: true, flags: { listed_stock: false } },
      { stock_beacon: null, flags: { listed_stock: false } },
    ])
    const addresses = rows.map(({ reading }) => reading.address)
    expect(await screenedAmong(db, addresses)).toEqual(new Set([address(0xf0), address(0xf2)]))
    await db.query('delete from tokens where address = any($1::text[])', [addresses])
  })

  it('knows which were screened and which can change', async () => {
    expect(await screenedAmong(db, [address(0xa1), address(0xab), address(0x77)])).toEqual(
      new Set([address(0xa1)]),
    )
    expect((await replaceableAfter(db, '', 10)).map((reading) => reading.address)).toEqual([address(0xa9)])
    expect(await replaceableAfter(db, address(0xa9), 10)).toEqual([])
  })

  it('finds the core asset first, then the same symbol, then what is deepest', async () => {
    const tokens = await createTokenSearch({ db, clock, logger }).find({ q: 'uSdG', limit: 20 })
    expect(tokens.map((token) => token.address)).toEqual([0xa0, 0xa1, 0xa2, 0xa3].map(address))
    expect(await countSharing(db, 'USDG')).toEqual({ count: 3, atLeast: false })
    expect(await countSharing(db, 'usdg', address(0xa0))).toEqual({ count: 2, atLeast: false })
  })

  it('finds prefixes of symbol, name and address, in any case and width', async () => {
    expect(await search({ q: 'us' })).toEqual(['USDG', 'USDGX', 'USDG', 'usdg'])
    expect(await search({ q: 'GLOBAL d' })).toEqual(['USDG'])
    expect(await search({ q: 'full' })).toEqual(['ＦＵＬＬ'])
    expect(await search({ q: 'ｆｕｌｌ　ｗ' })).toEqual(['ＦＵＬＬ'])
    expect(await search({ q: address(0xa8) })).toEqual(['NOWHERE'])
    expect(await search({ q: address(0xa8).toUpperCase().replace('0X', '0x') })).toEqual(['NOWHERE'])
    expect((await search({ q: '0x000' })).length).toBe(ROWS.length)
    expect(await search({ q: '<script' })).toEqual(['<b>XSS</b>'])
    expect(await search({ q: '😀' })).toEqual(['😀😀'])
    expect(await search({ q: 'sdg' })).toEqual([])
  })

  it('treats no character of the query as special', async () => {
    expect(await search({ q: '%' })).toEqual(['_under'])
    expect(await search({ q: '_' })).toEqual(['_under'])
    expect(await search({ q: '100%' })).toEqual(['100%'])
    for (const q of [
      '\\',
      "'; drop table tokens; --",
      '\u{10ffff}',
      '\u0000',
      '%%%%',
      '[a-z]',
      '😀'.repeat(64),
    ]) {
      expect((await search({ q })).length, q).toBeLessThanOrEqual(q === '\u0000' ? 20 : 0)
    }
  })

  it('keeps to filters and limits', async () => {
    expect(await search({ q: 'u', tier: 'B' })).toEqual(['USDGX'])
    expect(await search({ q: 'u', kind: 'core' })).toEqual(['USDG'])
    expect(await search({ tier: 'blocked' })).toEqual(['NOWHERE'])
    expect(await search({ tier: 'A', kind: 'erc20' })).toEqual([])
    expect(await search({ limit: 2 })).toEqual(['USDG', 'USDGX'])
    expect(await search({ q: 'u', limit: 1 })).toEqual(['USDG'])
  })

  it('reads a list once a second, unless a token was added', async () => {
    const clock = createManualClock(1_700_000_000_000)
    let reads = 0
    const counted: Sql = {
      query: (...asked) => {
        reads++
        return db.query(...asked)
      },
    }
    const search = createTokenSearch({ db: counted, clock, logger })
    const list = (terms: Partial<TokenSearchTerms> = {}) => search.find({ q: '', limit: 20, ...terms })
    await Promise.all([list(), list()])
    await clock.advance(999)
    expect(await list()).toHaveLength(12)
    expect(reads).toBe(1)
    await Promise.all([list({ limit: 2 }), list({ tier: 'B' }), list({ kind: 'core' })])
    expect(reads).toBe(4)
    search.forgetLists()
    await list()
    await clock.advance(1_000)
    await list()
    expect(reads).toBe(6)
  })

  it('counts them', async () => {
    expect(await countTokens({ db, clock: createManualClock(7_000) })).toEqual({
      total: 12,
      tradable: 11,
      by_tier: { A: 1, B: 1, C: 9, blocked: 1 },
      by_kind: { core: 1, erc20: 11 },
      by_risk: { IMPERSONATOR: 2, LOW_LIQUIDITY: 1 },
      blocked_by_reason: { NO_ROUTE: 1 },
      generated_at: 7,
    })
  })

  it('does not count an empty registry or one without routes', async () => {
    const clock = createManualClock(1_700_000_000_000)
    const rows: object[] = []
    const stats = createTokenStats({ db: { query: async () => rows as never }, clock, logger })
    const pending = expect.objectContaining({ code: 'STATS_PENDING' })
    expect(await stats.tradable()).toBeNull()
    await expect(stats.read()).rejects.toEqual(pending)
    await expect(stats.read()).rejects.toEqual(pending)
    const blocked = { last: address(1), rows: 7, tier: 'blocked', kind: 'core', tradable: false, risks: [] }
    rows.push({ ...blocked, blocked_reason: 'NO_ROUTE' })
    expect(await stats.tradable()).toBeNull()
    expect(await stats.read()).toMatchObject({ total: 7, tradable: 0 })
    rows.splice(0, 1, { ...blocked, tier: 'A', tradable: true, blocked_reason: null })
    await clock.advance(61_000)
    expect(await stats.tradable()).toBe(7)
  })

  it('waits two seconds for a count that is due, and no longer', async () => {
    const clock = createManualClock(1_700_000_000_000)
    const stats = createTokenStats({ db: { query: () => new Promise(() => {}) }, clock, logger })
    const answer = stats.tradable()
    await clock.advance(2_000)
    expect(await answer).toBeNull()
  })

  it('answers counts from memory, never older than half a minute, and none before the first', async () => {
    const clock = createManualClock(1_700_000_000_000)
    let statements = 0
    const counted = {
      query: <Row>(text: string, values?: readonly unknown[]) => {
        statements++
        return db.query<Row>(text, values)
      },
    }
    const stats = createTokenStats({ db: counted, clock, logger })
    const pending = expect.objectContaining({ code: 'STATS_PENDING', retryAfterS: 2 })
    await expect(stats.read()).rejects.toEqual(pending)
    await until(() => Promise.resolve(stats.tradable()), { holds: (tradable) => tradable === 11 })
    const after = statements
    for (let i = 0; i < 100; i++) expect(await stats.read()).toMatchObject({ total: 12, cached_s: 0 })
    await clock.advance(29_000)
    expect((await stats.read()).cached_s).toBe(29)
    expect(statements).toBe(after)
    // Minutes later without requests: tokens registered meanwhile count.
    await saveToken(db, tokenRow({ n: 0xfd, symbol: 'LATEST' }), 1)
    await clock.advance(300_000)
    expect(await stats.tradable()).toBe(12)
    expect(await stats.read()).toMatchObject({ total: 13, cached_s: 0 })
    await db.query('delete from tokens where address = $1', [address(0xfd)])
    await clock.advance(59_000)
    // In steady use no request waits for a count.
    expect(await stats.tradable()).toBe(12)
    await until(() => stats.tradable(), { holds: (tradable) => tradable === 11 })
  })
})
