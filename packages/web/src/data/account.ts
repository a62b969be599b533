import { useSyncExternalStore } from 'react'

/** The signed-in account. It is kept in this tab's memory and session storage, and ends with the tab. */
export interface SignedIn {
  address: `0x${string}`
  apiKey: string
  keyId: number
  expiresAtS: number
  /** Id of the signing wallet: an extension's rdns, or a test wallet. */
  wallet: string
}

const PLACE = 'pit.account'
const listeners = new Set<() => void>()
let current: SignedIn | null = read()

function read(): SignedIn | null {
  try {
    const stored = JSON.parse(window.sessionStorage.getItem(PLACE) ?? 'null') as SignedIn | null
    return stored && stored.expiresAtS > Date.now() / 1000 ? stored : null
  } catch {
    return null
  }
}

export const account = (): SignedIn | null => current

export function setAccount(next: SignedIn | null): void {
  current = next
  if (next) window.sessionStorage.setItem(PLACE, JSON.stringify(next))
  else window.sessionStorage.removeItem(PLACE)
  for (const listener of listeners) listener()
}

export const useAccount = (): SignedIn | null =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, account)
