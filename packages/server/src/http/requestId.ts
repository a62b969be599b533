import { randomBytes } from 'node:crypto'

/** Ids that are safe in headers and logs; anything else gets one of ours. */
const SAFE = /^[A-Za-z0-9_.:-]{1,64}$/
const SECRET = /pit_w_/i

export type NewRequestId = (incoming: string | string[] | undefined) => string

/** A random stem per process and a counter: unique without asking for randomness on every request. */
export function createRequestIds(stem: string = randomBytes(6).toString('hex')): NewRequestId {
  let count = 0
  return (incoming) => {
    if (typeof incoming === 'string' && SAFE.test(incoming) && !SECRET.test(incoming)) return incoming
    count += 1
    return `${stem}-${count.toString(36)}`
  }
}
