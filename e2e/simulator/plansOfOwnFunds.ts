import { setTimeout as sleep } from 'node:timers/promises'
import { NATIVE } from '@pit/chain'
import { encodeErc20Approve, encodePermit2Approve } from '@pit/plans'
import { describe, expect, test } from 'vitest'
import { BROKE, ETH, MAX_UINT160, MAX_UINT256, mineAndCompare, USD } from './compare.ts'
import type { SimulatorWorld } from './world.ts'

export function heldPlans(it: () => SimulatorWorld): void {
  describe('a plan of a wallet with sufficient balances', () => {
    test('ETH to USDG: output, fee and gas are those of the mined transaction', async () => {
      const trade = await it().trade({
        wallet: it().account(1),
        tokenIn: NATIVE,
        tokenOut: it().core('USDG'),
        amountIn: 2n * ETH,
        side: 'input',
      })
      const foretold = await it().simulator.simulatePlan(trade.request)
      expect(foretold).toMatchObject({
        ok: true,
        error: null,
        fundedByOverrides: false,
        amountOut: trade.expectedOut,
        feeTransfer: trade.expectedFee,
        transactions: [{ kind: 'swap', ok: true, error: null }],
      })
      expect(foretold.block).toBeGreaterThan(0)
      expect(foretold.transactions[0]!.logs.length).toBeGreaterThan(1)
      expect(await mineAndCompare(it(), trade)).toEqual({
        amountOut: foretold.amountOut,
        fee: foretold.feeTransfer,
        gasUsed: foretold.gasTotal,
      })
    })

    test('USDG to ETH: existing approvals cost nothing, and gas is not counted as a loss', async () => {
      const [wallet, usdg] = [it().account(2), it().core('USDG')]
      const trade = await it().trade({
        wallet,
        tokenIn: usdg,
        tokenOut: NATIVE,
        amountIn: 3_000n * USD,
        side: 'output',
      })
      const bare = await it().simulator.simulatePlan(trade.request)
      expect(bare).toMatchObject({
        ok: false,
        amountOut: null,
        error: 'swap: Permit2 has no allowance for the router',
      })
      const foretold = await it().simulator.simulatePlan({ ...trade.request, approvals: 'in place' })
      expect(foretold).toMatchObject({
        ok: true,
        fundedByOverrides: false,
        amountOut: trade.expectedOut,
        feeTransfer: trade.expectedFee,
      })
      expect(foretold.transactions).toHaveLength(1)
      const allowance = { token: usdg, spender: it().router, amount: MAX_UINT160, expiration: 2 ** 47 }
      await it().mine(it().tx(wallet, usdg, encodeErc20Approve(it().permit2, MAX_UINT256)))
      await it().mine(it().tx(wallet, it().permit2, encodePermit2Approve(allowance)))
      // A pool's first trade in a second costs more gas: neither run may be the second.
      await sleep(1_100)
      // Now the approvals exist.
      const again = await it().simulator.simulatePlan(trade.request)
      expect(again).toMatchObject({ ok: true, amountOut: foretold.amountOut })
      expect(await mineAndCompare(it(), trade)).toEqual({
        amountOut: foretold.amountOut,
        fee: foretold.feeTransfer,
        gasUsed: foretold.gasTotal,
      })
    })

    test('is limited to its own balance on request', async () => {
      const request = {
        wallet: BROKE,
        tokenIn: NATIVE,
        tokenOut: it().core('USDG'),
        amountIn: ETH,
        side: 'input',
      } as const
      const trade = await it().trade(request)
      const broke = await it().simulator.simulatePlan(trade.request)
      expect(broke).toMatchObject({
        ok: false,
        fundedByOverrides: false,
        amountOut: null,
        feeTransfer: null,
        gasTotal: null,
        error: 'insufficient ETH for value and gas',
        transactions: [{ kind: 'swap', ok: false }],
      })
      const auto = await it().simulator.simulatePlan({ ...trade.request, fund: 'auto', holdsInput: false })
      expect(auto).toMatchObject({ ok: true, fundedByOverrides: true, amountOut: trade.expectedOut })
      const held = await it().simulator.simulatePlan({ ...trade.request, fund: 'auto' })
      expect(held.ok).toBe(false)
    })
  })
}
