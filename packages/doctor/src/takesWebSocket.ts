import { randomBytes } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'

const TIMEOUT_MS = 3_000

/** Whether an address accepts a WebSocket; the connection is closed at once. */
export function takesWebSocket(url: string): Promise<boolean> {
  const target = new URL(url.replace(/^ws/, 'http'))
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest
  return new Promise((resolve) => {
    const request = send(target, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': randomBytes(16).toString('base64'),
      },
      timeout: TIMEOUT_MS,
      agent: false,
    })
    const done = (takes: boolean) => {
      resolve(takes)
      request.destroy()
    }
    request.on('upgrade', (_answer, socket) => {
      socket.destroy()
      done(true)
    })
    request.on('response', () => done(false))
    request.on('timeout', () => done(false))
    request.on('error', () => resolve(false))
    request.end()
  })
}
