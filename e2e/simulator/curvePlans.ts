import { type Address, curveAbi, type Hex, NATIVE } from '@pit/chain'
import { encodeBatch, encodeCurveTrade } from '@pit/plans'
import { encodeFunctionData } from 'viem'
import { describe, expect, test } from 'vitest'
import type { SimulateParams } from '../../packages/trading/src/simulate/index.ts'
import { BROKE, ETH } from './compare.ts'
import { DEADLINE_S, lower, type SimulatorWorld } from './world.ts'

export function curvePlans(it: () => SimulatorWorld): void {
  describe('curves', () => {
    const curve = () => {
      const listed = it().devnet.world.longTail.find(
        ({ curve, graduated, pairs }) => curve && !graduated && pairs.includes('ETH'),
      )!
      return { token: lower(listed.address), curve: lower(listed.curve!) }
    }
    const terms = (amountIn: bigint, recipient: Address) => ({
      amountIn,
      amountOutMin: 0n,
      recipient,
      deadlineS: it().devnet.chain.head().timestampS + DEADLINE_S,
    })

    test('a purchase in two steps, its fee first', async () => {
      const { token, curve: at } = curve()
      const wallet = it().account(5)
      const [fee, amountIn] = [ETH / 400n, ETH / 10n]
      const params: SimulateParams = {
        wallet,
        transactions: [
          { kind: 'fee_transfer', tx: it().tx(wallet, it().recipient, '0x', fee) },
          {
            kind: 'swap',
            tx: it().tx(
              wallet,
              at,
              encodeCurveTrade({ launchpad: 'pit', side: 'buy', ...terms(amountIn - fee, wallet) }),
              amountIn - fee,
            ),
          },
        ],
        tokenIn: NATIVE,
        tokenOut: token,
        amountIn,
        fee: { token: NATIVE, recipient: it().recipient },
        amountOutMin: 1n,
        fund: false,
        holdsInput: true,
        approvals: 'as planned',
      }
      const bought = await it().simulator.simulatePlan(params)
      expect(bought).toMatchObject({ error: null, ok: true, feeTransfer: fee })
      expect(bought.amountOut).toBeGreaterThan(0n)
      const tooDear = terms(amountIn - fee, wallet)
      tooDear.amountOutMin = bought.amountOut! + 1n
      const swap = {
        ...params.transactions[1]!,
        tx: {
          ...params.transactions[1]!.tx,
          data: encodeCurveTrade({ launchpad: 'pit', side: 'buy', ...tooDear }),
        },
      }
      const refused = await it().simulator.simulatePlan({
        ...params,
        transactions: [params.transactions[0]!, swap],
      })
      expect(refused.error).toBe(
        `swap: the curve gives ${bought.amountOut}, less than the minimum of ${tooDear.amountOutMin}`,
      )
      // The first step succeeded, as expected when the fee is sent first.
      expect(refused).toMatchObject({ ok: false, amountOut: null, feeTransfer: fee })
      expect(refused.transactions.map(({ ok }) => ok)).toEqual([true, false])
    })

    test('a sale on a lent balance: the curve is approved, and ETH is received', async () => {
      const { token, curve: at } = curve()
      const wallet = BROKE
      const amountIn = 1_000n * ETH
      const params: SimulateParams = {
        wallet,
        transactions: [
          {
            kind: 'swap',
            tx: it().tx(
              wallet,
              at,
              encodeCurveTrade({ launchpad: 'pit', side: 'sell', ...terms(amountIn, wallet) }),
            ),
          },
        ],
        tokenIn: token,
        tokenOut: NATIVE,
        amountIn,
        fee: { token: NATIVE, recipient: it().recipient },
        amountOutMin: 1n,
        fund: true,
        holdsInput: false,
        approvals: 'in place',
      }
      const sold = await it().simulator.simulatePlan(params)
      expect(sold).toMatchObject({ error: null, ok: true, fundedByOverrides: true, feeTransfer: 0n })
      const data = encodeFunctionData({ abi: curveAbi, functionName: 'quoteSell', args: [amountIn] })
      const quoted = await it().rpc.request<Hex>('eth_call', [{ to: at, data }, 'latest'])
      expect(sold.amountOut).toBe(BigInt(quoted.slice(0, 66)))
    })

    test('a batch of a delegated wallet spends ETH without a transaction value', async () => {
      const { token, curve: at } = curve()
      const { stateless_delegator } = it().devnet.world.profile.delegation
      const wallet: Address = '0x00000000000000000000000000000000de1e6a7e'
      await it().devnet.chain.admin('hardhat_setCode', [wallet, `0xef0100${stateless_delegator.slice(2)}`])
      const [fee, amountIn] = [ETH / 400n, ETH / 10n]
      const data = encodeBatch([
        { to: it().recipient, valueWei: fee, data: '0x' },
        {
          to: at,
          valueWei: amountIn - fee,
          data: encodeCurveTrade({ launchpad: 'pit', side: 'buy', ...terms(amountIn - fee, wallet) }),
        },
      ])
      const params: SimulateParams = {
        wallet,
        transactions: [{ kind: 'swap', tx: it().tx(wallet, wallet, data) }],
        tokenIn: NATIVE,
        tokenOut: token,
        amountIn,
        fee: { token: NATIVE, recipient: it().recipient },
        amountOutMin: 1n,
        fund: 'auto',
        holdsInput: false,
        approvals: 'as planned',
      }
      expect(await it().simulator.simulatePlan(params)).toMatchObject({
        error: null,
        ok: true,
        feeTransfer: fee,
      })
      const state = await it().simulator.readWallet({
        wallet,
        tokenIn: it().token(NATIVE),
        tokenOut: it().token(token),
        curve: at,
      })
      expect(state).toMatchObject({ delegatedTo: stateless_delegator.toLowerCase(), hasOtherCode: false })
    })
  })
}
