import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { FromWorker, StoreToOpen, ToWorker } from './pgliteStream.ts'

// The embedded store's thread: one PostgreSQL wire message out for each one in, in order.
const port = parentPort
if (!port) throw new Error('runs only as a worker thread')
const answer = (message: FromWorker, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

const { directory, bufferMb } = workerData as StoreToOpen
const store = new PGlite(directory, {
  startParams: [...PGlite.defaultStartParams, '-c', `shared_buffers=${bufferMb}MB`],
})
await store.waitReady

port.on('message', async (message: ToWorker) => {
  if (message === 'close') {
    await store.close()
    answer('closed')
    return port.close()
  }
  const bytes = await run(message)
  answer(bytes, [bytes.buffer as ArrayBuffer])
})
answer('ready')

/**
 * Runs a message with a listener for the raw response. Without one PGlite also parses the response and never frees
 * the result: about 500 bytes for each statement, and every row that was read.
 */
async function run(message: Uint8Array): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  const onRawData = (part: Uint8Array) => {
    // A copy: it is a view of PostgreSQL's own memory.
    parts.push(part.slice())
  }
  await store.execProtocolRawStream(message, { syncToFs: false, onRawData })
  return parts.length === 1 ? parts[0]! : concatBytes(parts)
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
