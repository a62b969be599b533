import { inText, joined, type OwnText, type PitClient, type SignedTerms, say } from '@pit/client'
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
import { ConfirmedCard, ConfirmedFacts, ConfirmedList, type ConfirmedRow } from './Confirmed.tsx'
import { BY_CHAIN, BY_COSIGNER } from './SessionBounds.tsx'

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

/** The confirmation of a session: every text is derived in this browser from what is signed. */
function Terms({ terms, onAnswer }: { terms: SignedTerms; onAnswer(agreed: boolean): void }) {
  const { limits, eth, roots } = terms
  const times = roots.length > 1 ? say` for each of its ${inText(roots.length, String)} signatures` : say``
  return (
    <>
      <ConfirmedFacts rows={rowsOf(terms)} />
      {terms.approvalsInWords.length > 0 && (
        <ConfirmedCard title={say`Approvals sent first`} lines={terms.approvalsInWords} />
      )}
      <Notice tone="warn" title="Maximum loss">
        <ConfirmedList
          lines={[
            eth === null
              ? say`If both keys are stolen: no ETH, and every approved token.`
              : say`If both keys are stolen: up to ${inText(eth.dayWei, ether)} a day${times}, and every approved token.`,
            say`Otherwise: up to ${inText(limits.maxDayUsd, wholeUsd)} traded in 24 hours, at fair prices.`,
          ]}
        />
      </Notice>
      {terms.controlsInWords.length > 0 && (
        <ConfirmedCard title={say`Controls`} lines={terms.controlsInWords} />
      )}
      <ConfirmedCard title={say`Enforced on chain`} lines={BY_CHAIN} />
      <ConfirmedCard title={say`Enforced by the co-signer only`} lines={BY_COSIGNER} />
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

function rowsOf(terms: SignedTerms): ConfirmedRow[] {
  const { limits, tokens, acceptRisks, policies, shield, marks } = terms
  const nameOf = (token: SignedTerms['tokens'][number]): OwnText => token.symbol ?? token.address
  const named = (address: OwnText): OwnText => {
    const token = tokens.find((one) => one.address === address)
    return token ? nameOf(token) : address
  }
  const inWords = (codes: readonly OwnText[], none: OwnText): OwnText =>
    codes.length === 0 ? none : joined(codes.map((code) => inText(code, words)))
  return [
    { label: say`Executor`, text: terms.executor },
    { label: say`Tokens`, text: joined(tokens.map(nameOf)) },
    { label: say`Max per trade`, text: inText(limits.maxTradeUsd, wholeUsd) },
    { label: say`Max in 24 hours`, text: inText(limits.maxDayUsd, wholeUsd) },
    { label: say`Trades`, text: inText(limits.maxTrades, count) },
    { label: say`Until`, text: inText(terms.expiresS, dateTime) },
    { label: say`Accepted risks`, text: inWords(acceptRisks, say`none`) },
    { label: say`Shield`, text: shield ? say`on: ${inWords(policies, say`no policies`)}` : say`off` },
    ...marks.map(({ token, priceE18 }) => ({
      label: say`Price of ${named(token)}`,
      text: inText(priceE18, (price) => `$${amount(price, 18)}`),
    })),
  ]
}
