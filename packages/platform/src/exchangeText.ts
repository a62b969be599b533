import type { ClientRequest, IncomingMessage } from 'node:http'

export interface TextAnswer {
  status: number
  text: string
}

/** The connection failed before the whole answer was there. */
export class ExchangeFailed extends Error {
  readonly code: string | undefined
  /**
   * It failed on a connection kept open from earlier, before any answer: the other side may have just closed
   * it.
   */
  readonly onStaleConnection: boolean
  constructor(cause: NodeJS.ErrnoException, onStaleConnection: boolean) {
    super(cause.message, { cause })
    this.code = cause.code
    this.onStaleConnection = onStaleConnection
  }
}

/** Ends an exchange for a reason of our own; the code tells it from the network's. */
const endedBy = (code: 'NO_ANSWER_IN_TIME' | 'ANSWER_TOO_LARGE', message: string): Error =>
  Object.assign(new Error(message), { code })

/**
 * Sends a body on the request that `open` makes and reads the answer as text, bounded in time and in size.
 */
export function exchangeText(
  open: (heard: (incoming: IncomingMessage) => void) => ClientRequest,
  body: string,
  { boundMs, mostBytes }: { boundMs: number; mostBytes: number },
): Promise<TextAnswer> {
  return new Promise((resolve, reject) => {
    let hasBegun = false
    const outgoing = open((incoming) => {
      hasBegun = true
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > mostBytes) outgoing.destroy(endedBy('ANSWER_TOO_LARGE', 'answer too large'))
        else chunks.push(chunk)
      })
      incoming.on('end', () => {
        clearTimeout(timer)
        resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
      })
      incoming.on('error', failed)
    })
    const failed = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      reject(new ExchangeFailed(error, outgoing.reusedSocket && !hasBegun))
    }
    const tooLate = () => outgoing.destroy(endedBy('NO_ANSWER_IN_TIME', `no answer in ${boundMs} ms`))
    const timer = setTimeout(tooLate, boundMs)
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}
