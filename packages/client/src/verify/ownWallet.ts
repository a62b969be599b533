import type { Address } from '@pit/chain'
import { refuse } from '../errors.ts'

/** An answer that names the client's own wallet. */
export function ownWallet<T extends { wallet: string }>(account: { address: Address }, answer: T): T {
  const { wallet } = answer
  if (wallet.toLowerCase() !== account.address) refuse('ACCOUNT_WALLET', `the response is for ${wallet}`)
  return answer
}
