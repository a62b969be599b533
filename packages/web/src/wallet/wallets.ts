import type { Eip1193 } from '@pit/client'
import { useSyncExternalStore } from 'react'

/** A wallet that announced itself to this page (EIP-6963). */
export interface FoundWallet {
  /** Its maker's name in reverse: `io.metamask`. */
  id: string
  name: string
  icon: string | null
  provider: Eip1193
}

interface Announced {
  info: { rdns: string; name: string; icon: string; uuid: string }
  provider: Eip1193
}

const heard = new Set<() => void>()
let found: readonly FoundWallet[] = []

window.addEventListener('eip6963:announceProvider', (event) => {
  const { info, provider } = (event as CustomEvent<Announced>).detail
  const id = String(info.rdns).slice(0, 100)
  // An extension chooses these: its icon may be a picture and nothing else.
  const icon = /^data:image\/(png|svg\+xml|webp|jpeg);/.test(info.icon) ? info.icon : null
  found = [
    ...found.filter((one) => one.id !== id),
    { id, name: String(info.name).slice(0, 40), icon, provider },
  ]
  for (const hear of heard) hear()
})

/** Asks every wallet to announce itself, again for those that came late. */
export const askWallets = (): boolean => window.dispatchEvent(new Event('eip6963:requestProvider'))
askWallets()

export const useWallets = (): readonly FoundWallet[] =>
  useSyncExternalStore(
    (hear) => {
      heard.add(hear)
      return () => heard.delete(hear)
    },
    () => found,
  )

export function walletById(id: string): FoundWallet | null {
  askWallets()
  return found.find((one) => one.id === id) ?? null
}
