import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** How a proxy treats signed bytes, and its answer to them. */
export interface RelayLie {
  /** Passes the bytes on to the real server. */
  relays: boolean
  answer: { status: number; body: unknown } | 'closes the socket'
}

export interface LyingRelay {
  url: string
  /** Lies about all signed bytes from now on; null passes everything through. */
  set(lie: RelayLie | null): void
  close(): void
}

const RELAYS = /\/live\/(submit|fast)$/
/** A separate path: the suite checks the shape of answers under the real paths. */
const PREFIX = '/lies'

/** A proxy in front of the real server that lies about what became of signed bytes. */
export async function openLyingRelay(serverUrl: string): Promise<LyingRelay> {
  let lie: RelayLie | null = null
  const server = createServer(async (request, response) => {
    try {
      let body = ''
      for await (const chunk of request.setEncoding('utf8')) body += chunk
      const active = RELAYS.test(request.url ?? '') ? lie : null
      if (active && !active.relays) return reply(response, active.answer)
      const { authorization } = request.headers
      const answer = await fetch(`${serverUrl}${request.url?.replace(PREFIX, '')}`, {
        method: request.method!,
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        ...(request.method === 'POST' && { body }),
      })
      const text = await answer.text()
      if (active && !answer.ok) throw new Error(`the honest server refused: ${text}`)
      if (active) return reply(response, active.answer)
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    } catch (error) {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { code: 'PROXY_FAILED', message: String(error), retry: 'no' } }))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    set(next) {
      lie = next
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function reply(response: ServerResponse, answer: RelayLie['answer']): void {
  if (answer === 'closes the socket') {
    response.destroy()
    return
  }
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
}
