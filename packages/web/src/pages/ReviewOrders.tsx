import type { ListTerms } from '@pit/client'
import { Badge, Button, Dialog, Notice } from '@pit/ui'
import { type ReactNode, useRef, useState } from 'react'
import { VerifiedBy } from '../wallet/VerifiedBy.tsx'
import { ConfirmedList } from './Confirmed.tsx'

export interface OrderReview {
  /** For the client: shows the list that is signed, and waits for the decision. */
  confirm(terms: ListTerms): Promise<boolean>
  dialog: ReactNode
}

/** The review before orders are signed; on paper before they are placed. */
export function useOrderReview(mode: 'paper' | 'live'): OrderReview {
  const [terms, setTerms] = useState<ListTerms | null>(null)
  const decide = useRef<(agreed: boolean) => void>(() => {})
  const answer = (agreed: boolean) => {
    setTerms(null)
    decide.current(agreed)
  }
  return {
    confirm: (list) => {
      setTerms(list)
      return new Promise<boolean>((resolve) => {
        decide.current = resolve
      })
    },
    dialog: (
      <Dialog
        title={mode === 'live' ? 'Before you sign' : 'Review'}
        open={terms !== null}
        onClose={() => answer(false)}
      >
        {terms && <Terms terms={terms} mode={mode} onAnswer={answer} />}
      </Dialog>
    ),
  }
}

function Terms(props: { terms: ListTerms; mode: 'paper' | 'live'; onAnswer(agreed: boolean): void }) {
  const { terms, mode, onAnswer } = props
  return (
    <>
      <ConfirmedList lines={terms.lines} />
      {terms.warnings.map((warning) => (
        <Notice key={warning} tone="warn" title={warning} />
      ))}
      {mode === 'live' ? (
        <>
          <p>
            <Badge tone="up">Verified</Badge> Read from the data you sign. The co-signer enforces it.
          </p>
          <VerifiedBy what="order" />
        </>
      ) : (
        <p>On paper nothing is signed.</p>
      )}
      <div className="row">
        <Button kind="primary" onClick={() => onAnswer(true)}>
          {mode === 'live' ? 'Sign and place' : 'Place on paper'}
        </Button>
        <Button onClick={() => onAnswer(false)}>Cancel</Button>
      </div>
    </>
  )
}
