import type { SigningReview } from '@pit/client'
import { Button, Notice, TextField } from '@pit/ui'
import { useState } from 'react'

const END_LENGTH = 4

/** Every effect of the content to sign, read from its bytes by this frame's own pins. */
export function Confirm(props: { review: SigningReview; site: string; onDone(): void; onCancel(): void }) {
  const { review, site } = props
  const [typed, setTyped] = useState<Record<string, string>>({})
  const isConfirmed = review.confirmAddresses.every((address) => isEndOf(address, typed[address]))
  return (
    <div className="stack">
      <h2>{review.title}</h2>
      <p className="small faint">{`Requested by ${site}.`}</p>
      <ul className="stack" aria-label="Effects">
        {review.effects.map(({ kind, text }) => (
          <li key={text} data-effect={kind} className="break">
            {text}
          </li>
        ))}
      </ul>
      {review.warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={warning} />
      ))}
      {review.confirmAddresses.map((address) => (
        <TextField
          key={address}
          label={`Last ${END_LENGTH} characters of ${address}`}
          value={typed[address] ?? ''}
          onChange={(text) => setTyped({ ...typed, [address]: text })}
          hint="Compare the whole address with one from a source you trust."
        />
      ))}
      <div className="row">
        <Button kind="primary" disabled={!isConfirmed} onClick={props.onDone}>
          Sign
        </Button>
        <Button autoFocus onClick={props.onCancel}>
          Reject
        </Button>
      </div>
    </div>
  )
}

const isEndOf = (address: string, typed = ''): boolean =>
  typed.trim().toLowerCase() === address.slice(-END_LENGTH).toLowerCase()
