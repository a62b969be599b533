import type { PitClient, SignedTerms } from '@pit/client'
import {
  amount,
  Badge,
  Button,
  Card,
  CheckField,
  count,
  Dialog,
  dateTime,
  ether,
  Facts,
  Failure,
  Notice,
  toast,
  wholeUsd,
  words,
} from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { queries } from '../data/api.ts'
import { VerifiedBy } from '../wallet/VerifiedBy.tsx'
import { Bounds, BY_CHAIN, BY_COSIGNER } from './SessionBounds.tsx'

type GrantOptions = NonNullable<Parameters<PitClient['grantSession']>[1]>

/** Grants a session after the owner has reviewed the decoded terms. */
export function SignSession(props: {
  isReady: boolean
  /** Shown while the form is incomplete. */
  missing: string
  grant(options: GrantOptions): Promise<unknown>
  onGranted(): void
}) {
  const [allow7702, setAllow7702] = useState(false)
  const [sendSetup, setSendSetup] = useState(true)
  const [terms, setTerms] = useState<SignedTerms | null>(null)
  const decide = useRef<(agreed: boolean) => void>(() => {})
  const granting = useMutation({
    mutationFn: () =>
      props.grant({
        allow7702,
        sendSetup,
        confirm: (signed) => {
          setTerms(signed)
          return new Promise<boolean>((resolve) => {
            decide.current = resolve
          })
        },
      }),
    onSuccess: () => {
      toast('Session active.')
      props.onGranted()
    },
    onSettled: () => {
      setTerms(null)
      void queries.invalidateQueries({ queryKey: ['me.sessions'] })
    },
  })
  const answer = (agreed: boolean) => {
    setTerms(null)
    decide.current(agreed)
  }
  return (
    <Card title="Sign">
      <CheckField
        label="Allow EIP-7702 delegation of my wallet (required for sessions)."
        checked={allow7702}
        onChange={setAllow7702}
      />
      <CheckField
        label="Send the token approvals needed to sell tokens, up to the daily limit."
        checked={sendSetup}
        onChange={setSendSetup}
      />
      {granting.error && <Failure error={granting.error} />}
      <div className="row">
        <Button
          kind="primary"
          disabled={!props.isReady || !allow7702}
          busy={granting.isPending}
          onClick={() => granting.mutate()}
        >
          Review limits
        </Button>
        {!props.isReady && <span className="faint">{props.missing}</span>}
      </div>
      <Dialog title="Before you sign" open={terms !== null} onClose={() => answer(false)}>
        {terms && <Terms terms={terms} onAnswer={answer} />}
      </Dialog>
    </Card>
  )
}

function Terms({ terms, onAnswer }: { terms: SignedTerms; onAnswer(agreed: boolean): void }) {
  const { limits, eth, roots } = terms
  const times = roots.length > 1 ? ` for each of its ${roots.length} signatures` : ''
  const named = (token: string) => terms.tokens.find(({ address }) => address === token)?.symbol ?? token
  const mono = (text: string) => (
    <span key={text} className="mono break">
      {text}
    </span>
  )
  return (
    <>
      <Facts
        rows={[
          ['Executor', mono(terms.executor)],
          ['Tokens', mono(terms.tokens.map(({ address }) => named(address)).join(', '))],
          ['Max per trade', wholeUsd(limits.maxTradeUsd)],
          ['Max in 24 hours', wholeUsd(limits.maxDayUsd)],
          ['Trades', count(limits.maxTrades)],
          ['Until', dateTime(terms.expiresS)],
          ['Accepted risks', terms.acceptRisks.map(words).join(', ') || 'none'],
          ['Shield', terms.shield ? `on: ${terms.policies.map(words).join(', ') || 'no policies'}` : 'off'],
          ...terms.marks.map(
            ({ token, priceE18 }) => [`Price of ${named(token)}`, `$${amount(priceE18, 18)}`] as const,
          ),
        ]}
      />
      {terms.approvalsInWords.length > 0 && (
        <Bounds title="Approvals sent first" lines={terms.approvalsInWords} />
      )}
      <Notice tone="warn" title="Maximum loss">
        <p>{`If both keys are stolen: ${
          eth === null ? 'no ETH' : `up to ${ether(eth.dayWei)} a day${times}`
        }, and every approved token.`}</p>
        <p>{`Otherwise: up to ${wholeUsd(limits.maxDayUsd)} traded in 24 hours, at fair prices.`}</p>
      </Notice>
      {terms.controlsInWords.length > 0 && <Bounds title="Controls" lines={terms.controlsInWords} />}
      <Bounds title="Enforced on chain" lines={BY_CHAIN} />
      <Bounds title="Enforced by the co-signer only" lines={BY_COSIGNER} />
      <p>
        <Badge tone="up">Verified</Badge> Decoded in your browser from the bytes you sign.
      </p>
      <VerifiedBy what="session" />
      <div className="row">
        <Button kind="primary" onClick={() => onAnswer(true)}>
          Sign session
        </Button>
        <Button onClick={() => onAnswer(false)}>Cancel</Button>
      </div>
    </>
  )
}
