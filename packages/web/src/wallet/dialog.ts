import { useSyncExternalStore } from 'react'

/** Whether the dialog to connect is open: any page may ask for it. */
const heard = new Set<() => void>()
let isOpen = false

export function showConnect(open: boolean): void {
  isOpen = open
  for (const hear of heard) hear()
}

export const useConnectShown = (): boolean =>
  useSyncExternalStore(
    (hear) => {
      heard.add(hear)
      return () => heard.delete(hear)
    },
    () => isOpen,
  )
