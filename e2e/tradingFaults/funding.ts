import type { Hex } from '@pit/chain'
import { until } from '@pit/platform/test/until'
import { privateKeyToAccount } from 'viem/accounts'
import type { DevnetProcess } from '../devnetProcess.ts'
import { privateKeyOf } from '../fast/fastTrader.ts'
import { receiptOf } from '../trading/trader.ts'

/** From account 9, directly to the chain. */
export async function give(
  devnet: DevnetProcess,
  usdg: Hex,
  to: Hex,
  { wei, dollars }: { wei: bigint; dollars: bigint },
): Promise<void> {
  const account = privateKeyToAccount(privateKeyOf(9))
  const fees = { chainId: 4663, type: 'eip1559', gas: 100_000n, maxFeePerGas: 10n ** 10n } as const
  const data: Hex = `0xa9059cbb${to.slice(2).padStart(64, '0')}${dollars.toString(16).padStart(64, '0')}`
  for (const call of [
    { to, value: wei },
    { to: usdg, data },
  ]) {
    const count = await devnet.rpc<Hex>('eth_getTransactionCount', [account.address, 'pending'])
    const raw = await account.signTransaction({ ...fees, ...call, nonce: Number(count) })
    await receiptOf(devnet, await devnet.rpc<Hex>('eth_sendRawTransaction', [raw]))
  }
}

export async function eventually(check: () => Promise<void>, withinMs = 30_000): Promise<void> {
  await until(() => check().then(() => true), { withinMs, everyMs: 100 })
}
