import { randomBytes } from 'node:crypto'
import { REQUEST } from '@pit/protocol'

/** Client ids that are safe in headers and logs; others are replaced. */
const SAFE = /^[A-Za-z0-9_.:-]{1,64}$/
const SECRET = new RegExp(REQUEST.keyPrefix, 'i')

export type NewRequestId = (incoming: string | string[] | undefined) => string

/** A random prefix per process and a counter: unique without random bytes for every request. */
export function createRequestIds(prefix: string = randomBytes(6).toString('hex')): NewRequestId {
  let count = 0
  return (incoming) => {
    if (typeof incoming === 'string' && SAFE.test(incoming) && !SECRET.test(incoming)) return incoming
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
