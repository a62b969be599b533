import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy to a node with a round trip of `ms`, as if it were far away. */
export async function openDistantNode(
  url: string,
  ms: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const { hostname, port, pathname } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('error', () => {})
      from.on('data', (chunk: Buffer) => setTimeout(() => to.write(chunk), ms / 2))
      from.once('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname === '/' ? '' : pathname}`,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
