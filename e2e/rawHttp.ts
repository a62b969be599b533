import { connect } from 'node:net'

export interface RawAnswer {
  status: number
  headers: Map<string, string>
  body: string
}

/** Sends bytes over a new connection and reads the first final answer; null if there is none. */
export function sendRaw(
  port: number,
  parts: Buffer | readonly Buffer[],
  {
    halfClose = false,
    pauseMs = 0,
    timeoutMs = 30_000,
    from,
  }: { halfClose?: boolean; pauseMs?: number; timeoutMs?: number; from?: string } = {},
): Promise<RawAnswer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect({
      port,
      host: '127.0.0.1',
      allowHalfOpen: true,
      ...(from === undefined ? {} : { localAddress: from }),
    })
    const late = setTimeout(() => socket.destroy(), timeoutMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => socket.end())
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(late)
      resolve(readAnswer(Buffer.concat(chunks)))
    })
    const list = Buffer.isBuffer(parts) ? [parts] : parts
    const write = (i: number): void => {
      if (socket.destroyed) return
      const part = list[i]
      if (part === undefined) {
        if (halfClose) socket.end()
        return
      }
      socket.write(part)
      if (pauseMs > 0) setTimeout(write, pauseMs, i + 1)
      else write(i + 1)
    }
    write(0)
  })
}

function readAnswer(bytes: Buffer): RawAnswer | null {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  if (!text.startsWith('HTTP/1.1 ') || end === -1) return null
  const status = Number(text.slice(9, 12))
  if (status === 100) return readAnswer(bytes.subarray(end + 4))
  const headers = new Map<string, string>()
  for (const line of text.slice(0, end).split('\r\n').slice(1)) {
    const colon = line.indexOf(':')
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim())
  }
  const length = Number(headers.get('content-length') ?? 0)
  return { status, headers, body: bytes.subarray(end + 4, end + 4 + length).toString('utf8') }
}
