import { Button, Notice } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Fault, SecretField } from './fields.tsx'
import { addressIn, keep, newSigner, record } from './host.ts'
import { askPasskey } from './passkey.ts'
import { Restore } from './Restore.tsx'

/** Unlocks the wallet for this tab. */
export function Unlock({ onDone }: { onDone(): void }) {
  const [secret, setSecret] = useState('')
  const [isRestoring, setRestoring] = useState(false)
  const file = record()
  const isUsable = file !== null && file !== 'damaged'
  const passkey = isUsable ? file.pit!.about.passkey : null
  const unlocking = useMutation({
    mutationFn: async () => {
      if (!isUsable) return
      const used = passkey ? await askPasskey(passkey) : secret
      const signer = newSigner()
      try {
        keep(signer, await signer.call('open', { file, secret: used }))
      } catch (error) {
        signer.end()
        throw error
      }
    },
    onSuccess: onDone,
  })
  if (isRestoring || !isUsable)
    return (
      <div className="stack">
        {!isUsable && (
          <Notice tone="down" title="The wallet’s record in this browser cannot be read.">
            Restore it from your backup.
          </Notice>
        )}
        <Restore onDone={onDone} />
      </div>
    )
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        unlocking.mutate()
      }}
    >
      <p className="mono break small">{addressIn(file)}</p>
      {!passkey && <SecretField label="Passphrase" value={secret} onChange={setSecret} />}
      <Fault error={unlocking.error} />
      <div className="row">
        <Button kind="primary" type="submit" busy={unlocking.isPending}>
          {passkey ? 'Unlock with passkey' : 'Unlock'}
        </Button>
        <Button kind="quiet" onClick={() => setRestoring(true)}>
          Open from a backup
        </Button>
      </div>
      <p className="small faint">
        {passkey
          ? 'Lost the passkey? Your backup file and its passphrase open the wallet.'
          : 'A lost passphrase cannot be reset or recovered by anyone.'}
      </p>
    </form>
  )
}
