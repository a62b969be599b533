import { isRefusal } from '@pit/client'

/** Signs in before the first call that needs a key and when it has expired; concurrent calls share one sign-in. */
export function createSignInRetry({
  hasKey,
  signIn,
}: {
  hasKey(): boolean
  /** Signs in again and stores the key. */
  signIn(): Promise<unknown>
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
    try {
      return await work()
    } catch (error) {
      // The request had no effect, so it can be repeated.
      if (!isRefusal(error, 'UNAUTHORIZED')) throw error
      await signOnce()
      return work()
    }
  }
}
