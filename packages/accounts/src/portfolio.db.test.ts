import type { Address } from '@pit/chain'
import { createSharedTexts } from '@pit/platform/cache'
import { createLogger } from '@pit/platform/monitoring'
import { withDb } from '@pit/platform/test/withStore'
import { checkAnswer, NATIVE_TOKEN } from '@pit/protocol'
import { bookOutcomes } from '@pit/relay/internal/receipts/bookOutcomes'
import { openRows } from '@pit/relay/internal/receipts/rows'
import { toHex } from 'viem'
import { expect, it } from 'vitest'
import {
  addressOf,
  addToken,
  addTrade,
  codeOf,
  mark,
  openTestAccount,
  START_MS,
  type TestAccount,
  TOKENS,
} from '../test/openTestAccount.ts'

let wallets = 0
const newWallet = (): Address => addressOf(0xd0000 + ++wallets)
let tokens = 0
const newToken = (): Address => addressOf(0xe0000 + ++tokens)
const USD = 10n ** 6n

withDb('a portfolio', (db) => {
  const open = () => {
    const account = openTestAccount(db)
    const { marks } = account.market
    marks.set(NATIVE_TOKEN, mark(NATIVE_TOKEN, '3000.12'))
    marks.set(TOKENS.USDG, mark(TOKENS.USDG, '1', { source: 'fixed' }))
    return account
  }
  const read = async (account: TestAccount, wallet: Address) => {
    const answer = await account.readPortfolio(wallet)
    expect(checkAnswer('me.portfolio', answer)).toMatchObject({ ok: true })
    return answer
  }

  it('shows holdings at independent prices, from one block', async () => {
    const account = open()
    const wallet = newWallet()
    const { node, market } = account
    node.ethWei = 1_500_000_000_000_000_001n
    for (const token of Object.values(TOKENS)) node.tokens.set(token, 0n)
    node.tokens.set(TOKENS.USDG, 1_234_567n)
    node.tokens.set(TOKENS.NVDA, 10n ** 18n)
    node.tokens.set(TOKENS.TSLA, 10n ** 17n)
    market.marks.set(TOKENS.NVDA, mark(TOKENS.NVDA, '123.456789', { stale: true }))
    market.unread.set(TOKENS.TSLA, 'the feed reverts')
    const answer = await read(account, wallet)
    expect(answer).toMatchObject({
      wallet,
      block: 100,
      read_at: START_MS / 1000,
      // 4500.18 + 1.234567 + 123.456789
      total_usd: 4624.871356,
      priced: 3,
      unpriced: 1,
      unread: [],
      cached: false,
      volume: { window_days: 30, volume_usd: 0, tier_bps: 25, posted_bps: 25 },
    })
    expect(answer.holdings).toEqual([
      {
        token: 'ETH',
        address: NATIVE_TOKEN,
        symbol: 'ETH',
        name: 'ETH itself',
        decimals: 18,
        kind: 'native',
        amount_atoms: '1500000000000000001',
        amount: '1.500000000000000001',
        priced: true,
        price_usd: 3000.12,
        value_usd: 4500.18,
        mark: { source: 'oracle_feed', block: 99, updated_at: START_MS / 1000 - 7, age_s: 7, stale: false },
        unpriced: null,
      },
      expect.objectContaining({ token: 'USDG', kind: 'core', amount: '1.234567', value_usd: 1.234567 }),
      expect.objectContaining({
        token: 'NVDA',
        kind: 'stock',
        value_usd: 123.456789,
        mark: expect.objectContaining({ stale: true }),
      }),
      expect.objectContaining({
        token: TOKENS.TSLA,
        symbol: 'TSLA',
        kind: 'stock',
        priced: false,
        price_usd: null,
        value_usd: null,
        mark: null,
        unpriced: 'MARK_UNAVAILABLE',
      }),
    ])
    const sum = answer.holdings.reduce(
      (total, { value_usd }) => total + Math.round((value_usd ?? 0) * 1e6),
      0,
    )
    expect(answer.total_usd).toBe(sum / 1e6)
    expect(node.requests).toEqual(['eth_blockNumber', 'eth_call'])
  })

  it('lists ETH at a zero balance, and no other token without a balance', async () => {
    const account = open()
    for (const token of Object.values(TOKENS)) account.node.tokens.set(token, 0n)
    const answer = await read(account, newWallet())
    expect(answer.holdings.map(({ token, amount }) => [token, amount])).toEqual([['ETH', '0']])
    expect(answer).toMatchObject({ total_usd: 0, priced: 1, unpriced: 0, unread: [] })
  })

  it('names a token by address but never prices it', async () => {
    const account = open()
    const wallet = newWallet()
    const [plain, stock, unknown] = [newToken(), newToken(), newToken()]
    await addToken(db, { address: plain, symbol: 'PLN', name: 'Plain', decimals: 3 })
    await addToken(db, { address: stock, symbol: 'ACME', name: 'Acme', decimals: 18, onBeacon: true })
    for (const tokenOut of [plain, stock, unknown]) {
      await addTrade(db, { wallet, tokenOut })
      account.node.tokens.set(tokenOut, 12_345n)
      // As the market reports every token during an outage.
      account.market.unread.set(tokenOut, 'the chain has not answered for a while')
    }
    const { holdings } = await read(account, wallet)
    const strangers = holdings.filter(({ token }) => token.startsWith('0x'))
    expect(strangers).toMatchObject([
      { token: unknown, symbol: '', name: '', decimals: 0, kind: 'token', amount: '12345' },
      // On the stock beacon, but not listed: anyone can deploy such a token.
      { token: stock, symbol: 'ACME', kind: 'token' },
      { token: plain, symbol: 'PLN', name: 'Plain', decimals: 3, kind: 'token', amount: '12.345' },
    ])
    for (const { unpriced } of strangers) expect(unpriced).toBe('NO_INDEPENDENT_MARK')
  })

  it('reads the last forty traded tokens, bought or sold, once each', async () => {
    const account = open()
    const wallet = newWallet()
    const traded = Array.from({ length: 45 }, newToken)
    for (const token of traded) {
      account.node.tokens.set(token, 1n)
      await addTrade(db, { wallet, tokenIn: token, tokenOut: TOKENS.USDG })
    }
    for (const status of ['reverted', 'dropped', 'refused']) {
      await addTrade(db, { wallet, tokenOut: newToken(), status })
    }
    await addTrade(db, { wallet, tokenOut: traded[0]!, status: 'pending' })
    const shown = async () =>
      (await read(account, wallet)).holdings
        .map(({ token }) => token)
        .filter((token) => token.startsWith('0x'))
    expect(await shown()).toEqual([traded[0], ...traded.slice(6).reverse()])
    // Later trades push the oldest out, though only new rows are read.
    account.clock.ms += 5_000
    const late = newToken()
    account.node.tokens.set(late, 1n)
    await addTrade(db, { wallet, tokenOut: late, atMs: account.clock.ms })
    expect(await shown()).toEqual([late, traded[0], ...traded.slice(7).reverse()])
  })

  it('includes a mined token after many newer rows, and a pending one', async () => {
    const account = open()
    const wallet = newWallet()
    const [mined, reverted, waiting] = [newToken(), newToken(), newToken()]
    for (const token of [mined, reverted, waiting]) account.node.tokens.set(token, 1n)
    for (const [token, status] of [
      [mined, 'mined'],
      [reverted, 'reverted'],
    ] as const) {
      const id = await addTrade(db, { wallet, tokenOut: token, status: 'pending' })
      const row = (await openRows(db, id - 1, 1))[0]!
      const at = { block: 7, blockHash: toHex(7, { size: 32 }), minedAtS: START_MS / 1000, gasWei: 21_000n }
      const outcome = { row, status, ...at, amountOut: null, amountOutKind: null, fee: null }
      expect(await bookOutcomes(db, [outcome])).toEqual(new Set([id]))
    }
    for (let i = 0; i < 120; i++)
      await addTrade(db, { wallet, kind: 'approve', tokenIn: null, tokenOut: null })
    await addTrade(db, { wallet, tokenOut: waiting, status: 'pending' })
    const strangers = (await read(account, wallet)).holdings
      .map(({ token }) => token)
      .filter((token) => token.startsWith('0x'))
    expect(strangers).toEqual([waiting, mined])
  })

  it('isolates token reads from each other', async () => {
    const account = open()
    const wallet = newWallet()
    const { node } = account
    const [burner, reverter, silent, short, talker, honest] = Array.from({ length: 6 }, newToken) as Address[]
    node.tokens.set(TOKENS.USDG, 5n * USD)
    node.tokens.set(burner!, 'burns').set(reverter!, 'reverts').set(honest!, 9n)
    node.tokens.set(short!, { answers: '0x01' })
    node.tokens.set(talker!, { answers: `${toHex(8n, { size: 32 })}${'ff'.repeat(100_000)}` })
    // The burner comes first, since it was traded last.
    for (const tokenOut of [honest, talker, short, silent, reverter, burner]) {
      await addTrade(db, { wallet, tokenOut: tokenOut! })
    }
    const { holdings, unread } = await read(account, wallet)
    const amounts = Object.fromEntries(holdings.map(({ token, amount_atoms }) => [token, amount_atoms]))
    expect(amounts).toEqual({ ETH: '0', USDG: '5000000', [honest!]: '9', [talker!]: '8' })
    expect(unread).toEqual(['WETH', 'cbBTC', 'NVDA', TOKENS.TSLA, burner, reverter, silent, short])
    expect(node.tags).toEqual(new Set([toHex(100)]))
  })

  it('reads a wallet once per five seconds for all callers', async () => {
    const account = open()
    const wallet = newWallet()
    const { node } = account
    const answers = await Promise.all([account.readPortfolio(wallet), account.readPortfolio(wallet)])
    expect(answers.map(({ cached, block }) => [cached, block])).toEqual([
      [false, 100],
      [false, 100],
    ])
    node.ethWei = 5n
    account.clock.ms += 4_999
    expect(await read(account, wallet)).toEqual({ ...answers[0], cached: true })
    expect(await read(account, newWallet())).toMatchObject({ cached: false, block: 101 })
    account.clock.ms += 1
    const again = await read(account, wallet)
    expect(again).toMatchObject({ cached: false, block: 102 })
    expect(again.holdings[0]?.amount_atoms).toBe('5')
  })

  it('shares one reading between all processes of a store', async () => {
    if (db.engine === 'pglite') return
    const logger = createLogger({ level: 'silent' })
    const [one, other] = [1, 2].map(() => openTestAccount(db, { shared: createSharedTexts({ db, logger }) }))
    const wallet = newWallet()
    const first = await read(one!, wallet)
    other!.node.ethWei = 5n
    expect(await read(other!, wallet)).toEqual({ ...first, cached: true })
    expect(other!.node.requests).toEqual([])
    expect(await read(other!, wallet)).toEqual({ ...first, cached: true })
    expect((await read(other!, newWallet())).holdings[0]?.amount_atoms).toBe('5')
  })

  it('answers RPC_UNAVAILABLE while the chain does not respond, and recovers at once', async () => {
    const account = open()
    const wallet = newWallet()
    for (const trouble of ['silent', 'refuses'] as const) {
      account.node.trouble = trouble
      expect(await codeOf(account.readPortfolio(wallet))).toBe('RPC_UNAVAILABLE')
    }
    account.node.trouble = null
    expect(await read(account, wallet)).toMatchObject({ cached: false })
  })

  it('answers RPC_UNAVAILABLE if the node has a block but not its state', async () => {
    const account = open()
    const { rpc } = account.node
    const { request } = rpc
    rpc.request = (method, params) => {
      account.node.trouble = method === 'eth_blockNumber' ? null : 'refuses'
      return request(method, params)
    }
    expect(await codeOf(account.readPortfolio(newWallet()))).toBe('RPC_UNAVAILABLE')
  })

  it('answers LIVE_UNAVAILABLE before the market is loaded', async () => {
    const account = open()
    account.market.head = () => null
    expect(await codeOf(account.readPortfolio(newWallet()))).toBe('LIVE_UNAVAILABLE')
  })
})
