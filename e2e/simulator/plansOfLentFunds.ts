import { type Address, type Hex, NATIVE } from '@pit/chain'
import { encodeErc20Approve } from '@pit/plans'
import { describe, expect, test } from 'vitest'
import type { SimulateParams } from '../../packages/trading/src/simulate/index.ts'
import { BROKE, codeOf, ETH, SYNC, USD } from './compare.ts'
import type { SimulatorWorld } from './world.ts'

export function lentPlans(it: () => SimulatorWorld): void {
  describe('lending', () => {
    const sale = async (token: Address, amountIn: bigint, change = {}) => {
      const usdg = it().core('USDG')
      const tokenOut = token === usdg ? NATIVE : usdg
      const params = { wallet: BROKE, tokenIn: token, tokenOut, amountIn, side: 'output', change } as const
      const trade = await it().trade(params)
      return { ...trade, request: lent(trade.request) }
    }
    const lent = (params: SimulateParams): SimulateParams => ({
      ...params,
      fund: true,
      approvals: 'in place',
    })

    test.each([
      ['USDG', 500n * USD],
      ['WETH', ETH / 2n],
      ['cbBTC', 10n ** 6n],
      ['PARTNER', 1_000n * ETH],
      ['NVDA', 3n * ETH],
      ['SPY', ETH],
    ])('%s, sold by a wallet with no balance', async (symbol, amountIn) => {
      const { request: params, expectedOut, expectedFee } = await sale(it().core(symbol), amountIn)
      expect(await it().simulator.simulatePlan(params)).toMatchObject({
        error: null,
        ok: true,
        fundedByOverrides: true,
        amountOut: expectedOut,
        feeTransfer: expectedFee,
      })
    })

    test.each([
      'good',
      'pausable',
      'blacklist',
      'mintable',
      'bytes32_symbol',
      'reverting_decimals',
      'upgradeable',
      'impersonator',
    ])('an unverified token: %s', async (name) => {
      const { request: params, expectedOut } = await sale(it().specimen(name), 1_000n * ETH)
      const foretold = await it().simulator.simulatePlan(params)
      expect(foretold).toMatchObject({ error: null, ok: true, amountOut: expectedOut })
    })

    test.each([
      ['fee_on_transfer', 300n],
      ['sell_taxed', 2_500n],
    ])('%s delivers less than quoted, as the balance shows', async (name, taxBps) => {
      const { request: params, expectedOut } = await sale(it().specimen(name), 1_000n * ETH, {
        amountOutMin: 0n,
      })
      const { ok, amountOut, error } = await it().simulator.simulatePlan({
        ...params,
        amountOutMin: expectedOut,
      })
      const untaxed = (expectedOut * (10_000n - taxBps)) / 10_000n
      expect(Number(amountOut)).toBeGreaterThan(Number(untaxed) * 0.999)
      expect(Number(amountOut)).toBeLessThan(Number(untaxed) * 1.01)
      expect(ok).toBe(false)
      expect(error).toBe(`it delivers ${amountOut} atoms, less than the minimum of ${expectedOut}`)
    })

    test('a rebasing token, whatever its scale', async () => {
      const token = it().specimen('rebasing')
      for (const index of [ETH, 1_234_567_891_234_567_891n, ETH / 3n]) {
        await it().devnet.chain.admin('hardhat_setStorageAt', [
          token,
          '0x7',
          `0x${index.toString(16).padStart(64, '0')}`,
        ])
        const { pools } = await sale(token, ETH)
        await it().mine(it().tx(it().account(1), pools[0]!, SYNC))
        const { request: params, expectedOut } = await sale(token, 1_000n * ETH)
        const { amountOut, error } = await it().simulator.simulatePlan(params)
        expect(error).toBeNull()
        // Shares are rounded by an atom or two.
        expect(Number(amountOut! - expectedOut)).toBeCloseTo(0, -1)
      }
    })

    test('a token that moved its balances is located again', async () => {
      const token = it().specimen('good')
      const { request: params, expectedOut } = await sale(token, 1_000n * ETH)
      expect((await it().simulator.simulatePlan(params)).ok).toBe(true)
      const originalCode = await it().rpc.request<Hex>('eth_getCode', [token, 'latest'])
      // Other code at the same address: returns the balance from slot 9's mapping.
      const code = '0x600435600052600960205260406000205460005260206000f3'
      await it().devnet.chain.admin('hardhat_setCode', [token, code])
      const moved = await it().simulator.simulatePlan({ ...params, amountOutMin: 0n })
      expect(moved.fundedByOverrides).toBe(true)
      await it().devnet.chain.admin('hardhat_setCode', [token, originalCode])
      expect(await it().simulator.simulatePlan(params)).toMatchObject({ ok: true, amountOut: expectedOut })
    })

    test.each(['lying_balance', 'gas_burner'])('%s cannot be lent', async (name) => {
      const { request: params } = await sale(it().specimen(name), 1_000n * ETH)
      expect(await codeOf(it().simulator.simulatePlan(params))).toBe('DRY_RUN_UNFUNDABLE')
      // Its reported balance is not trusted: the sale itself must succeed.
      const claimed = await it().simulator.simulatePlan({ ...params, fund: 'auto', holdsInput: true })
      expect(claimed).toMatchObject({ ok: false, amountOut: null, fundedByOverrides: false })
    })

    test('a sale of the synthetic wallet, with its permit', async () => {
      const { wallet, signPermit } = it().simulator.synthetic
      const token = it().core('USDG')
      const amountIn = 700n * USD
      const details = { token, amount: amountIn, expiration: 2 ** 40, nonce: 0 }
      const permit = { details, spender: it().router, sigDeadline: 1n << 40n }
      const wish = { wallet, tokenIn: token, tokenOut: NATIVE, amountIn, side: 'output' } as const
      const signed = await it().trade({
        ...wish,
        change: { permit: { permit, signature: signPermit(permit) } },
      })
      const approve = {
        kind: 'approve' as const,
        tx: it().tx(wallet, token, encodeErc20Approve(it().permit2, amountIn)),
      }
      const first = await it().simulator.simulatePlan({
        ...signed.request,
        transactions: [approve, signed.swap],
        fund: true,
        holdsInput: false,
      })
      expect(first).toMatchObject({ error: null, ok: true, amountOut: signed.expectedOut })
      expect(first.transactions.map(({ kind, ok }) => [kind, ok])).toEqual([
        ['approve', true],
        ['swap', true],
      ])
      expect(first.gasTotal).toBe(first.transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0))

      const plain = await it().trade(wish)
      const later = await it().simulator.simulatePlan(lent(plain.request))
      expect(later).toMatchObject({ ok: true, amountOut: signed.expectedOut })
      expect(later.gasTotal).toBeLessThan(first.gasTotal!)

      const other = await it().trade({
        ...wish,
        change: { permit: { permit, signature: `0x${'11'.repeat(64)}1b` } },
      })
      const forged = await it().simulator.simulatePlan({
        ...lent(other.request),
        transactions: [approve, other.swap],
      })
      expect(forged.error).toMatch(/permit/)
    })
  })
}
