import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '@pit/protocol'

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]']
const ANY_ADDRESS = ['0.0.0.0', '::']

/** Origins of the API's own pages: PUBLIC_URL, and every name of the address it listens on. */
export function ownOrigins(publicUrl: string, { host, port }: { host: string; port: number }): Set<string> {
  const names = ANY_ADDRESS.includes(host) ? [] : [host.includes(':') ? `[${host}]` : host]
  const urls = [...LOOPBACK_NAMES, ...names].map((name) => `http://${name}:${port}`)
  return new Set([publicUrl, ...urls].map((url) => new URL(url).origin.toLowerCase()))
}

/** Agents send no cookies and no Origin; a POST from a browser must come from the API's own pages. */
export function createCsrfCheck(
  isOwnOrigin: (origin: string) => boolean,
): (headers: IncomingHttpHeaders) => void {
  return (headers) => {
    const { origin, cookie } = headers
    if (origin !== undefined && !isOwnOrigin(origin.toLowerCase())) {
      fail('CSRF_REFUSED', { message: 'The Origin header is not the API’s own origin.' })
    }
    if (cookie === undefined) return
    if (!isJson(headers['content-type']) || headers['x-pit-client'] === undefined) {
      fail('CSRF_REFUSED', { message: 'A POST with cookies must be JSON and carry X-Pit-Client.' })
    }
  }
}

/** `application/json`, alone or with charset utf-8. */
export function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true
  return (
    contentType !== undefined &&
    /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?(?:;\s*)?$/i.test(contentType)
  )
}
