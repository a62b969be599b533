import { CONTROLS } from '@pit/protocol'
import { Button, CheckField, SelectField, TextField } from '@pit/ui'
import { type BreakerText, type ControlsText, newBreaker } from '../data/controls.ts'

const PERIODS = [
  { value: '3600', label: '1 hour' },
  { value: '14400', label: '4 hours' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '7 days' },
]

/** Additional limits of a session, enforced by the co-signer. */
export function ControlsFields(props: {
  value: ControlsText
  onChange(value: ControlsText): void
  /** Controls cannot be switched off. */
  isRequired?: boolean
}) {
  const { value, onChange, isRequired = false } = props
  const { breakers } = value
  const setBreaker = (one: BreakerText) =>
    onChange({ ...value, breakers: breakers.map((other) => (other.id === one.id ? one : other)) })
  return (
    <fieldset className="field">
      <legend className="label">Controls</legend>
      {!isRequired && (
        <CheckField
          label="Add controls (needed for signed orders)."
          checked={value.isOn}
          onChange={(isOn) => onChange({ ...value, isOn })}
        />
      )}
      {value.isOn && (
        <div className="stack">
          <TextField
            label="Signature needed above, in USD"
            kind="decimal"
            value={value.signatureAboveUsd}
            placeholder="never"
            onChange={(signatureAboveUsd) => onChange({ ...value, signatureAboveUsd })}
            hint="Trades that exceed it in any hour, together, need an order that you sign. 0: every trade."
          />
          {breakers.map((one, i) => (
            <Breaker
              key={one.id}
              number={i + 1}
              value={one}
              onChange={setBreaker}
              onRemove={() =>
                onChange({ ...value, breakers: breakers.filter((other) => other.id !== one.id) })
              }
            />
          ))}
          {breakers.length < CONTROLS.maxBreakers && (
            <div className="row">
              <Button
                tight
                onClick={() => {
                  const id = Math.max(0, ...breakers.map((one) => one.id)) + 1
                  onChange({ ...value, breakers: [...breakers, newBreaker(id)] })
                }}
              >
                Add breaker
              </Button>
              <span className="small faint">After a loss, only trades that close positions.</span>
            </div>
          )}
        </div>
      )}
    </fieldset>
  )
}

function Breaker(props: {
  number: number
  value: BreakerText
  onChange(value: BreakerText): void
  onRemove(): void
}) {
  const { number, value, onChange } = props
  return (
    <div className="grid fields">
      <TextField
        label={`Breaker ${number}: maximum fall in USD`}
        kind="decimal"
        value={value.fallUsd}
        onChange={(fallUsd) => onChange({ ...value, fallUsd })}
      />
      <SelectField
        label={`Breaker ${number}: below the best of`}
        value={value.windowS}
        choices={[{ value: '', label: 'The whole session' }, ...PERIODS]}
        onChange={(windowS) => onChange({ ...value, windowS })}
      />
      <SelectField
        label={`Breaker ${number}: refuses opening trades for`}
        value={value.coolDownS}
        choices={PERIODS}
        onChange={(coolDownS) => onChange({ ...value, coolDownS })}
      />
      <Button tight onClick={props.onRemove}>
        {`Remove breaker ${number}`}
      </Button>
    </div>
  )
}
