import type { ChainProfile } from '@pit/protocol'

/** The node used for verification, and who chose it. */
export type NodeChoice = { whose: 'yours' | 'pins'; url: string } | { whose: 'server'; url: null }

const PLACE = 'pit.node'
/** Query parameter with the origin that the page's CSP must allow; the rest of the URL stays in the browser. */
const PARAMETER = 'node'

/** Null also for an invalid stored URL, so that the page still loads. */
export function namedNode(): string | null {
  const stored = window.localStorage.getItem(PLACE)
  return stored === null || nodeFault(stored) !== null ? null : stored
}

/** The visitor's own node, else the pinned one, else the server's. */
export function chooseNode(named: string | null, { rpc_urls: [pinned] }: ChainProfile): NodeChoice {
  if (named !== null) return { whose: 'yours', url: named }
  return pinned === undefined ? { whose: 'server', url: null } : { whose: 'pins', url: pinned }
}

export const nodeFor = (profile: ChainProfile): NodeChoice => chooseNode(namedNode(), profile)

/** Why a URL cannot be used; null if it can. */
export function nodeFault(text: string): string | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return 'Enter a URL such as https://node.example.'
  }
  const isLoopback = url.hostname === 'localhost' || url.hostname === '127.0.0.1'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return null
  return 'Use https, so that responses cannot be changed in transit.'
}

/** Stores the choice and reloads the page, because its CSP lists the allowed nodes. */
export function nameNode(url: string | null): void {
  if (url === null) window.localStorage.removeItem(PLACE)
  else window.localStorage.setItem(PLACE, url)
  window.location.replace(addressWith(window.location.href, url))
}

/** The page's URL with the origin of this node only. */
export function addressWith(href: string, node: string | null): string {
  const address = new URL(href)
  address.searchParams.delete(PARAMETER)
  if (node !== null) address.searchParams.set(PARAMETER, new URL(node).origin)
  return address.href
}

/** Runs first: reloads the page if it was not served for the visitor's node. */
export function isServedForNode(): boolean {
  const { href, search } = window.location
  const node = namedNode()
  const served = new URLSearchParams(search).get(PARAMETER)
  if (served !== (node === null ? null : new URL(node).origin)) {
    window.location.replace(addressWith(href, node))
    return false
  }
  // Links copied from the address bar must not contain the visitor's node.
  if (served !== null) window.history.replaceState(null, '', addressWith(href, null))
  return true
}
