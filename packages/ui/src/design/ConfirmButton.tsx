import { type ReactNode, useState } from 'react'
import { Button } from './parts.tsx'

/** A button for irreversible actions: the first click asks, the second one confirms. */
export function ConfirmButton(props: {
  label: string
  question: ReactNode
  tight?: boolean
  busy?: boolean
  onConfirm(): void
}) {
  const { label, question, tight = false, busy = false } = props
  const [isAsking, setAsking] = useState(false)
  if (!isAsking || busy)
    return (
      <Button kind="danger" tight={tight} busy={busy} onClick={() => setAsking(true)}>
        {label}
      </Button>
    )
  const confirm = () => {
    setAsking(false)
    props.onConfirm()
  }
  return (
    <fieldset className="row">
      <legend className="small">{question}</legend>
      <Button kind="danger" tight={tight} onClick={confirm}>
        {`Yes, ${label.charAt(0).toLowerCase()}${label.slice(1)}`}
      </Button>
      {/* Enter gives the harmless answer. */}
      <Button tight={tight} autoFocus onClick={() => setAsking(false)}>
        Cancel
      </Button>
    </fieldset>
  )
}
