import { createServer, type RequestListener, type Server } from 'node:http'
import { afterEach } from 'vitest'

const open = new Set<Server>()
afterEach(() => {
  for (const server of open) {
    server.close()
    server.closeAllConnections()
  }
  open.clear()
})

/** A local server, at a port or Unix socket, until the test ends. */
export async function serveHttp(
  listener: RequestListener,
  at: number | string = 0,
): Promise<{ url: URL; server: Server }> {
  const server = createServer(listener)
  open.add(server)
  await new Promise<void>((resolve) => server.listen(at, resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return { url: new URL(`http://127.0.0.1${port ? `:${port}` : ''}/asked?of=it`), server }
}
