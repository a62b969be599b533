import { useSyncExternalStore } from 'react'
import type { Tone } from './parts.tsx'
import { Notice } from './states.tsx'

interface Toast {
  id: number
  tone: Tone
  text: string
}

const SHOWN_MS = 6_000
const listeners = new Set<() => void>()
let shown: readonly Toast[] = []
let last = 0

function set(next: readonly Toast[]): void {
  shown = next
  for (const listener of listeners) listener()
}

/** Shows a short-lived notification. */
export function toast(text: string, tone: Tone = 'up'): void {
  const id = ++last
  set([...shown, { id, tone, text }])
  setTimeout(() => set(shown.filter((one) => one.id !== id)), SHOWN_MS)
}

export function Toasts() {
  const toasts = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => shown,
  )
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, tone, text }) => (
        <Notice key={id} tone={tone} title={text} />
      ))}
    </div>
  )
}
