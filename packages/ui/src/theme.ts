import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const PLACE = 'pit.theme'
const listeners = new Set<() => void>()
const system = () => window.matchMedia('(prefers-color-scheme: dark)')

const chosen = (): Theme | null => {
  const stored = window.localStorage.getItem(PLACE)
  return stored === 'light' || stored === 'dark' ? stored : null
}
const theme = (): Theme => chosen() ?? (system().matches ? 'dark' : 'light')

function show(): void {
  document.documentElement.dataset['theme'] = theme()
  for (const listener of listeners) listener()
}

/** The system's theme until the visitor chooses one. */
export function startTheme(): void {
  show()
  system().addEventListener('change', show)
}

export function setTheme(next: Theme): void {
  window.localStorage.setItem(PLACE, next)
  show()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, theme)
