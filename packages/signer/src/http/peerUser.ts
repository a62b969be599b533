import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

type Ends = Pick<Socket, 'localPort' | 'remotePort'>

/**
 * The user of the process at the other end of a loopback connection, from the kernel's tables; undefined for
 * another machine or container, or without Linux.
 */
export function peerUser({ localPort, remotePort }: Ends): number | undefined {
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of linesOf(table)) {
      const [, local, remote, , , , , user] = line.trim().split(/\s+/)
      if (portIn(local) === remotePort && portIn(remote) === localPort) return Number(user)
    }
  }
  return undefined
}

/** `address:port`, both in hex. */
const portIn = (end: string | undefined): number => Number.parseInt(end?.split(':')[1] ?? '', 16)

function linesOf(table: string): string[] {
  try {
    return readFileSync(table, 'utf8').split('\n').slice(1)
  } catch {
    return []
  }
}

const ROOT = 0

/**
 * Whether the caller could read this signer's key file: it runs as the same user, or as root. Checked once
 * per connection.
 */
export function createPeerCheck({
  ownUser = process.getuid?.(),
  userOf = peerUser,
}: {
  ownUser?: number | undefined
  userOf?: (socket: Ends) => number | undefined
} = {}): (socket: Socket) => boolean {
  const cache = new WeakMap<Socket, boolean>()
  return (socket) => {
    const cached = cache.get(socket)
    if (cached !== undefined) return cached
    const user = userOf(socket)
    const shares = user !== undefined && (user === ownUser || user === ROOT)
    cache.set(socket, shares)
    return shares
  }
}
