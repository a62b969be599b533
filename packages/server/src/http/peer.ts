import type { Socket } from 'node:net'
import { plainAddress } from './clientAddress.ts'
import type { BodyReading } from './readBody.ts'

/** What is known of a connection; kept, because asking the socket again for every request is slow. */
export interface Peer {
  address: string
  isProxy: boolean
  /** Requests of this connection that have no answer yet. */
  open: number
  /** The body being read now, so that a parser error can end it with an answer. */
  reading: BodyReading | null
  /** The parser gave up on this connection: answer what is open, then close. */
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
