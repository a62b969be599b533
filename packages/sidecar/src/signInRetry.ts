import { type Account, isRefusal } from '@pit/client'

/**
 * Signs in before the first call that needs a key and when it has expired; concurrent calls share one sign-in.
 * Work that signed a trade, an order or a session is never repeated: a server that answers UNAUTHORIZED may have
 * kept the signature.
 */
export function createSignInRetry({
  hasKey,
  signIn,
  signatures,
}: {
  hasKey(): boolean
  /** Signs in again and stores the key. */
  signIn(): Promise<unknown>
  /** From `countSignatures`. */
  signatures(): number
}) {
  let signing: Promise<unknown> | null = null
  const signOnce = (): Promise<unknown> => {
    signing ??= signIn().finally(() => {
      signing = null
    })
    return signing
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (!hasKey()) await signOnce()
    const before = signatures()
    try {
      return await work()
    } catch (error) {
      if (!isRefusal(error, 'UNAUTHORIZED') || signatures() !== before) throw error
      await signOnce()
      return work()
    }
  }
}

/** Counts signatures, except of messages: those only sign in and speak for the league. */
export function countSignatures(account: Account): { account: Account; signatures(): number } {
  let count = 0
  const counted =
    <Input>(sign: (input: Input) => Promise<`0x${string}`>) =>
    (input: Input) => {
      count++
      return sign(input)
    }
  const { signTypedData, signTransaction, sendTransaction, signAuthorization } = account
  return {
    account: {
      ...account,
      signTypedData: counted(signTypedData),
      signTransaction: counted(signTransaction),
      ...(sendTransaction && { sendTransaction: counted(sendTransaction) }),
      ...(signAuthorization && { signAuthorization: counted(signAuthorization) }),
    },
    signatures: () => count,
  }
}
