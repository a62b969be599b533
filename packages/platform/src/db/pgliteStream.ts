import { Duplex } from 'node:stream'
import type { Worker } from 'node:worker_threads'

/** Start parameters of the store's thread. */
export interface StoreToOpen {
  directory: string
  bufferMb: number
}
export type ToWorker = Uint8Array | 'close'
export type FromWorker = Uint8Array | 'ready' | 'closed'

/** AuthenticationOk, then ReadyForQuery (idle): the worker's session is open already. */
const GREETING = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49])

/**
 * A socket for the PostgreSQL driver, with the worker at its other end. The driver corks each query, so a
 * query is one message there and one back.
 */
export function createPgliteStream(worker: Worker): Duplex {
  let greeted = false
  function send(bytes: Buffer): void {
    if (!greeted) {
      greeted = true
      stream.push(GREETING)
      return
    }
    // A copy: the driver's buffers are slices of a shared pool and cannot be transferred.
    const message = Uint8Array.from(bytes)
    worker.postMessage(message satisfies ToWorker, [message.buffer])
  }
  const stream = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      send(chunk)
      done()
    },
    writev(chunks, done) {
      send(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer)))
      done()
    },
  })
  const hear = (message: FromWorker) => {
    if (typeof message !== 'string') {
      stream.push(Buffer.from(message.buffer, message.byteOffset, message.byteLength))
    }
  }
  worker.on('message', hear)
  worker.once('exit', () => stream.destroy())
  return Object.assign(stream, {
    connect() {
      process.nextTick(() => stream.emit('connect'))
    },
    setNoDelay() {},
    setKeepAlive() {},
    ref() {},
    unref() {},
  })
}
