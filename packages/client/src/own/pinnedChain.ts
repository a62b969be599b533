import type { Account } from '../account.ts'
import { PitRefusal } from '../errors.ts'
import type { Pins } from '../pins.ts'
import { type Rpc, resultOf } from './rpc.ts'

/** Refuses a node of another chain than the pinned one. A node that passed is not asked again. */
export function createChainCheck(rpc: Rpc, { profile: { chain_id } }: Pick<Pins, 'profile'>) {
  let passed: Promise<void> | null = null
  const check = async (): Promise<void> => {
    const [answer] = await rpc.all([{ method: 'eth_chainId', params: [] }])
    const text = resultOf<unknown>(answer)
    if (typeof text === 'string' && /^0x[0-9a-f]{1,16}$/i.test(text) && Number(text) === chain_id) return
    throw new PitRefusal(
      'WRONG_CHAIN',
      `Your node is not on chain ${chain_id} of the pins; nothing was signed.`,
    )
  }
  return (): Promise<void> => {
    passed ??= check()
    passed.catch(() => {
      passed = null
    })
    return passed
  }
}

/**
 * The account, which signs no transaction and no typed data before the client's own node proved to be on the pinned
 * chain. Plain texts name their chain themselves.
 */
export function onPinnedChain(account: Account, check: () => Promise<void>): Account {
  const after =
    <Input, Output>(sign: (input: Input) => Promise<Output>) =>
    async (input: Input): Promise<Output> => {
      await check()
      return sign(input)
    }
  const { sendTransaction, signAuthorization } = account
  return {
    address: account.address,
    signMessage: (text) => account.signMessage(text),
    signTypedData: after((data) => account.signTypedData(data)),
    signTransaction: after((transaction) => account.signTransaction(transaction)),
    ...(sendTransaction && {
      sendTransaction: after((transaction) => account.sendTransaction!(transaction)),
    }),
    ...(signAuthorization && { signAuthorization: after((one) => account.signAuthorization!(one)) }),
  }
}
