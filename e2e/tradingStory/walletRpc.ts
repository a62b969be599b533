import type { Hex } from '@pit/chain'
import { describeInFull } from '@pit/platform/test/tier'
import { until } from '@pit/platform/test/until'
import { createWalletClient, defineChain, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { type TradeRow, tradesOf } from '../trading/doTrade.ts'
import { readStoryTokens } from '../trading/tokens.ts'
import { MNEMONIC, openTrader, type Plan, receiptOf } from '../trading/trader.ts'
import type { TradingWorld } from '../trading/world.ts'

/** A wallet that only signs what it sends itself, through the RPC address that this server gave it. */
export function walletCases(open: () => TradingWorld): void {
  describeInFull('a wallet that sends by itself', () => {
    const ACCOUNT = 5
    const walletOf = () =>
      createWalletClient({
        account: mnemonicToAccount(MNEMONIC, { addressIndex: ACCOUNT }),
        chain: defineChain({
          id: 4663,
          name: 'Pit',
          nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
          rpcUrls: { default: { http: [`${open().server.url}/rpc`] } },
        }),
        transport: http(`${open().server.url}/rpc`, { retryCount: 0 }),
      })
    const trader = () => openTrader(open().server.url, { account: ACCOUNT })

    /** As with eth_sendTransaction: the wallet chooses nonce, gas price and the rest. */
    async function sendAll(plan: Plan): Promise<Hex[]> {
      const { account, chain, ...wallet } = walletOf()
      const hashes: Hex[] = []
      for (const { tx } of plan.steps) {
        if (tx === null) continue
        const { to, data } = tx
        const hash = await wallet.sendTransaction({
          ...{ account: account!, chain, to, data, value: BigInt(tx.value), gas: BigInt(tx.gas) },
        })
        expect((await receiptOf(open().devnet, hash)).status).toBe('0x1')
        hashes.push(hash)
      }
      return hashes
    }

    it('trades, approvals and a curve’s fee before its swap', async () => {
      const who = await trader()
      const token = (await readStoryTokens(open().devnet)).onCurve('USDG')
      const asks = [
        { token_in: 'ETH', token_out: 'USDG', notional_usd: 300 },
        { token_in: 'USDG', token_out: token, amount_in: '20000000', curve_fee_mode: 'two_step' },
      ]
      for (const request of asks) {
        const { body: plan } = await who.plan(request)
        expect(plan.error).toBeUndefined()
        const hash = (await sendAll(plan)).at(-1)!
        const row = await until(
          async () =>
            (await tradesOf(who)).find((one: TradeRow) => one.tx_hash === hash && one.status === 'mined'),
          { withinMs: 10_000, said: () => `${hash} is not a mined trade` },
        )
        expect(row.amount_in).toBe(plan.amount_in)
      }
    })

    it('only transactions that were built for it', async () => {
      const { account, chain, ...wallet } = walletOf()
      const to = `0x${'11'.repeat(20)}` as const
      const sending = wallet.sendTransaction({ account: account!, chain, to, value: 1n, gas: 21_000n })
      await expect(sending).rejects.toThrow(/NOT_AS_BUILT: This transaction was not built here/)
      // The same for a wallet that never signed in: a refusal shows nothing about keys and plans.
      const stranger = mnemonicToAccount(MNEMONIC, { addressIndex: 9 })
      const sent = wallet.sendTransaction({ account: stranger, chain, to, value: 1n, gas: 21_000n })
      await expect(sent).rejects.toThrow(/NOT_AS_BUILT: This transaction was not built here/)
    })
  })
}
