import type { IncomingMessage } from 'node:http'
import { fail } from '@pit/protocol'

export interface Target {
  host: string | undefined
  path: string
  /** Without the question mark. */
  search: string
}

const MAX_TARGET = 4_096

/** The request line's target; the absolute form carries its own host, which then counts. */
export function targetOf(req: IncomingMessage): Target {
  let url = req.url ?? '/'
  let host = req.headers.host
  if (url.length > MAX_TARGET) fail('BAD_REQUEST', { field: 'path', message: 'The URI is too long.' })
  if (url.charCodeAt(0) !== 47) {
    const absolute = /^https?:\/\/([^/?#]+)(\/[^#]*)?/i.exec(url)
    if (absolute) {
      host = absolute[1]
      url = absolute[2] ?? '/'
    } else if (url !== '*')
      fail('BAD_REQUEST', { field: 'path', message: 'The request target is malformed.' })
  }
  const query = url.indexOf('?')
  return query === -1
    ? { host, path: url, search: '' }
    : { host, path: url.slice(0, query), search: url.slice(query + 1) }
}
