import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '@pit/protocol'

/** Agents send no cookies and no Origin; a POST from a browser must come from the API's own pages. */
export function createCsrfCheck(publicUrl: string): (headers: IncomingHttpHeaders) => void {
  const ownOrigin = new URL(publicUrl).origin.toLowerCase()
  return (headers) => {
    const { origin, cookie } = headers
    if (origin !== undefined && origin.toLowerCase() !== ownOrigin) {
      fail('CSRF_REFUSED', { message: 'The Origin header names another origin than the API’s own.' })
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
    contentType !== undefined && /^application\/json\s*(;\s*charset="?utf-?8"?\s*)?;?\s*$/i.test(contentType)
  )
}
