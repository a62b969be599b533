import type { Eip1193 } from '@pit/client'
import { useSyncExternalStore } from 'react'

/** A wallet that announced itself to this page (EIP-6963). */
export interface FoundWallet {
  /** Reverse DNS name: `io.metamask`. */
  id: string
  name: string
  icon: string | null
  provider: Eip1193
}

interface Announcement {
  info: { rdns: string; name: string; icon: string; uuid: string }
  provider: Eip1193
}

const listeners = new Set<() => void>()
let wallets: readonly FoundWallet[] = []

window.addEventListener('eip6963:announceProvider', (event) => {
  const { info, provider } = (event as CustomEvent<Announcement>).detail
  const id = String(info.rdns).slice(0, 100)
  // Untrusted values of the extension: the icon must be an image.
  const icon = /^data:image\/(png|svg\+xml|webp|jpeg);/.test(info.icon) ? info.icon : null
  wallets = [
    ...wallets.filter((one) => one.id !== id),
    { id, name: String(info.name).slice(0, 40), icon, provider },
  ]
  for (const listener of listeners) listener()
})

/** Asks all wallets to announce themselves, again for late ones. */
export const askWallets = (): boolean => window.dispatchEvent(new Event('eip6963:requestProvider'))
askWallets()

export const useWallets = (): readonly FoundWallet[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => wallets,
  )

export function walletById(id: string): FoundWallet | null {
  askWallets()
  return wallets.find((one) => one.id === id) ?? null
}
