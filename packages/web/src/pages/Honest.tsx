import { Card } from '../design/parts.tsx'

export const BY_CHAIN = [
  'Only the executor you name can use it, and only until the time you sign.',
  'Its calls go to the pinned router or the curves of its tokens, and to nothing else.',
  'ETH that leaves in one call and in one day has a cap, counted by the chain itself.',
  'Tokens leave only as far as you approved them, for the budget and time you chose.',
  'Each call needs the co-signer’s own signature, good for 120 seconds and for that call alone.',
  'Once you disable it on chain, nothing signed for it counts any more.',
]
export const BY_COSIGNER = [
  'The dollars of one trade, of a day, and the number of trades: the chain knows no dollars.',
  'That the trade is at a fair price, and that its fee is the one of the table.',
  'That only your own wallet receives what is bought.',
  'That no token is traded whose risks you did not accept.',
]
const IF_BOTH = [
  'If the executor’s and the co-signer’s keys were both in other hands, the caps of the chain are all that is left: at most the ETH caps of each day and the tokens you approved.',
  'Keep the budget small and the time short. Approvals outlive a session: take them back when it ends.',
]

/** What the chain enforces by itself, and what only the co-signer does. */
export function Honest() {
  return (
    <div className="grid">
      <Bounds title="What the chain enforces" lines={BY_CHAIN} />
      <Bounds title="What only the co-signer enforces" lines={BY_COSIGNER} />
      <Bounds title="If everything else fails" lines={IF_BOTH} />
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
