import type { OwnText } from '@pit/client'
import { Card, Facts } from '@pit/ui'

/** Parts of confirmations. They take only what the client derived itself: a server’s text does not compile. */

export interface ConfirmedRow {
  label: OwnText
  text: OwnText
}

export const ConfirmedFacts = ({ rows }: { rows: readonly ConfirmedRow[] }) => (
  <Facts
    rows={rows.map(({ label, text }) => [
      label,
      <span key={label} className="break">
        {text}
      </span>,
    ])}
  />
)

export const ConfirmedList = ({ lines }: { lines: readonly OwnText[] }) => (
  <ul className="stack">
    {lines.map((line) => (
      <li key={line} className="break">
        {line}
      </li>
    ))}
  </ul>
)

export const ConfirmedCard = ({ title, lines }: { title: OwnText; lines: readonly OwnText[] }) => (
  <Card title={title}>
    <ConfirmedList lines={lines} />
  </Card>
)
