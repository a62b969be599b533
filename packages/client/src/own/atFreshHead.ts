import type { Account } from '../account.ts'
import type { OwnNode } from './node.ts'

/**
 * An account that signs transactions and typed data only at a new block of the client's own node, so that no verb
 * can forget to look. Plain texts (sign-in, attestations) concern no state of the chain.
 */
export function atFreshHead(account: Account, node: Pick<OwnNode, 'mustBeFresh'>): Account {
  const guarded =
    <Input>(sign: (input: Input) => Promise<`0x${string}`>) =>
    async (input: Input) => {
      await node.mustBeFresh()
      return sign(input)
    }
  return {
    address: account.address,
    signMessage: (text) => account.signMessage(text),
    signTypedData: guarded((data) => account.signTypedData(data)),
    signTransaction: guarded((transaction) => account.signTransaction(transaction)),
    ...(account.sendTransaction && {
      sendTransaction: guarded((transaction) => account.sendTransaction!(transaction)),
    }),
    ...(account.signAuthorization && {
      signAuthorization: guarded((authorization) => account.signAuthorization!(authorization)),
    }),
  }
}
