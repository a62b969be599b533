import { useSyncExternalStore } from 'react'

/** Who is signed in here. It lives in this tab's memory and session storage, and ends with the tab. */
export interface SignedIn {
  address: `0x${string}`
  apiKey: string
  keyId: number
  expiresAtS: number
  /** Which wallet signs: an extension's name in reverse (rdns), or a test wallet's. */
  wallet: string
}

const PLACE = 'pit.account'
const heard = new Set<() => void>()
let current: SignedIn | null = read()

function read(): SignedIn | null {
  try {
    const kept = JSON.parse(window.sessionStorage.getItem(PLACE) ?? 'null') as SignedIn | null
    return kept && kept.expiresAtS > Date.now() / 1000 ? kept : null
  } catch {
    return null
  }
}

export const account = (): SignedIn | null => current

export function setAccount(next: SignedIn | null): void {
  current = next
  if (next) window.sessionStorage.setItem(PLACE, JSON.stringify(next))
  else window.sessionStorage.removeItem(PLACE)
  for (const hear of heard) hear()
}

export const useAccount = (): SignedIn | null =>
  useSyncExternalStore((hear) => {
    heard.add(hear)
    return () => heard.delete(hear)
  }, account)
