import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react'

const heard = new Set<() => void>()

function subscribe(hear: () => void): () => void {
  heard.add(hear)
  window.addEventListener('popstate', hear)
  return () => {
    heard.delete(hear)
    window.removeEventListener('popstate', hear)
  }
}

/** Path and query of the page that is shown. */
export function useLocation(): URL {
  const href = useSyncExternalStore(subscribe, () => window.location.href)
  return new URL(href)
}

export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') window.history.pushState(null, '', to)
  else window.history.replaceState(null, '', to)
  for (const hear of heard) hear()
}

const opensHere = ({ button, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean =>
  button === 0 && !metaKey && !ctrlKey && !shiftKey && !altKey

/** A real link that a browser may open anywhere; here it changes the page without loading it again. */
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
