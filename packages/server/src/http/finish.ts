import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PitError } from '@pit/protocol'
import { discardBody } from './readBody.ts'
import { headersOf, type Reply } from './reply.ts'

/** What the Expect header asked for. */
export type Expects = 'nothing' | 'continue' | 'something else'

interface Finishing {
  req: IncomingMessage
  res: ServerResponse
  expects: Expects
  requestId: string
}

/** Sends the answer; after a body that was refused for its length or its slowness, ends the connection too. */
export async function finish(
  { req, res, expects, requestId }: Finishing,
  reply: Reply,
  refused: PitError | null,
  standing: readonly string[],
): Promise<void> {
  if (res.headersSent || res.destroyed) return
  const ends =
    refused !== null && !req.complete && (reply.status === 411 || refused.extras['field'] === 'body')
  if (ends) reply.close = true
  res.writeHead(reply.status, headersOf(reply, requestId, standing))
  if (!ends || expects !== 'nothing') {
    res.end(reply.body)
    return
  }
  // The rest of the body still arrives: read it away, or closing would reset the connection under the answer.
  res.write(reply.body)
  await discardBody(req)
  res.end()
}
