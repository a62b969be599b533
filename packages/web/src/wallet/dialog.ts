import { useSyncExternalStore } from 'react'

/** Whether the connect dialog is open; any page may open it. */
const listeners = new Set<() => void>()
let isOpen = false

export function showConnect(open: boolean): void {
  isOpen = open
  for (const listener of listeners) listener()
}

export const useConnectShown = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen,
  )
