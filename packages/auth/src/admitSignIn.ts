import { isPitError } from '@pit/protocol'
import type { SignInClient } from './client.ts'
import type { AuthDeps } from './deps.ts'
import { isKnownOrigin, type Origin } from './origin.ts'

/**
 * Draws from the bucket of all sign-ins. Strangers can empty it, so a wallet's owner is still admitted from
 * the network of the last sign-in, limited only by the bucket of that address.
 */
export async function admitSignIn(
  { db }: Pick<AuthDeps, 'db'>,
  client: SignInClient,
  origin: Origin,
): Promise<void> {
  try {
    await client.admit()
  } catch (error) {
    const isLimited = isPitError(error) && error.code === 'RATE_LIMITED'
    if (!isLimited || !(await isKnownOrigin(db, origin))) throw error
  }
}
