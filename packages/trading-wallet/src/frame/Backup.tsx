import { Button, Notice } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { parseFile, type WalletFile } from '../walletFile.ts'
import { Fault, FileField, NewSecretFields, NO_SECRET, SecretField, secretFault } from './fields.tsx'
import { addressIn, keep, record, unlockedSigner } from './host.ts'

/** Download, then give it back: only a file that was opened again counts as a backup. */
export function Backup({ onDone }: { onDone(): void }) {
  const file = record() as WalletFile
  const isPasskey = file.pit!.about.passkey !== null
  const [secret, setSecret] = useState(NO_SECRET)
  const [isSaved, setSaved] = useState(false)
  const [text, setText] = useState<string | null>(null)
  const [typed, setTyped] = useState('')
  const saving = useMutation({
    mutationFn: async () =>
      save(isPasskey ? await unlockedSigner().call('reseal', { secret: secret.one }) : file),
    onSuccess: () => setSaved(true),
  })
  const checking = useMutation({
    mutationFn: async () => {
      const backup = parseFile(text!)
      if (backup.pit?.about.passkey)
        throw new Error('This file opens with the passkey only. Give back the one you saved in step 1.')
      const address = await unlockedSigner().call('check', { file: backup, secret: typed })
      if (address !== addressIn(file))
        throw new Error(`This file is of another wallet: ${address} instead of ${addressIn(file)}.`)
      keep(unlockedSigner(), await unlockedSigner().call('change', { backed_up: true }))
    },
    onSuccess: onDone,
  })
  return (
    <div className="stack">
      <Notice title="Back it up before you fund it.">
        Without this file and its passphrase the money is lost if this browser deletes its data.
        {isPasskey && ' The file also replaces a deleted passkey.'}
      </Notice>
      <h2>1. Save the file</h2>
      {isPasskey && <NewSecretFields label="Passphrase of the backup" value={secret} onChange={setSecret} />}
      <Fault error={saving.error} />
      <div className="row">
        <Button
          kind={isSaved ? 'plain' : 'primary'}
          disabled={isPasskey && secretFault(secret) !== null}
          busy={saving.isPending}
          onClick={() => saving.mutate()}
        >
          Download backup
        </Button>
      </div>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          checking.mutate()
        }}
      >
        <h2>2. Give it back</h2>
        <FileField label="The saved file" onText={setText} />
        <SecretField label="Its passphrase" value={typed} onChange={setTyped} />
        <Fault error={checking.error} />
        <div className="row">
          <Button
            kind={isSaved ? 'primary' : 'plain'}
            type="submit"
            disabled={text === null}
            busy={checking.isPending}
          >
            Verify backup
          </Button>
        </div>
      </form>
    </div>
  )
}

function save(file: WalletFile): void {
  const url = URL.createObjectURL(new Blob([JSON.stringify(file, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `pit-wallet-${file.address!.slice(0, 8)}.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
