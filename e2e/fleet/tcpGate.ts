import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { freePort } from '../serverProcess.ts'

/** A TCP forwarder that can be shut: it then refuses connections and cuts open ones. */
export interface TcpGate {
  port: number
  shut(): Promise<void>
  open(): Promise<void>
}

export async function openTcpGate(to: number): Promise<TcpGate> {
  const port = await freePort()
  const sockets = new Set<Socket>()
  let server: Server

  async function open(): Promise<void> {
    server = createServer((near) => {
      const far = connect(to, '127.0.0.1')
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(socket)
        socket.on('error', () => {})
        socket.once('close', () => {
          sockets.delete(socket)
          other.destroy()
        })
        socket.pipe(other)
      }
    }).listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await open()
  return {
    port,
    open,
    async shut() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
