import type { Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'
import { refuseForeign } from '../localOnly.ts'
import type { Rpc } from './createRpc.ts'

const PING_EVERY_MS = 30_000
// A reader this far behind will not catch up.
const MAX_BUFFERED_BYTES = 32_000_000

/** Serves WebSockets of an HTTP server; responses are sent as they become ready. */
export function attachWebSocket(
  server: Server,
  rpc: Rpc,
  { maxBodyBytes, socketLifeMs }: { maxBodyBytes: number; socketLifeMs?: number },
): { close(): void } {
  const sockets = new WebSocketServer({
    server,
    maxPayload: maxBodyBytes,
    perMessageDeflate: false,
    verifyClient({ req }, answer) {
      const refused = refuseForeign(req)
      answer(refused === null, refused?.status, refused?.why)
    },
  })
  const alive = new WeakSet<WebSocket>()
  sockets.on('connection', (socket) => {
    const session = {
      send(text: string) {
        if (socket.readyState !== socket.OPEN) return
        if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate()
        else socket.send(text)
      },
    }
    alive.add(socket)
    if (socketLifeMs !== undefined) setTimeout(() => socket.terminate(), socketLifeMs).unref()
    socket.on('pong', () => alive.add(socket))
    socket.on('message', async (data) => {
      const answer = await rpc.handle(String(data), session)
      if (answer !== undefined) session.send(answer)
    })
    socket.on('close', () => rpc.drop(session))
    socket.on('error', () => socket.terminate())
  })
  const pings = setInterval(() => {
    for (const socket of sockets.clients) {
      if (!alive.has(socket)) socket.terminate()
      alive.delete(socket)
      socket.ping()
    }
  }, PING_EVERY_MS)
  pings.unref()
  return {
    close() {
      clearInterval(pings)
      for (const socket of sockets.clients) socket.close(1001, 'the node is stopping')
      sockets.close()
    },
  }
}
