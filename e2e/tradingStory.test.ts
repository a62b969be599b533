import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { delegationOf, type Hex } from '@pit/chain'
import { openDb } from '@pit/platform/db'
import { itInFull } from '@pit/platform/test/tier'
import { encodeFunctionData, parseAbi, parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newServerDirectory } from '../packages/platform/test/serverStore.ts'
import { privateKeyOf } from './fast/fastTrader.ts'
import { type DoneTrade, doTrade, tradesOf } from './trading/doTrade.ts'
import { readStoryTokens, type StoryTokens } from './trading/tokens.ts'
import { balanceOf, openTrader, receiptOf, type Trader, type UnsignedStep } from './trading/trader.ts'
import { openTradingWorld, type TradingWorld } from './trading/world.ts'
import { stepCases } from './tradingStory/approvalSteps.ts'
import { ponsCases } from './tradingStory/launchpad.ts'
import { walletCases } from './tradingStory/walletRpc.ts'

// An owner's day through plain HTTP. Answers are compared with the chain's balances, to the atom. More rounds
// with other sizes by hand: STORY_ROUNDS=20 npx vitest run e2e/tradingStory.test.ts
const ROUNDS = Number(process.env['STORY_ROUNDS'] ?? 1)
/** A wallet with a high volume pays less. */
const MAJOR = ROUNDS === 1 ? 25 : expect.toBeOneOf([25, 20, 15, 10])
const PATIENCE_MS = 60_000 + ROUNDS * 120_000

const ETH = 10n ** 18n
const USD = 10n ** 6n
const NATIVE = `0x${'0'.repeat(40)}` as const

let world: TradingWorld
let dataDir: string
let tokens: StoryTokens
let trader: Trader
/** Its wallet runs the stateless delegator. */
let delegated: Trader
let incomeBefore: Map<string, bigint>
const done: (DoneTrade & { trader: Trader })[] = []

beforeAll(async () => {
  dataDir = await newServerDirectory()
  world = await openTradingWorld({ server: { DATA_DIR: dataDir } })
  tokens = await readStoryTokens(world.devnet)
  trader = await openTrader(world.server.url, { account: 1 })
  delegated = await openTrader(world.server.url, { account: 2 })
  incomeBefore = await incomes()
})
afterAll(async () => {
  await world?.close()
  if (dataDir) rmSync(dataDir, { recursive: true, force: true })
})

const incomes = async (): Promise<Map<string, bigint>> => {
  const recipient = world.profile.fee_recipient as Hex
  const tokens = [NATIVE, world.core('USDG'), world.core('NVDA')]
  return new Map(
    await Promise.all(
      tokens.map(async (token) => [token, await balanceOf(world.devnet, token, recipient)] as const),
    ),
  )
}
/** Odd sizes, so that there is always rounding. */
const sizeOf = (base: bigint, round: number): string =>
  (base + (base * ((BigInt(round) * 7_919n) % 1_000n)) / 1_000n + 7n).toString()

/** Some balance stays in the wallet. */
const most = (amount: bigint): string => ((amount * 2n) / 3n).toString()

/** Names as a client sends them: core assets by symbol, others by address. */
const addressOf = (name: string): string =>
  name === 'ETH' ? NATIVE : name.startsWith('0x') ? name.toLowerCase() : world.core(name)

async function trade(who: Trader, token_in: string, token_out: string, terms: object): Promise<DoneTrade> {
  const ends = { tokenIn: addressOf(token_in), tokenOut: addressOf(token_out) }
  const one = await doTrade(world.devnet, who, ends, { token_in, token_out, ...terms })
  done.push({ ...one, trader: who })
  return one
}
async function rounds(run: (round: number) => Promise<void>): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await run(round)
}
const refusal = async (who: Trader, request: object) => {
  const { status, body } = await who.post('live/prepare', { wallet: who.wallet, ...request })
  return { status, ...body.error }
}

stepCases(() => world)
walletCases(() => world)

