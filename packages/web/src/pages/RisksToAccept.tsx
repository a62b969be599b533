import { type Answer, RISKS, type RiskCode } from '@pit/protocol'
import { Card, CheckField } from '@pit/ui'

/** Risks of a trade in words; a severe one must be accepted here before anything is signed. */
export function RisksToAccept(props: {
  risks: Answer<'live.quote'>['risks']
  accepted: readonly RiskCode[]
  onChange(accepted: readonly RiskCode[]): void
}) {
  const { risks, accepted } = props
  if (risks.length === 0) return <p className="small faint">No known risks.</p>
  return (
    <Card title="Risks">
      {risks.map(({ code, severity }) =>
        severity === 'severe' ? (
          <CheckField
            key={code}
            label={
              <>
                <strong className="down-text">I accept:</strong> {RISKS[code]?.meaning ?? code}
              </>
            }
            checked={accepted.includes(code)}
            onChange={(isAccepted) =>
              props.onChange(isAccepted ? [...accepted, code] : accepted.filter((one) => one !== code))
            }
          />
        ) : (
          <p key={code}>{`Note: ${RISKS[code]?.meaning ?? code}.`}</p>
        ),
      )}
      <p className="small faint">A trade with a severe risk is signed only if you accept that risk here.</p>
    </Card>
  )
}
