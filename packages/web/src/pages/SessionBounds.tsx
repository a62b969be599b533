import { Card } from '@pit/ui'

export const BY_CHAIN = [
  'Only the executor you name can use it, and only until it expires.',
  'It can trade only on the exchange and on the launch curves of its tokens.',
  'ETH spent per call and per day is limited on chain.',
  'Tokens can be spent only up to the amount and until the time you approved.',
  'Each call needs the co-signer’s signature, valid for 120 seconds and for that call only.',
  'Once you disable it on chain, all its signatures are void.',
]
export const BY_COSIGNER = [
  'Limits in USD per trade and per day, and the number of trades: there are no USD prices on chain.',
  'A fair price and the published fee.',
  'Bought tokens go to your own wallet only.',
  'No token is traded whose risks you did not accept.',
]
const IF_BOTH = [
  'If the keys of both executor and co-signer are stolen, only the on-chain limits remain: the daily ETH limit and the tokens you approved.',
  'Keep the budget small and the duration short. Approvals outlive a session: revoke them when it ends.',
]

/** Limits enforced on chain, and those enforced by the co-signer only. */
export function SessionBounds() {
  return (
    <div className="grid">
      <Bounds title="Enforced on chain" lines={BY_CHAIN} />
      <Bounds title="Enforced by the co-signer only" lines={BY_COSIGNER} />
      <Bounds title="Worst case" lines={IF_BOTH} />
    </div>
  )
}

export const Bounds = ({ title, lines }: { title: string; lines: readonly string[] }) => (
  <Card title={title}>
    <ul className="stack">
      {lines.map((line) => (
        <li key={line} className="break">
          {line}
        </li>
      ))}
    </ul>
  </Card>
)
