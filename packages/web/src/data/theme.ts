import { useSyncExternalStore } from 'react'

export type Theme = 'light' | 'dark'

const PLACE = 'pit.theme'
const heard = new Set<() => void>()
const system = window.matchMedia('(prefers-color-scheme: dark)')

const chosen = (): Theme | null => {
  const kept = window.localStorage.getItem(PLACE)
  return kept === 'light' || kept === 'dark' ? kept : null
}
const theme = (): Theme => chosen() ?? (system.matches ? 'dark' : 'light')

function show(): void {
  document.documentElement.dataset['theme'] = theme()
  for (const hear of heard) hear()
}

/** The system's choice, until the visitor makes one. */
export function startTheme(): void {
  show()
  system.addEventListener('change', show)
}

export function setTheme(next: Theme): void {
  window.localStorage.setItem(PLACE, next)
  show()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((hear) => {
    heard.add(hear)
    return () => heard.delete(hear)
  }, theme)
