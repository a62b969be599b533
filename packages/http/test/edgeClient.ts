import { connect } from 'node:net'
import type { App } from '../src/createApp.ts'

export const GOOD_KEY = `pit_w_${'A'.repeat(43)}`
export const WALLET = '0x00000000000000000000000000000000000000aa'

export const ME = '/api/v1/auth/me'
export const CHALLENGE = '/api/v1/auth/challenge'
export const REVOKE = '/api/v1/auth/revoke'
export const bearer = { authorization: `Bearer ${GOOD_KEY}` }
export const errorOf = (answer: { json<T>(): T }) => answer.json<{ error: Record<string, unknown> }>().error

/** Sends raw bytes and returns everything that comes back. */
export async function raw(
  to: Pick<App, 'address' | 'listen'>,
  bytes: string | string[],
  { pauseMs = 0, halfClose = false } = {},
): Promise<string> {
  if (to.address() === null) await to.listen()
  return new Promise((resolve) => {
    const socket = connect({ port: to.address()!.port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', () => resolve(text))
    socket.on('close', () => resolve(text))
    socket.on('end', () => socket.end())
    const parts = Array.isArray(bytes) ? bytes : [bytes]
    const write = (i: number) => {
      if (i >= parts.length) {
        if (halfClose) socket.end()
        return
      }
      socket.write(parts[i]!)
      setTimeout(write, pauseMs, i + 1)
    }
    write(0)
  })
}
