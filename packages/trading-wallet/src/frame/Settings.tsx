import { Button, ConfirmButton, SelectField } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { WalletFile } from '../walletFile.ts'
import { Backup } from './Backup.tsx'
import { Fault } from './fields.tsx'
import { forget, keep, record, unlockedSigner } from './host.ts'

const MINUTES = [1, 5, 15, 60].map((minutes) => ({
  value: String(minutes),
  label: minutes === 1 ? '1 minute' : `${minutes} minutes`,
}))

/** The lock, another backup, and the removal from this browser. */
export function Settings({ onDone }: { onDone(): void }) {
  const { lock_minutes, backed_up } = (record() as WalletFile).pit!.about
  const [minutes, setMinutes] = useState(String(lock_minutes))
  const [isBackup, setBackup] = useState(false)
  const saving = useMutation({
    mutationFn: async () =>
      keep(unlockedSigner(), await unlockedSigner().call('change', { lock_minutes: Number(minutes) })),
    onSuccess: onDone,
  })
  if (isBackup) return <Backup onDone={onDone} />
  return (
    <div className="stack">
      <SelectField
        label="Lock after"
        value={minutes}
        choices={MINUTES}
        onChange={setMinutes}
        hint="Without a signature. It also locks five minutes after the tab was hidden, and with every reload."
      />
      <Fault error={saving.error} />
      <div className="row">
        <Button kind="primary" busy={saving.isPending} onClick={() => saving.mutate()}>
          Save
        </Button>
        <Button onClick={() => setBackup(true)}>Back up again</Button>
      </div>
      <ConfirmButton
        label="Remove from this browser"
        question={
          backed_up
            ? 'Only your backup file opens the wallet then. Continue?'
            : 'There is no verified backup: the key will be lost. Continue?'
        }
        onConfirm={() => {
          forget()
          onDone()
        }}
      />
    </div>
  )
}
