import { chmodSync, rmSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { dirname } from 'node:path'
import type { Logger } from '@pit/platform/monitoring'
import { StartRefused } from '@pit/platform/settings'

/** A listen address. With TLS, a client needs a certificate of `ca`. */
export type Door =
  | { kind: 'loopback'; port: number }
  | { kind: 'socket'; path: string }
  | { kind: 'tls'; host: string; port: number; cert: string; key: string; ca: string }

const HOST = '127.0.0.1'
const BOUNDS = { requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 60_000 }
/** Write permission of others on the folder: they could put their own socket in the signer's place. */
const OTHERS_WRITE = 0o022
/** The socket is for its user and its group, which the server's user belongs to. */
const SOCKET_MODE = 0o660

/** A server that is not listening yet. */
export function serverFor(door: Door, logger: Pick<Logger, 'warn'>): Server {
  if (door.kind !== 'tls') return createServer(BOUNDS)
  const { cert, key, ca } = door
  let server: ReturnType<typeof createSecureServer>
  try {
    server = createSecureServer({
      ...BOUNDS,
      ...{ cert, key, ca },
      requestCert: true,
      rejectUnauthorized: true,
      minVersion: 'TLSv1.3',
    })
  } catch (error) {
    throw new StartRefused(`the signer’s certificate and key cannot be used: ${(error as Error).message}`)
  }
  server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException, socket) =>
    logger.warn({ from: socket.remoteAddress, why: code ?? message }, 'client certificate rejected'),
  )
  return server
}

/** Listens; returns the address in the form of the server's SIGNER_URL. */
export async function listenAt(server: Server, door: Door): Promise<{ url: string; port: number }> {
  if (door.kind === 'socket') {
    await clearPath(door.path)
    await listening(server, () => server.listen(door.path))
    chmodSync(door.path, SOCKET_MODE)
    return { url: `unix:${door.path}`, port: 0 }
  }
  const host = door.kind === 'tls' ? door.host : HOST
  await listening(server, () => server.listen(door.port, host))
  const { port } = server.address() as AddressInfo
  return { url: `${door.kind === 'tls' ? 'https' : 'http'}://${host}:${port}`, port }
}

function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('listening', resolve)
    listen()
  })
}

/** Checks that the signer owns the folder and no process listens there, and removes an old socket. */
async function clearPath(path: string): Promise<void> {
  const folder = dirname(path)
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (!stats) throw new StartRefused(`SIGNER_LISTEN: folder ${folder} does not exist`)
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    throw new StartRefused(`SIGNER_LISTEN: ${folder} belongs to user ${stats.uid}: chown it to the signer’s`)
  if ((stats.mode & OTHERS_WRITE) !== 0)
    throw new StartRefused(`SIGNER_LISTEN: others may write ${folder}: chmod go-w it`)
  if (await isListening(path)) throw new StartRefused(`SIGNER_LISTEN: another process listens on ${path}`)
  // Left behind by a process that was killed.
  rmSync(path, { force: true })
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}
