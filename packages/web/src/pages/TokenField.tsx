import { CORE_SYMBOLS } from '@pit/protocol'
import { SelectField, TextField } from '@pit/ui'

const OTHER = 'other'

/** A core token by symbol, or any token by address. */
export function TokenField(props: {
  label: string
  value: string
  hint?: string | undefined
  onChange(value: string): void
}) {
  const isCore = (CORE_SYMBOLS as readonly string[]).includes(props.value)
  return (
    <div className="stack">
      <SelectField
        label={props.label}
        value={isCore ? props.value : OTHER}
        choices={[
          ...CORE_SYMBOLS.map((value) => ({ value, label: value })),
          { value: OTHER, label: 'Other (by address)' },
        ]}
        onChange={(value) => props.onChange(value === OTHER ? '' : value)}
        hint={props.hint}
      />
      {!isCore && (
        <TextField
          label={`${props.label}: address`}
          value={props.value}
          onChange={props.onChange}
          placeholder="0x…"
          fault={
            props.value === '' || /^0x[0-9a-fA-F]{40}$/.test(props.value)
              ? undefined
              : 'Must be 0x and 40 hex digits.'
          }
        />
      )}
    </div>
  )
}
