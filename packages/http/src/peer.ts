import type { Socket } from 'node:net'
import { plainAddress } from './clientAddress.ts'
import type { BodyReading } from './readBody.ts'

/** A connection. Cached per socket, because reading the socket's address on every request is slow. */
export interface Peer {
  address: string
  isProxy: boolean
  /** Requests without a response yet. */
  open: number
  /** The body being read, so that a parser error can reject it. */
  reading: BodyReading | null
  /** The parser failed: answer the open requests, then close. */
  broken: boolean
}

export type PeerOf = (socket: Socket) => Peer

export function createPeers(proxies: { has(address: string): boolean }): PeerOf {
  const peers = new WeakMap<Socket, Peer>()
  return (socket) => {
    let peer = peers.get(socket)
    if (peer === undefined) {
      const address = plainAddress(socket.remoteAddress ?? '0.0.0.0')
      peer = { address, isProxy: proxies.has(address), open: 0, reading: null, broken: false }
      peers.set(socket, peer)
    }
    return peer
  }
}
