import type { Eip1193 } from '@pit/client'
import { CHAIN_ID } from '@pit/protocol'
import { askNode, WalletRefusal } from '@pit/trading-wallet'
import type { Hex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

/**
 * A wallet with the devnet's public test accounts and the interface of an extension. `like MetaMask` refuses what
 * MetaMask refuses to pages: signing without sending, an EIP-7702 authorization, and a delegation of the wallet's
 * own account.
 */
export type TestMode = 'full' | 'like MetaMask'

const MNEMONIC = 'test test test test test test test test test test test junk'

const notThere = (method: string): never => {
  throw new WalletRefusal(-32601, `The method "${method}" does not exist / is not available.`)
}

interface TestWalletOptions {
  /** Index in the public mnemonic; account 0 is used by the devnet's market. */
  index: number
  mode: TestMode
  nodeUrl: string
  /** RPC URL that `eth_sendTransaction` sends to. */
  sendUrl: string
}

export function createTestWallet({
  index,
  mode,
  nodeUrl,
  sendUrl,
}: TestWalletOptions): Eip1193 & { address: Hex } {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex: index })
  const isStrict = mode === 'like MetaMask'
  const address = account.address.toLowerCase() as Hex

  const methods: Record<string, (params: readonly unknown[]) => Promise<unknown> | unknown> = {
    eth_requestAccounts: () => [address],
    eth_accounts: () => [address],
    eth_chainId: () => `0x${CHAIN_ID.toString(16)}`,
    wallet_addEthereumChain: () => null,
    wallet_switchEthereumChain: () => null,
    personal_sign: ([data]) => account.signMessage({ message: { raw: data as Hex } }),
    eth_signTypedData_v4: ([, text]) => {
      const data = JSON.parse(text as string) as { primaryType: string; message: { delegator?: string } }
      const isOwn = data.primaryType === 'Delegation' && data.message.delegator?.toLowerCase() === address
      if (isStrict && isOwn)
        throw new WalletRefusal(
          -32603,
          'External signature requests cannot sign delegations for internal accounts.',
        )
      return account.signTypedData(data as never)
    },
    eth_signTransaction: ([transaction]) =>
      isStrict
        ? notThere('eth_signTransaction')
        : account.signTransaction(fromRpc(transaction as RpcTransaction)),
    wallet_signAuthorization: ([authorization]) =>
      isStrict ? notThere('wallet_signAuthorization') : signAuthorization(authorization as Authorization),
    eth_sendTransaction: async ([transaction]) => {
      const { authorizationList, type } = transaction as { authorizationList?: unknown; type?: string }
      if (isStrict && (authorizationList || type === '0x4'))
        throw new WalletRefusal(-32602, 'External EIP-7702 transactions are not supported')
      return askNode(sendUrl, 'eth_sendRawTransaction', [
        await account.signTransaction(fromRpc(transaction as RpcTransaction)),
      ])
    },
  }
  async function signAuthorization(authorization: Authorization): Promise<Hex> {
    const { r, s, yParity } = await account.signAuthorization!(authorization)
    return `0x${r.slice(2)}${s.slice(2)}${(27 + (yParity ?? 0)).toString(16)}`
  }
  return {
    address,
    async request({ method, params = [] }) {
      const own = methods[method]
      return own ? own(params as readonly unknown[]) : askNode(nodeUrl, method, params)
    },
  }
}

interface Authorization {
  address: Hex
  chainId: number
  nonce: number
}

interface RpcTransaction {
  to: Hex
  value?: Hex
  data?: Hex
  gas: Hex
  nonce: Hex
  maxFeePerGas: Hex
  maxPriorityFeePerGas: Hex
}

const fromRpc = ({ to, value = '0x0', data = '0x', gas, nonce, ...fees }: RpcTransaction) => ({
  type: 'eip1559' as const,
  chainId: CHAIN_ID,
  to,
  value: BigInt(value),
  data,
  gas: BigInt(gas),
  nonce: Number(nonce),
  maxFeePerGas: BigInt(fees.maxFeePerGas),
  maxPriorityFeePerGas: BigInt(fees.maxPriorityFeePerGas),
})
