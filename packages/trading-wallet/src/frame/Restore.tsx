import { Button } from '@pit/ui'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Hex } from 'viem'
import { parseFile, returnFault, type WalletFile } from '../walletFile.ts'
import { Fault, FileField, ReturnAddressField, SecretField } from './fields.tsx'
import { addressIn, keep, newSigner, record } from './host.ts'

/** Opens a keystore file: a backup of this page, or one of `pit`, foundry or geth. */
export function Restore({ onDone }: { onDone(): void }) {
  const [text, setText] = useState<string | null>(null)
  const [secret, setSecret] = useState('')
  const [returnTo, setReturnTo] = useState('')
  const file = parsed(text)
  const needsReturn = file !== null && !(file instanceof Error) && file.pit === undefined
  const restoring = useMutation({
    mutationFn: async () => {
      if (!file || file instanceof Error) return
      const signer = newSigner()
      try {
        const named = needsReturn ? { return_address: returnTo.trim().toLowerCase() as Hex } : {}
        const opened = await signer.call('open', { file, secret, ...named })
        const present = record()
        if (present && present !== 'damaged' && addressIn(present) !== addressIn(opened))
          throw new Error(
            `This browser has another wallet, ${addressIn(present)}. Remove it in its settings first.`,
          )
        if (needsReturn && addressIn(opened) === returnTo.trim().toLowerCase())
          throw new Error('The return address must belong to another wallet.')
        // A file that opened is a backup that works.
        keep(signer, await signer.call('change', { backed_up: true }))
      } catch (error) {
        signer.end()
        throw error
      }
    },
    onSuccess: onDone,
  })
  const addressFault = needsReturn && returnTo !== '' ? returnFault(returnTo.trim(), null) : null
  const isNamed = !needsReturn || (returnTo !== '' && addressFault === null)
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        restoring.mutate()
      }}
    >
      <FileField
        label="Keystore file"
        onText={setText}
        hint="A backup of a trading wallet, or a keystore of pit, foundry or geth."
      />
      <Fault error={file instanceof Error ? file : null} />
      <SecretField label="Passphrase of the file" value={secret} onChange={setSecret} />
      {needsReturn && <ReturnAddressField value={returnTo} onChange={setReturnTo} fault={addressFault} />}
      <Fault error={restoring.error} />
      <div className="row">
        <Button
          kind="primary"
          type="submit"
          disabled={!file || file instanceof Error || !isNamed}
          busy={restoring.isPending}
        >
          Open the file
        </Button>
      </div>
    </form>
  )
}

function parsed(text: string | null): WalletFile | Error | null {
  try {
    return text === null ? null : parseFile(text)
  } catch (error) {
    return error as Error
  }
}
