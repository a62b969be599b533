import { NATIVE } from '@pit/chain'
import { encodeErc20Approve, encodePermit2Approve } from '@pit/plans'
import { describe, expect, test } from 'vitest'
import { codeOf } from './compare.ts'
import type { SimulatorWorld } from './world.ts'

export function walletReads(it: () => SimulatorWorld): void {
  describe('a wallet', () => {
    test('is read completely in one round trip', async () => {
      const wallet = it().account(6)
      const usdg = it().core('USDG')
      const spender = it().core('PARTNER')
      await it().mine(it().tx(wallet, usdg, encodeErc20Approve(it().permit2, 77n)))
      await it().mine(it().tx(wallet, usdg, encodeErc20Approve(spender, 88n)))
      const allowance = { token: usdg, spender: it().router, amount: 66n, expiration: 2 ** 40 }
      await it().mine(it().tx(wallet, it().permit2, encodePermit2Approve(allowance)))
      const state = await it().simulator.readWallet({
        wallet,
        tokenIn: it().token(usdg),
        tokenOut: it().token(NATIVE),
        curve: spender,
      })
      expect(state).toEqual({
        wallet,
        block: expect.any(Number),
        nonce: Number(await it().rpc.request('eth_getTransactionCount', [wallet, 'pending'])),
        minedNonce: Number(await it().rpc.request('eth_getTransactionCount', [wallet, 'latest'])),
        balanceWei: await it().balance(NATIVE, wallet),
        balanceIn: await it().balance(usdg, wallet),
        allowance: 77n,
        permit: { amount: 66n, expirationS: 2 ** 40, nonce: 0 },
        curveAllowance: 88n,
        delegatedTo: null,
        hasOtherCode: false,
        stocks: [],
        blockedParties: [],
      })
      expect(Math.abs(state.block - Number(it().devnet.chain.head().number))).toBeLessThan(200)
      const contract = await it().simulator.readWallet({
        wallet: it().router,
        tokenIn: it().token(NATIVE),
        tokenOut: it().token(usdg),
        curve: null,
      })
      expect(contract).toMatchObject({
        delegatedTo: null,
        hasOtherCode: true,
        allowance: 0n,
        curveAllowance: 0n,
      })
      expect(contract.balanceIn).toBe(contract.balanceWei)
    })

    test('is not read partially: a token that does not answer fails the read', async () => {
      const params = { wallet: it().account(6), tokenOut: it().token(NATIVE), curve: null }
      const mute = it().token(it().specimen('gas_burner'))
      expect(await codeOf(it().simulator.readWallet({ ...params, tokenIn: mute }))).toBe('RPC_UNAVAILABLE')
      // USDG cannot be paused, so it is not a stock token, whatever the profile says.
      const unlike = it().token(it().core('USDG'), true)
      expect(await codeOf(it().simulator.readWallet({ ...params, tokenIn: unlike }))).toBe('RPC_UNAVAILABLE')
    })
  })
}
