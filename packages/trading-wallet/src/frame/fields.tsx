import { Field, Notice, TextField } from '@pit/ui'
import type { ReactNode } from 'react'
import { MIN_PASSPHRASE } from '../walletFile.ts'

export function SecretField(props: {
  label: string
  value: string
  onChange(value: string): void
  isNew?: boolean
  hint?: ReactNode
  fault?: string | undefined
}) {
  return (
    <Field label={props.label} hint={props.hint} fault={props.fault}>
      {(given) => (
        <input
          {...given}
          className="input"
          type="password"
          value={props.value}
          autoComplete={props.isNew ? 'new-password' : 'current-password'}
          onChange={({ target }) => props.onChange(target.value)}
        />
      )}
    </Field>
  )
}

export function ReturnAddressField(props: {
  value: string
  onChange(value: string): void
  fault: string | null
}) {
  return (
    <TextField
      label="Return address"
      value={props.value}
      onChange={props.onChange}
      placeholder="0x…"
      hint="Your main wallet. Permanent: this wallet pays no other address, except fees of trades."
      fault={props.fault ?? undefined}
    />
  )
}

export interface NewSecret {
  one: string
  two: string
}
export const NO_SECRET: NewSecret = { one: '', two: '' }

/** Why a new passphrase cannot be used; null if it can. */
export function secretFault({ one, two }: NewSecret): string | null {
  if (one.length < MIN_PASSPHRASE) return `Use at least ${MIN_PASSPHRASE} characters.`
  return one === two ? null : 'The two passphrases differ.'
}

/** A new passphrase, twice. */
export function NewSecretFields(props: {
  label: string
  value: NewSecret
  onChange(value: NewSecret): void
}) {
  const { label, value, onChange } = props
  const fault = value.one === '' || value.two === '' ? null : secretFault(value)
  return (
    <>
      <SecretField
        label={label}
        value={value.one}
        onChange={(one) => onChange({ ...value, one })}
        isNew
        hint={`At least ${MIN_PASSPHRASE} characters. It cannot be reset: without it the file is useless.`}
      />
      <SecretField
        label={`${label} again`}
        value={value.two}
        onChange={(two) => onChange({ ...value, two })}
        isNew
        fault={fault ?? undefined}
      />
    </>
  )
}

/** A keystore file that the visitor chooses; its text, or null. */
export function FileField(props: { label: string; onText(text: string | null): void; hint?: ReactNode }) {
  return (
    <Field label={props.label} hint={props.hint}>
      {(given) => (
        <input
          {...given}
          className="input"
          type="file"
          onChange={async ({ target }) => props.onText((await target.files?.[0]?.text()) ?? null)}
        />
      )}
    </Field>
  )
}

/** Why something did not work; nothing for the visitor's own no. */
export function Fault({ error }: { error: Error | null }) {
  if (!error) return null
  const isDeclined = error.name === 'NotAllowedError'
  return (
    <div role="alert">
      <Notice tone="down" title={isDeclined ? 'The passkey was not used.' : error.message} />
    </div>
  )
}
