import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One call that passed the proxy. */
export interface ProxyCall {
  method: string
  /** Path under /api/v1/, with its query. */
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of every route
  body: any
}
export interface ProxyAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests change answers of every route
  body: any
}
/** `close` ends the connection without an answer; `hang` keeps it open without one. */
export type ProxyReply = ProxyAnswer | 'close' | 'hang'

export interface ProxyHooks {
  /** Before the server sees the call: a reply swallows the call, undefined forwards it. May delay. */
  intercept?(call: ProxyCall): ProxyReply | undefined | Promise<undefined>
  /** After the server handled the call: a reply replaces its answer, undefined passes it on. */
  change?(call: ProxyCall, answer: ProxyAnswer): ProxyReply | undefined
}

export interface HttpProxy {
  url: string
  /** Every call so far, oldest first. */
  calls: ProxyCall[]
  /** Replaces the hooks; without an argument everything passes unchanged. */
  use(hooks?: ProxyHooks): void
  close(): Promise<void>
}

/** A separate path, because the suite checks the shape of answers under the real paths. */
const PREFIX = '/proxied'

/** An HTTP proxy between a client and the real server. */
export async function openProxy(serverUrl: string, firstHooks: ProxyHooks = {}): Promise<HttpProxy> {
  let hooks = firstHooks
  const calls: ProxyCall[] = []
  const server = createServer(async (request, response) => {
    try {
      let text = ''
      for await (const chunk of request.setEncoding('utf8')) text += chunk
      const method = request.method ?? 'GET'
      const path = (request.url ?? '').replace(PREFIX, '')
      const call = { method, path: path.replace('/api/v1/', ''), body: parseJson(text) }
      calls.push(call)
      const early = await hooks.intercept?.(call)
      if (early) return send(response, early)
      const { authorization } = request.headers
      const answer = await fetch(`${serverUrl}${path}`, {
        method,
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        ...(method === 'POST' && { body: text }),
      })
      const { status } = answer
      const answerText = await answer.text()
      const changed = hooks.change?.(call, { status, body: parseJson(answerText) })
      if (changed) return send(response, changed)
      response.writeHead(status, { 'content-type': 'application/json' }).end(answerText)
    } catch (error) {
      // The caller may have been killed.
      if (response.destroyed) return
      const failure = { code: 'PROXY_FAILED', message: String(error), retry: 'no' }
      send(response, { status: 500, body: { error: failure } })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PREFIX}`,
    calls,
    use(next = {}) {
      hooks = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text === '' ? undefined : text
  }
}

function send(response: ServerResponse, reply: ProxyReply): void {
  if (reply === 'hang') return
  if (reply === 'close') return void response.destroy()
  response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify(reply.body))
}
