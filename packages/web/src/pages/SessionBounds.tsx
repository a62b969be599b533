import { say } from '@pit/client'
import { ConfirmedCard } from './Confirmed.tsx'

export const BY_CHAIN = [
  say`Only the executor you name can use it, and only until it expires.`,
  say`It can trade only on the exchange and on the launch curves of its tokens.`,
  say`ETH spent per call and per day is limited on chain.`,
  say`Tokens can be spent only up to the amount and until the time you approved.`,
  say`Each call needs the co-signer’s signature, valid for 120 seconds and for that call only.`,
  say`Once you disable it on chain, all its signatures are void.`,
]
export const BY_COSIGNER = [
  say`Limits in USD per trade and per day, and the number of trades: there are no USD prices on chain.`,
  say`A fair price and the published fee.`,
  say`Bought tokens go to your own wallet only.`,
  say`No token is traded whose risks you did not accept.`,
]
const IF_BOTH = [
  say`If the keys of both executor and co-signer are stolen, only the on-chain limits remain: the daily ETH limit and the tokens you approved.`,
  say`Keep the budget small and the duration short. Approvals outlive a session: revoke them when it ends.`,
]

/** Limits enforced on chain, and those enforced by the co-signer only. */
export function SessionBounds() {
  return (
    <div className="grid">
      <ConfirmedCard title={say`Enforced on chain`} lines={BY_CHAIN} />
      <ConfirmedCard title={say`Enforced by the co-signer only`} lines={BY_COSIGNER} />
      <ConfirmedCard title={say`Worst case`} lines={IF_BOTH} />
    </div>
  )
}
