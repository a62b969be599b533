import type { IncomingMessage } from 'node:http'

/** Why a request is rejected. */
export interface Refused {
  status: 403 | 415 | 421
  why: string
}

/**
 * The devnet moves anyone's funds for any caller, so it serves only programs and pages of this machine.
 * Origin detects a foreign page in a local browser, Host a page that uses DNS rebinding, and the content type
 * a form that is sent without preflight. Null: accepted.
 */
export function refuseForeign({
  method,
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): Refused | null {
  const { host, origin, 'sec-fetch-site': site, 'content-type': type } = headers
  if (!isLocal(`http://${host ?? ''}`))
    return { status: 421, why: 'Use an address of this machine: 127.0.0.1, localhost or [::1].' }
  const isForeign = origin === undefined ? site === 'cross-site' : !isLocal(origin)
  if (isForeign) return { status: 403, why: 'Pages from elsewhere may not ask.' }
  if (method === 'POST' && !/^application\/json\s*(;|$)/i.test(type ?? ''))
    return { status: 415, why: 'The body must be JSON: send content-type: application/json.' }
  return null
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]']

export function isLocal(origin: string): boolean {
  return URL.canParse(origin) && LOCAL_HOSTS.includes(new URL(origin).hostname)
}
