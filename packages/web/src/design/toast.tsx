import { useSyncExternalStore } from 'react'
import type { Tone } from './parts.tsx'
import { Notice } from './states.tsx'

interface Toast {
  id: number
  tone: Tone
  text: string
}

const SHOWN_MS = 6_000
const heard = new Set<() => void>()
let shown: readonly Toast[] = []
let last = 0

function set(next: readonly Toast[]): void {
  shown = next
  for (const hear of heard) hear()
}

/** Says in passing that something happened. */
export function toast(text: string, tone: Tone = 'up'): void {
  const id = ++last
  set([...shown, { id, tone, text }])
  setTimeout(() => set(shown.filter((one) => one.id !== id)), SHOWN_MS)
}

export function Toasts() {
  const toasts = useSyncExternalStore(
    (hear) => {
      heard.add(hear)
      return () => heard.delete(hear)
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
