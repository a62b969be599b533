import type { Hex } from '@pit/chain'
import { encodeCurveTrade } from '@pit/plans'
import { describeInFull } from '@pit/platform/test/tier'
import { until } from '@pit/platform/test/until'
import { parseGwei } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { privateKeyOf } from '../fast/fastTrader.ts'
import type { DoneTrade } from '../trading/doTrade.ts'
import { receiptOf, type Trader } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'

/** The world of the story. */
export interface PonsStage {
  world: TradingWorld
  /** An ordinary wallet, and one that sends batches. */
  trader: Trader
  delegated: Trader
  trade(who: Trader, tokenIn: string, tokenOut: string, terms: object): Promise<DoneTrade>
  refusal(who: Trader, request: object): Promise<{ status: number; code?: string; message?: string }>
}

interface Info {
  pons: { tokens: { address: Hex; symbol: string; curve: Hex; graduated: boolean }[] }
}

const ETH = 10n ** 18n
const PATIENCE_MS = 120_000
/** Risks that a young curve's token may have. */
const terms = { accept_risks: ['CURVE', 'NEW_TOKEN', 'LOW_LIQUIDITY', 'SELL_TAX', 'HIGH_PRICE_IMPACT'] }
const SIZE = { ETH: ETH / 100n, USDG: 40n * 10n ** 6n, NVDA: ETH / 5n }
const most = (amount: bigint): string => ((amount * 2n) / 3n).toString()

/** A launchpad whose curves take no deadline and log no reserves, from launch to the pool behind its hook. */
export function ponsCases(stage: () => PonsStage): void {
  const tokenNamed = async (symbol: string) => {
    const { pons } = await stage().world.devnet.rpc<Info>('devnet_info')
    const token = pons.tokens.find((one) => one.symbol === symbol)!
    return { address: token.address.toLowerCase(), curve: token.curve }
  }

  describeInFull('curves of the second launchpad', () => {
    it.each([
      ['ETH', 'PETH', 'two_step'],
      ['USDG', 'PUSD', 'two_step'],
      ['NVDA', 'PNVDA', 'two_step'],
      ['ETH', 'PTAX', 'batch'],
    ] as const)(
      'against %s, %s is bought and sold in %s',
      { timeout: PATIENCE_MS },
      async (pair, symbol, mode) => {
        const { trader, delegated, trade } = stage()
        const who = mode === 'batch' ? delegated : trader
        const { address, curve } = await tokenNamed(symbol)
        const own = { ...terms, curve_fee_mode: mode, owner_attests_non_us: true }
        const bought = await trade(who, pair, address, { amount_in: SIZE[pair].toString(), ...own })
        const sold = await trade(who, address, pair, { amount_in: most(bought.received), ...own })
        expect(sold.plan.fee).toMatchObject({ side: 'output' })
        for (const { plan, income } of [bought, sold]) {
          expect(plan.fee.amount).toBe(income.toString())
          const last = plan.steps.at(-1)!.decoded as Record<string, unknown>
          const calls = (last['calls'] as Record<string, unknown>[] | undefined) ?? [last]
          const swap = calls.find((one) => one['curve'] !== undefined)!
          expect(swap).toMatchObject({ curve: curve.toLowerCase(), deadline: null })
          expect(plan['risks']).toContainEqual(
            expect.objectContaining({ code: 'CURVE', message: expect.stringContaining('no deadline') }),
          )
        }
      },
    )

    it('taxes a launch for buyers who are not exempt, and no one after its window', {
      timeout: PATIENCE_MS,
    }, async () => {
      const { world, trader, delegated, trade, refusal } = stage()
      const { token } = await world.devnet.rpc<{ token: Hex }>('devnet_launch', [
        { launchpad: 'pons', pair: 'ETH', symbol: 'SNIPED', exempt: [trader.wallet], snipe_seconds: 30 },
      ])
      const address = token.toLowerCase()
      const request = { token_in: 'ETH', token_out: address, amount_in: SIZE.ETH.toString(), ...terms }
      await until(async () => (await refusal(delegated, request)).code === 'SNIPE_TAX', { everyMs: 1_000 })
      const taxed = await refusal(delegated, request)
      expect(taxed).toMatchObject({
        status: 422,
        code: 'SNIPE_TAX',
        message: expect.stringContaining('this wallet'),
      })
      const early = await trade(trader, 'ETH', address, { amount_in: SIZE.ETH.toString(), ...terms })
      expect(early.received).toBeGreaterThan(0n)
      await until(async () => (await refusal(delegated, request)).code !== 'SNIPE_TAX', {
        withinMs: 60_000,
        everyMs: 1_500,
      })
      await trade(delegated, 'ETH', address, { amount_in: SIZE.ETH.toString(), ...terms })
      await trade(trader, address, 'ETH', { amount_in: most(early.received), ...terms })
    })

    it('graduates into a pool behind its hook, where it keeps trading', {
      timeout: PATIENCE_MS,
    }, async () => {
      const { world, trader, delegated, trade, refusal } = stage()
      const { address, curve } = await tokenNamed('PLAST')
      const request = { token_in: 'ETH', token_out: address, ...terms }
      const before = await trade(trader, 'ETH', address, { amount_in: (SIZE.ETH / 10n).toString(), ...terms })
      const whole = { ...request, amount_in: ETH.toString(), venues: ['venue_curve'] }
      expect(await refusal(delegated, whole)).toMatchObject({ code: 'CURVE_GRADUATED' })
      await buyOut(world, curve)
      const gone = { ...request, amount_in: SIZE.ETH.toString(), venues: ['venue_curve'] }
      await until(async () => (await refusal(delegated, gone)).message?.includes('graduated into') ?? false, {
        everyMs: 1_000,
      })
      const sold = await trade(trader, address, 'ETH', { amount_in: most(before.received), ...terms })
      expect(sold.plan).toMatchObject({ execution: 'router', route: { venue: 'venue_pool' } })
      const bought = await trade(trader, 'ETH', address, { amount_in: SIZE.ETH.toString(), ...terms })
      expect(bought.plan).toMatchObject({ execution: 'router', route: { venue: 'venue_pool' } })
    })
  })
}

/** Another account buys everything left for sale. */
async function buyOut(world: TradingWorld, curve: Hex): Promise<void> {
  const account = privateKeyToAccount(privateKeyOf(6))
  const nonce = Number(await world.devnet.rpc<Hex>('eth_getTransactionCount', [account.address, 'latest']))
  const amountIn = ETH
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 4663,
    nonce,
    to: curve,
    value: amountIn,
    data: encodeCurveTrade({
      launchpad: 'pons',
      side: 'buy',
      amountIn,
      amountOutMin: 0n,
      recipient: account.address,
      deadlineS: 0n,
    }),
    gas: 4_000_000n,
    maxFeePerGas: parseGwei('10'),
    maxPriorityFeePerGas: 0n,
  })
  const hash = await world.devnet.rpc<Hex>('eth_sendRawTransaction', [raw])
  expect((await receiptOf(world.devnet, hash)).status).toBe('0x1')
}
