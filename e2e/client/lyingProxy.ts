import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One call as it passed the proxy. */
export interface PassedCall {
  path: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every route
  body: any
}
export interface ProxyAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests change answers of every route
  body: any
}
/** Changes an honest answer; returning undefined passes it on as it is. */
export type Lie = (call: PassedCall, honest: ProxyAnswer) => ProxyAnswer | undefined

export interface LyingProxy {
  url: string
  calls: PassedCall[]
  /** From now on; null makes it honest again. */
  tell(lie: Lie | null): void
  close(): Promise<void>
}

/** Stands between a client and the real server. The server handles every call; the client gets the lie. */
export async function openLyingProxy(serverUrl: string): Promise<LyingProxy> {
  let lie: Lie | null = null
  const calls: PassedCall[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const call = { path: request.url ?? '', body: text === '' ? undefined : JSON.parse(text) }
    calls.push(call)
    const { authorization } = request.headers
    const answer = await fetch(`${serverUrl}${call.path}`, {
      method: request.method!,
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      ...(request.method === 'POST' && { body: text }),
    })
    const honest = { status: answer.status, body: await answer.json() }
    const { status, body } = lie?.(call, structuredClone(honest)) ?? honest
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    tell(next) {
      lie = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
