import { Button, CheckField, ConfirmButton, Notice, SelectField } from '@pit/ui'
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

/** The lock, consent to unknown calls, another backup, and the removal from this browser. */
export function Settings({ onDone }: { onDone(): void }) {
  const { lock_minutes, backed_up, unknown_calls = false } = (record() as WalletFile).pit!.about
  const [minutes, setMinutes] = useState(String(lock_minutes))
  const [allowsUnknown, setAllowsUnknown] = useState(unknown_calls)
  const [isBackup, setBackup] = useState(false)
  const saving = useMutation({
    mutationFn: async () => {
      const change = { lock_minutes: Number(minutes), unknown_calls: allowsUnknown }
      keep(unlockedSigner(), await unlockedSigner().call('change', change))
    },
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
      <CheckField
        label="Offer unknown calls for consent"
        checked={allowsUnknown}
        onChange={setAllowsUnknown}
      />
      {allowsUnknown ? (
        <Notice tone="down" title="An unknown call can take everything this wallet holds.">
          Its effects cannot be read. The wallet shows the contract, the ETH sent and the function selector,
          and signs after you type the end of the contract’s address. Such a call can pay any address.
        </Notice>
      ) : (
        <p className="small faint">Off: calls whose effects the wallet cannot read are refused.</p>
      )}
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