describe('core assets', () => {
  it('ETH buys dollars, sized in dollars', { timeout: PATIENCE_MS }, () =>
    rounds(async (round) => {
      const { plan } = await trade(trader, 'ETH', 'USDG', { notional_usd: 500 + (round % 100) })
      expect(plan.steps.map(({ kind }) => kind)).toEqual(['swap'])
      expect(plan.fee).toMatchObject({ bps: MAJOR, side: 'input', token: NATIVE, command: 'TRANSFER' })
    }),
  )

  it('dollars buy a stock token, once the owner attests', { timeout: PATIENCE_MS }, () =>
    rounds(async (round) => {
      const request = { token_in: 'USDG', token_out: 'NVDA', amount_in: sizeOf(150n * USD, round) }
      expect(await refusal(trader, request)).toMatchObject({
        status: 422,
        code: 'GEOFENCE',
        field: 'owner_attests_non_us',
      })
      const { plan } = await trade(trader, 'USDG', 'NVDA', {
        amount_in: request.amount_in,
        owner_attests_non_us: true,
        // Longer than the trade, so that there is something to revoke.
        permit_scope: '30d',
        approval_budget_usd: 400,
      })
      expect(plan.fee).toMatchObject({ bps: MAJOR, side: 'input', command: 'PERMIT2_TRANSFER_FROM' })
    }),
  )

  it('the stock token is sold for ETH', { timeout: PATIENCE_MS }, () =>
    rounds(async (round) => {
      const { plan } = await trade(trader, 'NVDA', 'ETH', {
        amount_in: sizeOf(ETH / 2n, round),
        owner_attests_non_us: true,
        approval_mode: 'exact',
      })
      expect(plan.steps.map(({ kind }) => kind)).toEqual(['approve', 'swap'])
      expect(plan.fee).toMatchObject({ bps: MAJOR, side: 'output', token: NATIVE, command: 'PAY_PORTION' })
    }),
  )
})

describe('a token that keeps a quarter of every sale', () => {
  it('is bought and sold by an owner who accepts that', { timeout: PATIENCE_MS }, () =>
    rounds(async (round) => {
      const token = tokens.specimen('sell_taxed')
      const buy = { amount_in: sizeOf(ETH / 20n, round) }
      const refused = await refusal(trader, { token_in: 'ETH', token_out: token, ...buy })
      expect(refused).toMatchObject({ status: 422, code: 'RISK_NOT_ACCEPTED', unaccepted: ['SELL_TAX'] })
      const accept_risks = ['SELL_TAX']
      const { received } = await trade(trader, 'ETH', token, { ...buy, accept_risks })
      const { plan } = await trade(trader, token, 'ETH', { amount_in: most(received), accept_risks })
      expect(plan.fee).toMatchObject({ bps: 50, side: 'output', command: 'PAY_PORTION' })
      expect(plan['accepted_risks']).toEqual(['SELL_TAX'])
    }),
  )
})

describe('curves', () => {
  const SIZE = { ETH: ETH / 50n, USDG: 60n * USD }

  beforeAll(async () => {
    await delegate()
  })

  it('refuses a batch from a wallet that cannot send one', async () => {
    const request = { token_in: 'ETH', token_out: tokens.onCurve('ETH'), amount_in: sizeOf(SIZE.ETH, 0) }
    expect(await refusal(trader, { ...request, curve_fee_mode: 'batch' })).toMatchObject({
      status: 422,
      code: 'FEE_MODE',
    })
  })

  const buyAndSell = (pair: 'ETH' | 'USDG', mode: 'two_step' | 'batch') =>
    rounds(async (round) => {
      const who = mode === 'batch' ? delegated : trader
      const address = tokens.onCurve(pair)
      const terms = { curve_fee_mode: mode }
      const bought = await trade(who, pair, address, { amount_in: sizeOf(SIZE[pair], round), ...terms })
      const kinds = bought.plan.steps.map(({ kind }) => kind)
      const sold = await trade(who, address, pair, { amount_in: most(bought.received), ...terms })
      if (mode === 'batch') {
        expect(kinds).toEqual(['swap'])
        expect(sold.plan).toMatchObject({
          execution: 'batch',
          fee: { command: 'batch transfer', side: 'output' },
        })
        expect(bought.feeHash).toBe(bought.hash)
      } else {
        expect(kinds).toEqual(pair === 'ETH' ? ['fee_transfer', 'swap'] : ['approve', 'fee_transfer', 'swap'])
        expect(sold.plan).toMatchObject({
          execution: 'curve',
          fee: { command: 'fee_transfer', side: 'output' },
        })
        expect(sold.feeHash).not.toBe(sold.hash)
      }
      // The plan fixes the fee, and exactly that was paid.
      for (const { plan, income } of [bought, sold]) expect(plan.fee.amount).toBe(income.toString())
    })
  const TITLE = 'against %s, bought and sold in %s'
  it.each([['ETH', 'batch']] as const)(TITLE, { timeout: PATIENCE_MS }, buyAndSell)
  itInFull.each([
    ['ETH', 'two_step'],
    ['USDG', 'two_step'],
    ['USDG', 'batch'],
  ] as const)(TITLE, { timeout: PATIENCE_MS }, buyAndSell)
})

