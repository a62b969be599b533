import { Button, Notice, SelectField, Tabs } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Hex } from 'viem'
import { returnFault } from '../walletFile.ts'
import { Backup } from './Backup.tsx'
import { Fault, NewSecretFields, NO_SECRET, ReturnAddressField, secretFault } from './fields.tsx'
import { keep, newSigner } from './host.ts'
import { createPasskey, hasPasskeys } from './passkey.ts'
import { Restore } from './Restore.tsx'

const TABS = [
  { id: 'new', label: 'New wallet' },
  { id: 'restore', label: 'From a file' },
]
const SECRETS = [
  { value: 'passphrase', label: 'A passphrase' },
  { value: 'passkey', label: 'A passkey of this device' },
]
const LOCK_MINUTES = 15

/** A new wallet up to its verified backup, or one from a file. */
export function Create({ onDone }: { onDone(): void }) {
  const [tab, setTab] = useState('new')
  const [isCreated, setCreated] = useState(false)
  if (isCreated) return <Backup onDone={onDone} />
  return (
    <>
      <Tabs label="Wallet" look="segments" tabs={TABS} chosen={tab} onChoose={setTab} />
      {tab === 'new' ? <New onDone={() => setCreated(true)} /> : <Restore onDone={onDone} />}
    </>
  )
}

function New({ onDone }: { onDone(): void }) {
  const [returnTo, setReturnTo] = useState('')
  const [how, setHow] = useState('passphrase')
  const [secret, setSecret] = useState(NO_SECRET)
  const isPasskey = how === 'passkey'
  const creating = useMutation({
    mutationFn: async () => {
      const used = isPasskey ? await createPasskey() : { passkey: null, secret: secret.one }
      const signer = newSigner()
      const input = { ...used, return_address: returnTo.trim() as Hex, lock_minutes: LOCK_MINUTES }
      keep(signer, await signer.call('create', input))
    },
    onSuccess: onDone,
  })
  const addressFault = returnTo === '' ? null : returnFault(returnTo.trim(), null)
  const isReady = returnTo !== '' && addressFault === null && (isPasskey || secretFault(secret) === null)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) creating.mutate()
      }}
    >
      <Notice tone="warn" title="Keep little money in it.">
        Encryption protects a stolen disk. The server of this page’s script can take everything the next time
        you unlock the wallet.
      </Notice>
      <ReturnAddressField value={returnTo} onChange={setReturnTo} fault={addressFault} />
      {hasPasskeys() && <SelectField label="Unlock with" value={how} choices={SECRETS} onChange={setHow} />}
      {isPasskey ? (
        <p className="small faint">
          The backup of the next step gets a passphrase, because a deleted passkey or another domain loses the
          key.
        </p>
      ) : (
        <NewSecretFields label="Passphrase" value={secret} onChange={setSecret} />
      )}
      <Fault error={creating.error} />
      <div className="row">
        <Button kind="primary" type="submit" disabled={!isReady} busy={creating.isPending}>
          Create wallet
        </Button>
      </div>
    </form>
  )
}
