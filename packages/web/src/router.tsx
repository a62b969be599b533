import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  window.addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('popstate', listener)
  }
}

/** Path and query of the current page. */
export function useLocation(): URL {
  const href = useSyncExternalStore(subscribe, () => window.location.href)
  return new URL(href)
}

export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') window.history.pushState(null, '', to)
  else window.history.replaceState(null, '', to)
  for (const listener of listeners) listener()
}

const opensHere = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey

/** A normal link that changes the page without a reload. */
export function Link({ href, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { href: string }) {
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    rest.onClick?.(event)
    if (event.defaultPrevented || !opensHere(event)) return
    event.preventDefault()
    navigate(href)
    window.scrollTo(0, 0)
  }
  return <a {...rest} href={href} onClick={open} />
}
