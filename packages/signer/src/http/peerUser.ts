import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

type Ends = Pick<Socket, 'localPort' | 'remotePort'>

/**
 * The user whose process holds the other end of a connection on loopback, as the kernel says; undefined where
 * it does not (another machine or container, or no Linux).
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
 * Whether whoever calls could read this signer's key by its files: it runs as the same user, or as root.
 * Asked once for each connection.
 */
export function createPeerCheck({
  ownUser = process.getuid?.(),
  userOf = peerUser,
}: {
  ownUser?: number | undefined
  userOf?: (socket: Ends) => number | undefined
} = {}): (socket: Socket) => boolean {
  const known = new WeakMap<Socket, boolean>()
  return (socket) => {
    const before = known.get(socket)
    if (before !== undefined) return before
    const user = userOf(socket)
    const shares = user !== undefined && (user === ownUser || user === ROOT)
    known.set(socket, shares)
    return shares
  }
}
