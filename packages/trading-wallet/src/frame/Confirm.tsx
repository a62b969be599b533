import type { SigningReview } from '@pit/client'
import { Button, Notice } from '@pit/ui'

/** The content to sign, read from its bytes by this frame's own pins. */
export function Confirm(props: { review: SigningReview; site: string; onDone(): void; onCancel(): void }) {
  const { review, site } = props
  return (
    <div className="stack">
      <h2>{review.title}</h2>
      <p className="small faint">{`Requested by ${site}.`}</p>
      {review.lines.map((line) => (
        <p key={line} className="break">
          {line}
        </p>
      ))}
      {review.warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={warning} />
      ))}
      <div className="row">
        <Button kind="primary" onClick={props.onDone}>
          Sign
        </Button>
        <Button autoFocus onClick={props.onCancel}>
          Reject
        </Button>
      </div>
    </div>
  )
}