ponsCases(() => ({ world, trader, delegated, trade, refusal }))

describe('afterwards', () => {
  it('approvals are revoked, on the chain too', async () => {
    type Revocation = { steps: { kind: string; tx: UnsignedStep }[]; [more: string]: unknown }
    const params = { wallet: trader.wallet, tokens: ['USDG'] }
    for (const left of Object.values(await allowances('USDG'))) expect(left).toBeGreaterThan(0n)
    const { status, body } = await trader.post<Revocation>('live/revoke', params)
    expect(status).toBe(200)
    expect(body).toMatchObject({ ready: true, nothing_to_revoke: false, simulation: { ok: true } })
    expect(body.steps.map(({ kind }) => kind)).toEqual(['approve', 'lockdown'])
    for (const { tx } of body.steps) {
      const { raw, hash } = trader.sign(tx)
      expect((await trader.post('live/submit', { raw_tx: raw })).body).toMatchObject({ tx_hash: hash })
      expect((await receiptOf(world.devnet, hash)).status).toBe('0x1')
    }
    expect(await allowances('USDG')).toEqual({ token: 0n, router: 0n })
    expect((await trader.post('live/revoke', params)).body).toMatchObject({
      nothing_to_revoke: true,
      steps: [],
    })
  })

  it('me/trades lists all of them, newest first, and the refused calls on request', async () => {
    for (const who of [trader, delegated]) {
      const mine = done.filter((one) => one.trader === who).map(({ hash }) => hash)
      const rows = await tradesOf(who)
      expect(rows.map(({ tx_hash }) => tx_hash)).toEqual(mine.toReversed())
      expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['mined']))
    }
    const refused = (await tradesOf(trader, '&refused=1')).filter(({ status }) => status === 'refused')
    expect(new Set(refused.map(({ code }) => code))).toEqual(
      new Set(['GEOFENCE', 'RISK_NOT_ACCEPTED', 'FEE_MODE']),
    )
    for (const { tx_hash, amount_out } of refused) expect([tx_hash, amount_out]).toEqual([null, null])
  })

  itInFull('me/portfolio matches the wallet’s balances, and counts the trades', async () => {
    interface Portfolio {
      holdings: { address: Hex; amount_atoms: string }[]
      unread: string[]
      volume: { volume_usd: number }
    }
    const until = Date.now() + 150_000
    // A volume is cached for three seconds, a portfolio for five.
    await sleep(3_500)
    for (const who of [trader, delegated]) {
      const mine = done.filter((one) => one.trader === who)
      const tradedUsd = mine.reduce((sum, { plan }) => sum + Number(plan['notional_usd']), 0)
      let answer = await who.get<Portfolio>('me/portfolio')
      // Valued at the marks of their minutes, a moment after they are mined; a tax is not part of the volume.
      while (answer.body.volume.volume_usd < tradedUsd * 0.9 && Date.now() < until) {
        await sleep(1_000)
        answer = await who.get<Portfolio>('me/portfolio')
      }
      const { holdings, unread, volume } = answer.body
      expect(volume.volume_usd).toBeGreaterThan(tradedUsd * 0.9)
      expect(volume.volume_usd).toBeLessThan(tradedUsd * 1.01)
      expect(unread).toEqual([])
      const traded = new Set(mine.map(({ row }) => row.token_out.address))
      expect(holdings.map(({ address }) => address)).toEqual(expect.arrayContaining([...traded]))
      for (const { address, amount_atoms } of holdings) {
        expect([address, BigInt(amount_atoms)]).toEqual([
          address,
          await balanceOf(world.devnet, address, who.wallet),
        ])
      }
    }
  })

  it('the ledger matches the recipient’s income, transaction by transaction', async () => {
    const grown = new Map(
      [...(await incomes())].map(([token, now]) => [token, now - incomeBefore.get(token)!]),
    )
    await world.server.stop()
    const db = await openDb({ dataDir, databaseUrl: null })
    try {
      const rows = await db.query<{
        tx_hash: Hex
        token: string
        atoms: string
        bps: number
        side: string
        block: number
        wallet: Hex
      }>(
        `select f.tx_hash, f.token, f.atoms, f.bps, f.side, f.block, t.wallet
         from fees f join trades t on t.id = f.trade_id order by f.trade_id`,
      )
      const paid = done.map(({ feeHash, income, plan: { fee } }) => [
        feeHash,
        fee.token,
        income.toString(),
        fee.bps,
        fee.side,
      ])
      // The wallet that sent by itself paid too: its fees are in the sums.
      const traders = new Set(done.map((one) => one.trader.wallet))
      const theirs = rows.filter(({ wallet }) => traders.has(wallet))
      expect(
        theirs.map(({ tx_hash, token, atoms, bps, side }) => [tx_hash, token, atoms, bps, side]),
      ).toEqual(paid)
      for (const [token, sum] of grown) {
        const booked = rows.filter((row) => row.token === token)
        expect(
          booked.reduce((all, { atoms }) => all + BigInt(atoms), 0n),
          token,
        ).toBe(sum)
      }
      for (const { tx_hash, block } of rows) {
        expect(block).toBe(Number((await receiptOf(world.devnet, tx_hash)).blockNumber))
      }
      console.log(`${done.length} trades, ${rows.length} fees booked, each equal to the recipient’s income`)
    } finally {
      await db.close()
    }
  })
})

