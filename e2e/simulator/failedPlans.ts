import { NATIVE } from '@pit/chain'
import { describe, expect, test } from 'vitest'
import { BROKE, ETH } from './compare.ts'
import type { SimulatorWorld } from './world.ts'

export function failedPlans(it: () => SimulatorWorld): void {
  describe('a failing plan has a readable reason', () => {
    const wish = () => ({
      wallet: it().account(3),
      tokenIn: NATIVE,
      tokenOut: it().core('USDG'),
      amountIn: ETH / 10n,
      side: 'input' as const,
    })

    test('an unreachable minimum, a passed deadline', async () => {
      const { expectedOut } = await it().trade(wish())
      const dear = await it().trade({ ...wish(), change: { amountOutMin: expectedOut + 1n } })
      expect((await it().simulator.simulatePlan(dear.request)).error).toMatch(
        /^swap: .*less.* than the minimum/,
      )
      const exact = await it().trade({ ...wish(), change: { amountOutMin: expectedOut } })
      expect(await it().simulator.simulatePlan(exact.request)).toMatchObject({
        ok: true,
        amountOut: expectedOut,
      })
      const late = await it().trade({
        ...wish(),
        change: { deadlineS: it().devnet.chain.head().timestampS - 1n },
      })
      expect((await it().simulator.simulatePlan(late.request)).error).toBe('swap: the deadline has passed')
    })

    test('too little gas, a fee cap below the base fee', async () => {
      const { request: params, swap } = await it().trade(wish())
      const run = (change: object) =>
        it().simulator.simulatePlan({ ...params, transactions: [{ ...swap, tx: { ...swap.tx, ...change } }] })
      const choked = await run({ gas: 60_000 })
      expect(choked).toMatchObject({ ok: false, amountOut: null })
      expect(choked.error).toMatch(/gas/i)
      expect((await run({ gas: 21_000 })).error).toBe(
        'the gas limit is below the minimum for this transaction',
      )
      expect((await run({ maxFeePerGasWei: 1n })).error).toBe('the fee cap is below the base fee')
    })

    test('a paused stock and a blocked wallet: from the reads and from the run', async () => {
      const nvda = it().core('NVDA')
      const usdg = it().core('USDG')
      const wallet = it().account(4)
      const [tokenIn, tokenOut] = [it().token(nvda, true), it().token(usdg)]
      const stocks = async () =>
        (await it().simulator.readWallet({ wallet, tokenIn, tokenOut, curve: null })).stocks[0]
      const { request: params } = await it().trade({
        wallet,
        tokenIn: nvda,
        tokenOut: usdg,
        amountIn: ETH,
        side: 'output',
      })
      const run = () => it().simulator.simulatePlan({ ...params, approvals: 'in place' })
      expect(await stocks()).toEqual({ token: nvda, paused: false, blocked: false })
      expect((await run()).error).toBeNull()

      await it().rpc.request('devnet_pauseStock', ['NVDA', true])
      expect(await stocks()).toEqual({ token: nvda, paused: true, blocked: false })
      // Permit2 hides the token's error text.
      const refused = { ok: false, amountOut: null, error: expect.stringMatching(/or it refuses/) }
      expect(await run()).toMatchObject(refused)
      await it().rpc.request('devnet_pauseStock', ['NVDA', false])

      await it().rpc.request('devnet_blockWallet', ['NVDA', wallet, true])
      expect(await stocks()).toEqual({ token: nvda, paused: false, blocked: true })
      expect(await run()).toMatchObject(refused)
      const { wallet: other } = it().simulator.synthetic
      const elsewhere = await it().simulator.readWallet({ wallet: other, tokenIn, tokenOut, curve: null })
      expect(elsewhere.stocks[0]!.blocked).toBe(false)
      await it().rpc.request('devnet_blockWallet', ['NVDA', wallet, false])

      // One list applies to every account that touches a stock: the router is checked besides the wallet.
      const { router } = it()
      await it().rpc.request('devnet_blockWallet', ['NVDA', router, true])
      const state = await it().simulator.readWallet({ wallet, tokenIn, tokenOut, curve: null })
      expect(state.blockedParties).toEqual([router])
      await it().rpc.request('devnet_blockWallet', ['NVDA', router, false])
    })

    test('a honeypot cannot be sold', async () => {
      const trade = await it().trade({
        wallet: BROKE,
        tokenIn: it().specimen('honeypot'),
        tokenOut: it().core('USDG'),
        amountIn: ETH,
        side: 'output',
      })
      const sold = await it().simulator.simulatePlan({ ...trade.request, fund: true, approvals: 'in place' })
      expect(sold).toMatchObject({ ok: false, fundedByOverrides: true })
      expect(sold.error).toMatch(/the token could not be taken from the wallet/)
    })
  })
}
