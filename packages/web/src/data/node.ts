import type { ChainProfile } from '@pit/protocol'

/** The node that answers are verified on, and whose it is. */
export type NodeChoice = { whose: 'yours' | 'pins'; url: string } | { whose: 'server'; url: null }

const PLACE = 'pit.node'
/** Names the origin that the page's policy has to allow; the rest of the address never leaves the browser. */
const PARAMETER = 'node'

/** Null also for a stored text that cannot be an address: the page has to load to correct it. */
export function namedNode(): string | null {
  const stored = window.localStorage.getItem(PLACE)
  return stored === null || nodeFault(stored) !== null ? null : stored
}

/** The visitor's own node first, then one of the pins; without either only the server's is left. */
export function chooseNode(named: string | null, { rpc_urls: [pinned] }: ChainProfile): NodeChoice {
  if (named !== null) return { whose: 'yours', url: named }
  return pinned === undefined ? { whose: 'server', url: null } : { whose: 'pins', url: pinned }
}

export const nodeFor = (profile: ChainProfile): NodeChoice => chooseNode(namedNode(), profile)

/** Why an address cannot be used; null for one that can. */
export function nodeFault(text: string): string | null {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return 'Give an address such as https://node.example.'
  }
  const isLoopback = url.hostname === 'localhost' || url.hostname === '127.0.0.1'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return null
  return 'Use https: others on the way could change the answers.'
}

/** Stores the choice and loads the page again, because its policy names the nodes it may reach. */
export function nameNode(url: string | null): void {
  if (url === null) window.localStorage.removeItem(PLACE)
  else window.localStorage.setItem(PLACE, url)
  window.location.replace(addressWith(window.location.href, url))
}

/** The page's address with the origin of the node, and without the one of another. */
export function addressWith(href: string, node: string | null): string {
  const address = new URL(href)
  address.searchParams.delete(PARAMETER)
  if (node !== null) address.searchParams.set(PARAMETER, new URL(node).origin)
  return address.href
}

/** Before anything else: whether this page was served for the visitor's node; if not, it is loaded again. */
export function isServedForNode(): boolean {
  const { href, search } = window.location
  const node = namedNode()
  const served = new URLSearchParams(search).get(PARAMETER)
  if (served !== (node === null ? null : new URL(node).origin)) {
    window.location.replace(addressWith(href, node))
    return false
  }
  // Links copied from the address bar must not carry a visitor's node.
  if (served !== null) window.history.replaceState(null, '', addressWith(href, null))
  return true
}