const tokenAbi = parseAbi(['function allowance(address owner, address spender) view returns (uint256)'])
const permit2Abi = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160, uint48, uint48)',
])
/** Permit2's allowance of the token, and the router's allowance in Permit2, from the contracts. */
async function allowances(symbol: string): Promise<{ token: bigint; router: bigint }> {
  const { permit2, universal_router } = world.profile.contracts
  const [owner, token] = [trader.wallet, world.core(symbol)]
  const read = async (to: string, data: Hex) =>
    BigInt((await world.devnet.rpc<Hex>('eth_call', [{ to, data }, 'latest'])).slice(0, 66))
  const own = encodeFunctionData({ abi: tokenAbi, args: [owner, permit2 as Hex] })
  const through = encodeFunctionData({ abi: permit2Abi, args: [owner, token, universal_router as Hex] })
  return { token: await read(token, own), router: await read(permit2, through) }
}

/** Delegates the second wallet with a separate transaction (EIP-7702). */
async function delegate(): Promise<void> {
  const account = privateKeyToAccount(privateKeyOf(2))
  const contractAddress = world.profile.delegation.stateless_delegator as Hex
  const count = await world.devnet.rpc<Hex>('eth_getTransactionCount', [delegated.wallet, 'latest'])
  const nonce = Number(count)
  const authorization = await account.signAuthorization({ contractAddress, chainId: 4663, nonce: nonce + 1 })
  const raw = await account.signTransaction({
    type: 'eip7702',
    chainId: 4663,
    nonce,
    to: delegated.wallet,
    gas: 200_000n,
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: 0n,
    authorizationList: [authorization],
  })
  const hash = await world.devnet.rpc<Hex>('eth_sendRawTransaction', [raw])
  expect((await receiptOf(world.devnet, hash)).status).toBe('0x1')
  const code = await world.devnet.rpc<Hex>('eth_getCode', [delegated.wallet, 'latest'])
  expect(delegationOf(code)).toBe(contractAddress.toLowerCase())
}
