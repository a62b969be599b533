import { type ReactNode, useId } from 'react'

interface Given {
  id: string
  'aria-describedby': string | undefined
}

/** A labelled input with a hint and an error. */
export function Field(props: {
  label: string
  hint?: ReactNode
  fault?: string | undefined
  children(given: Given): ReactNode
}) {
  const id = useId()
  const about = props.hint || props.fault ? `${id}-about` : undefined
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      {props.children({ id, 'aria-describedby': about })}
      {about && (
        <div id={about}>
          {props.hint && <div className="hint">{props.hint}</div>}
          {props.fault && <div className="fault">{props.fault}</div>}
        </div>
      )}
    </div>
  )
}

export function TextField(props: {
  label: string
  value: string
  onChange(value: string): void
  hint?: ReactNode
  fault?: string | undefined
  kind?: 'text' | 'decimal'
  placeholder?: string
}) {
  return (
    <Field label={props.label} hint={props.hint} fault={props.fault}>
      {(given) => (
        <input
          {...given}
          className="input"
          value={props.value}
          placeholder={props.placeholder}
          inputMode={props.kind === 'decimal' ? 'decimal' : 'text'}
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  )
}

export interface Choice {
  value: string
  label: string
}

export function SelectField(props: {
  label: string
  value: string
  choices: readonly Choice[]
  onChange(value: string): void
  hint?: ReactNode
}) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(given) => (
        <select {...given} value={props.value} onChange={({ target }) => props.onChange(target.value)}>
          {props.choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A slider with its value shown in the label. */
export function SliderField(props: {
  label: string
  value: number
  min: number
  max: number
  step: number
  shown: string
  onChange(value: number): void
  hint?: ReactNode
}) {
  return (
    <Field label={`${props.label}: ${props.shown}`} hint={props.hint}>
      {(given) => (
        <input
          {...given}
          type="range"
          min={props.min}
          max={props.max}
          step={props.step}
          value={props.value}
          aria-valuetext={props.shown}
          onChange={({ target }) => props.onChange(Number(target.value))}
        />
      )}
    </Field>
  )
}

export function CheckField(props: { label: ReactNode; checked: boolean; onChange(checked: boolean): void }) {
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={props.checked}
        onChange={({ target }) => props.onChange(target.checked)}
      />
      <span>{props.label}</span>
    </label>
  )
}
