import type { Eip1193, TypedData, WalletTransaction } from '@pit/client'
import { CHAIN_ID } from '@pit/protocol'
import { type Hex, hexToString } from 'viem'
import { askNode } from './askNode.ts'
import { askWallet, signByWallet } from './frameClient.ts'

/** Id of the trading wallet among the wallets of a tab. */
export const TRADING_WALLET = 'trading'

/** The trading wallet behind the interface of an extension that signs everything Pit needs. */
export function createTradingWallet({ nodeUrl }: { nodeUrl: string }): Eip1193 {
  const methods: Record<string, (params: readonly unknown[]) => Promise<unknown>> = {
    eth_requestAccounts: requestAccounts,
    eth_accounts: async () => [(await askWallet({ type: 'address' })).address].filter((one) => one !== null),
    eth_chainId: async () => `0x${CHAIN_ID.toString(16)}`,
    personal_sign: ([text]) =>
      signByWallet({ type: 'sign', kind: 'message', payload: hexToString(text as Hex) }),
    eth_signTypedData_v4: ([, text]) => {
      const { domain, types, primaryType, message } = JSON.parse(text as string) as TypedData
      return signByWallet({
        ...{ type: 'sign', kind: 'typedData' },
        payload: { domain, types, primaryType, message },
      })
    },
    eth_signTransaction: ([transaction]) => {
      const { to, value, data, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } =
        transaction as Partial<WalletTransaction>
      const fees = { maxFeePerGas: maxFeePerGas!, maxPriorityFeePerGas: maxPriorityFeePerGas ?? '0x0' }
      return signByWallet({
        ...{ type: 'sign', kind: 'transaction' },
        payload: { to: to!, value: value ?? '0x0', data: data ?? '0x', gas: gas!, nonce: nonce!, ...fees },
      })
    },
    wallet_signAuthorization: ([authorization]) => {
      const { address, chainId, nonce } = authorization as { address: Hex; chainId: number; nonce: number }
      return signByWallet({
        ...{ type: 'sign', kind: 'authorization' },
        payload: { address, chainId, nonce },
      })
    },
  }
  return {
    request: async ({ method, params = [] }) =>
      methods[method]?.(params as readonly unknown[]) ?? askNode(nodeUrl, method, params),
  }
}

/** Creates the wallet and has its backup verified where that is left to do. */
async function requestAccounts(): Promise<unknown> {
  let status = await askWallet({ type: 'address' })
  if (!status.exists) status = await askWallet({ type: 'create' })
  if (status.address === null) status = await askWallet({ type: 'export' })
  if (status.address === null) throw new Error('Back up the trading wallet before you use it.')
  return [status.address]
}
