import type { Address } from '@pit/chain'
import { type Answer, checkWith, MySessions, Portfolio, Trades } from '@pit/protocol'
import { refuse } from '../errors.ts'

const SHAPES = {
  'me.portfolio': Portfolio,
  'me.sessions': MySessions,
  'me.trades': Trades,
}
type MeRoute = keyof typeof SHAPES

/** An answer about the client's own wallet, of the whole documented shape. */
export function ownAnswer<Id extends MeRoute>(
  id: Id,
  account: { address: Address },
  answer: Answer<Id>,
): Answer<Id> {
  const checked = checkWith(SHAPES[id], answer)
  if (!checked.ok) refuse('ACCOUNT_SHAPE', `${id}: ${checked.field || 'the response'}: ${checked.message}`)
  return ownWallet(account, answer)
}

/** An answer that names the client's own wallet. */
export function ownWallet<T extends { wallet: string }>(account: { address: Address }, answer: T): T {
  const { wallet } = (answer ?? {}) as { wallet?: unknown }
  if (typeof wallet !== 'string') return refuse('ACCOUNT_SHAPE', 'the response does not name a wallet')
  if (wallet.toLowerCase() !== account.address) refuse('ACCOUNT_WALLET', `the response is for ${wallet}`)
  return answer
}
